import { readFileSync } from 'node:fs';

/** GitHub's own description of the stand-in's operations (`openapi.json`). */
export type Schema = Readonly<Record<string, unknown>>;
export interface Operation {
  operationId: string;
  method: string;
  path: string;
  parameters?: Schema[];
  requestBody?: { content: { 'application/json': { schema: Schema } } };
  responses: Record<string, Schema>;
}
interface Description {
  paths: Record<string, Record<string, Omit<Operation, 'method' | 'path'>>>;
  components: Record<string, Record<string, Schema>>;
}

export const description = JSON.parse(
  readFileSync(new URL('./openapi.json', import.meta.url), 'utf8'),
) as Description;

/** All operations by id; `method` as in an HTTP request. */
export const operations: ReadonlyMap<string, Operation> = new Map(
  Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [
      operation.operationId,
      { ...operation, method: method.toUpperCase(), path },
    ]),
  ),
);

export function resolve(schema: Schema): Schema {
  const reference = schema['$ref'];
  if (typeof reference !== 'string') return schema;
  const [, , kind = '', name = ''] = reference.split('/');
  const target = description.components[kind]?.[name];
  if (target === undefined) throw new Error(`${reference} is not in the description`);
  return resolve(target);
}

const samples = new Map<string, Record<string, unknown>>();

/** An object of this schema with all required fields, filled with arbitrary values. */
export function sampleOf(name: string): Record<string, unknown> {
  const made =
    samples.get(name) ??
    (valueOf({ $ref: `#/components/schemas/${name}` }) as Record<string, unknown>);
  samples.set(name, made);
  return made;
}

function valueOf(reference: Schema): unknown {
  const schema = resolve(reference);
  const [choice] = (schema['anyOf'] ?? schema['oneOf'] ?? []) as Schema[];
  if (choice !== undefined) return valueOf(choice);
  const [word] = (schema['enum'] ?? []) as unknown[];
  if (word !== undefined) return word;
  if (schema['type'] === 'array') return [];
  if (schema['type'] === 'boolean') return false;
  if (schema['type'] === 'integer' || schema['type'] === 'number') return 1;
  if (schema['type'] === 'string')
    return schema['format'] === 'date-time' ? '2026-01-01T00:00:00Z' : 'https://github.example/x';
  const properties = (schema['properties'] ?? {}) as Record<string, Schema>;
  const required = (schema['required'] ?? []) as string[];
  return Object.fromEntries(required.map((field) => [field, valueOf(properties[field] ?? {})]));
}
