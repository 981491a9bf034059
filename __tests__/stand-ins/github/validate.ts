/** Compares every request and reply with GitHub's own description (`openapi.json`). */
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { description, operations, resolve, type Operation, type Schema } from './description.ts';
import type { Exchange } from './state.ts';

const ID = 'github';
const ajv = new Ajv({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ $id: ID, ...(withNull(description) as object) });

const compiled = new Map<string, ValidateFunction>();
function faultsAt(pointer: string, value: unknown, what: string) {
  const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `${ID}${pointer}` });
  compiled.set(pointer, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message }) => `${what}${instancePath} ${message ?? 'is wrong'}.`,
  );
}

const escape = (text: string) =>
  encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'));
const pointerOf = ({ path, method }: Operation) =>
  `#/paths/${escape(path)}/${method.toLowerCase()}`;
const JSON_SCHEMA = 'content/application~1json/schema';

/** Errors in a request, before it is handled. */
export function requestFaults(exchange: Exchange): string[] {
  const operation = operations.get(exchange.operation ?? '');
  if (operation === undefined)
    return [`${exchange.operation ?? exchange.path} is not in the description.`];
  const schema = operation.requestBody?.content['application/json'].schema;
  const where = `${exchange.operation}: body`;
  if (schema === undefined)
    return [
      ...(exchange.body === undefined ? [] : [`${exchange.operation}: a body is not expected.`]),
      ...queryFaults(operation, exchange),
    ];
  return [
    ...faultsAt(`${pointerOf(operation)}/requestBody/${JSON_SCHEMA}`, exchange.body, where),
    ...unknownProperties(schema, exchange.body, where),
    ...queryFaults(operation, exchange),
  ];
}

/** Errors in the stand-in's own reply. */
export function replyFaults({ operation: id, method, path, status, reply }: Exchange): string[] {
  if (status >= 400) {
    const isList = typeof reply === 'object' && reply !== null && 'errors' in reply;
    const schema = `#/components/schemas/${isList ? 'validation-error' : 'basic-error'}`;
    return faultsAt(schema, reply, `${method} ${path}: ${status}`);
  }
  const operation = operations.get(id ?? '');
  if (operation === undefined) return [];
  if (!(String(status) in operation.responses)) return [`${id}: the description has no ${status}.`];
  if (status === 204) return [];
  const pointer = `${pointerOf(operation)}/responses/${status}/${JSON_SCHEMA}`;
  return faultsAt(pointer, reply, `${id}: reply`).filter((fault) => !isKnown(fault, reply));
}

/**
 * Known errors of the description: GitHub sends null for the repository of a deleted fork, for the
 * line of an outdated comment, and for the first side of a single line.
 */
function isKnown(fault: string, reply: unknown) {
  return (
    (/\/head\/repo must be object\.$/.test(fault) &&
      JSON.stringify(reply).includes('"repo":null')) ||
    /^pulls\/\S*review-comments?: reply(?:\/\d+)?\/(?:line|start_side) must be /.test(fault)
  );
}

/** Finds misspelt fields. They satisfy the schema, and GitHub ignores them silently. */
function unknownProperties(schema: Schema, value: unknown, where: string): string[] {
  const { items = {}, properties = {} } = resolve(schema);
  if (Array.isArray(value))
    return value.flatMap((item, at) => unknownProperties(items as Schema, item, `${where}/${at}`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const known = Object.hasOwn(properties as object, key)
      ? (properties as Record<string, Schema>)[key]
      : undefined;
    return known === undefined
      ? [`${where}/${key} is not a field of the API.`]
      : unknownProperties(known, item, `${where}/${key}`);
  });
}

function queryFaults(operation: Operation, exchange: Exchange) {
  const parameters = (operation.parameters ?? []).map(resolve);
  return Object.entries(exchange.query).flatMap(([name, text]) => {
    const parameter = parameters.find((each) => each['in'] === 'query' && each['name'] === name);
    if (parameter === undefined)
      return [`${exchange.operation}: ${name} is not a parameter of the API.`];
    const schema = parameter['schema'] as Schema;
    const value = schema['type'] === 'integer' ? Number(text) : text;
    const isFine = ajv.validate(schema, value) && !(name === 'per_page' && Number(text) > 100);
    return isFine ? [] : [`${exchange.operation}: ${name} is ${text}.`];
  });
}

/** Ajv requires a `type` next to OpenAPI's `nullable`. */
function withNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNull);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, withNull(item)]),
  );
  if (copy['nullable'] !== true) return copy;
  const { nullable: _nullable, ...rest } = copy;
  if (!('type' in copy)) return { anyOf: [{ type: 'null' }, rest] };
  return Array.isArray(copy['enum']) ? { ...copy, enum: [...copy['enum'], null] } : copy;
}
