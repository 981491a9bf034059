/**
 * GitHub's own description as judge: every request and every answer is held against `openapi.json`.
 */
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import type { ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { Judge } from './server.ts';
import type { Exchange } from './state.ts';

type Schema = { [key: string]: unknown };
interface Operation {
  operationId: string;
  parameters?: Schema[];
  requestBody?: { content: { 'application/json': { schema: Schema } } };
  responses: Record<string, Schema>;
}
interface Description {
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, Schema>>;
}

const ID = 'github';

export function createJudge(): Judge {
  const description = JSON.parse(
    readFileSync(new URL('./openapi.json', import.meta.url), 'utf8'),
  ) as Description;
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: ID, ...(withNull(description) as object) });
  const operations = new Map<string, { pointer: string; operation: Operation }>();
  for (const [path, methods] of Object.entries(description.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      operations.set(operation.operationId, {
        operation,
        pointer: `#/paths/${escape(path)}/${method}`,
      });
    }
  }
  const compiled = new Map<string, ValidateFunction>();
  const validator = (pointer: string): ValidateFunction => {
    const known = compiled.get(pointer) ?? ajv.compile({ $ref: `${ID}${pointer}` });
    compiled.set(pointer, known);
    return known;
  };
  const faults = (pointer: string, value: unknown, what: string): string[] => {
    const validate = validator(pointer);
    return validate(value)
      ? []
      : (validate.errors ?? []).map(
          (fault) => `${what}${fault.instancePath} ${fault.message ?? 'is wrong'}.`,
        );
  };
  const get = (id: string | null) => (id === null ? undefined : operations.get(id));

  function request(exchange: Exchange): string[] {
    const found = get(exchange.operation);
    if (found === undefined)
      return [`${exchange.operation ?? exchange.path} is not in the description.`];
    const { operation, pointer } = found;
    const schema = operation.requestBody?.content['application/json'].schema;
    const body =
      schema === undefined
        ? exchange.body === undefined
          ? []
          : [`${exchange.operation}: a body is not expected.`]
        : [
            ...faults(
              `${pointer}/requestBody/content/application~1json/schema`,
              exchange.body,
              `${exchange.operation}: body`,
            ),
            ...unknownProperties(description, schema, exchange.body, `${exchange.operation}: body`),
          ];
    return [...body, ...queryFaults(description, operation, exchange, ajv)];
  }

  function reply(exchange: Exchange): string[] {
    if (exchange.status >= 400) return errorFaults(exchange, faults);
    const found = get(exchange.operation);
    if (found === undefined) return [];
    if (!(String(exchange.status) in found.operation.responses))
      return [`${exchange.operation}: the description has no ${exchange.status}.`];
    if (exchange.status === 204) return [];
    const pointer = `${found.pointer}/responses/${exchange.status}/content/application~1json/schema`;
    return faults(pointer, exchange.reply, `${exchange.operation}: reply`).filter(
      (fault) => !isDeletedFork(fault, exchange.reply) && !isNullOfRemark(fault),
    );
  }
  return { request, reply };
}

/** The description's own fault: GitHub sends null for the repository of a deleted fork. */
function isDeletedFork(fault: string, reply: unknown): boolean {
  return (
    /\/head\/repo must be object\.$/.test(fault) && JSON.stringify(reply).includes('"repo":null')
  );
}

/** As well: null for the line of an outdated comment, and for the first side of a single line. */
function isNullOfRemark(fault: string): boolean {
  return /^pulls\/\S*review-comments?: reply(?:\/\d+)?\/(?:line|start_side) must be /.test(fault);
}

function errorFaults(
  exchange: Exchange,
  faults: (pointer: string, value: unknown, what: string) => string[],
): string[] {
  const kind =
    typeof exchange.reply === 'object' && exchange.reply !== null && 'errors' in exchange.reply
      ? 'validation-error'
      : 'basic-error';
  return faults(
    `#/components/schemas/${kind}`,
    exchange.reply,
    `${exchange.method} ${exchange.path}: ${exchange.status}`,
  );
}

/** A misspelt field passes the schema and GitHub drops it in silence, so it is looked for here. */
function unknownProperties(
  description: Description,
  schema: Schema,
  value: unknown,
  where: string,
): string[] {
  const resolved = resolve(description, schema);
  if (Array.isArray(value))
    return value.flatMap((item, index) =>
      unknownProperties(
        description,
        (resolved['items'] ?? {}) as Schema,
        item,
        `${where}/${index}`,
      ),
    );
  if (typeof value !== 'object' || value === null) return [];
  const properties = (resolved['properties'] ?? {}) as Record<string, Schema>;
  return Object.entries(value).flatMap(([key, item]) => {
    const known = Object.hasOwn(properties, key) ? properties[key] : undefined;
    return known === undefined
      ? [`${where}/${key} is not a field of the API.`]
      : unknownProperties(description, known, item, `${where}/${key}`);
  });
}

function queryFaults(
  description: Description,
  operation: Operation,
  exchange: Exchange,
  ajv: Ajv,
): string[] {
  const parameters = (operation.parameters ?? []).map((parameter) =>
    resolve(description, parameter),
  );
  return Object.entries(exchange.query).flatMap(([name, text]) => {
    const parameter = parameters.find(
      (candidate) => candidate['in'] === 'query' && candidate['name'] === name,
    );
    if (parameter === undefined)
      return [`${exchange.operation}: ${name} is not a parameter of the API.`];
    const schema = parameter['schema'] as Schema;
    const value = schema['type'] === 'integer' ? Number(text) : text;
    const tooMany = name === 'per_page' && Number(text) > 100;
    return ajv.validate(schema, value) && !tooMany
      ? []
      : [`${exchange.operation}: ${name} is ${text}.`];
  });
}

function resolve(description: Description, schema: Schema): Schema {
  const reference = schema['$ref'];
  if (typeof reference !== 'string') return schema;
  const [, , kind = '', name = ''] = reference.split('/');
  const target = description.components[kind]?.[name];
  if (target === undefined) throw new Error(`${reference} is not in the description`);
  return resolve(description, target);
}

/** Ajv wants a `type` beside OpenAPI's `nullable`. */
function withNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNull);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, withNull(item)]),
  );
  if (copy['nullable'] !== true) return copy;
  if ('type' in copy)
    return Array.isArray(copy['enum']) ? { ...copy, enum: [...copy['enum'], null] } : copy;
  const { nullable: _nullable, ...rest } = copy;
  return { anyOf: [{ type: 'null' }, rest] };
}

function escape(text: string): string {
  return encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'));
}
