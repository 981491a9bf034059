import type { CheckSchema, JsonSchema, SchemaFinding } from '../types/metric.ts';
import type { Json } from '../types/plain.ts';
import { startSchemaThread, type SchemaThread } from './schema-thread.ts';

/** Answers that the thread is given at once. */
const BATCH = 100;

/** Checks of one schema that do not end before it is given up: nobody waits hours for a schema. */
const TIMEOUTS = 5;

/**
 * Holds answers against schemas in one thread, started when first asked, and replaced when it had
 * to be ended. A check that takes longer than `seconds`, or all memory, is an error of its answer.
 */
export function createSchemaChecker(seconds: number): {
  check: CheckSchema;
  close(): Promise<void>;
} {
  let thread: Promise<SchemaThread> | null = null;
  let closed = false;
  let last: Promise<unknown> = Promise.resolve();
  const timeouts = new Map<string, number>();

  const ask = async (schema: JsonSchema, values: readonly Json[]): Promise<SchemaFinding[]> => {
    const key = JSON.stringify(schema);
    if (closed) return values.map(() => failed('was not checked: evaldiff is stopping'));
    if ((timeouts.get(key) ?? 0) >= TIMEOUTS)
      return values.map(() =>
        failed(
          `was not checked: the schema took longer than ${String(seconds)} s ${String(TIMEOUTS)} times`,
        ),
      );
    thread ??= startSchemaThread(seconds * 1000);
    const checked = await (await thread).check({ schema, values });
    if ('findings' in checked) return checked.findings;
    thread = null;
    if (values.length > 1) return await oneByOne(schema, values);
    if (checked.ended === 'gone') return [failed('the schema took all memory, and was stopped')];
    timeouts.set(key, (timeouts.get(key) ?? 0) + 1);
    return [failed(`the schema took longer than ${String(seconds)} s, and was stopped`)];
  };

  /** Which answer of a batch it was that did not end. */
  const oneByOne = async (
    schema: JsonSchema,
    values: readonly Json[],
  ): Promise<SchemaFinding[]> => {
    const findings: SchemaFinding[] = [];
    for (const value of values) findings.push(...(await ask(schema, [value])));
    return findings;
  };

  const checkAll = async (
    schema: JsonSchema,
    values: readonly Json[],
  ): Promise<SchemaFinding[]> => {
    const findings: SchemaFinding[] = [];
    for (let start = 0; start < values.length; start += BATCH)
      findings.push(...(await ask(schema, values.slice(start, start + BATCH))));
    return findings;
  };

  return {
    check(schema, values) {
      const done = last.then(() => checkAll(schema, values));
      last = done.catch(() => undefined);
      return done;
    },
    async close() {
      closed = true;
      await (await thread)?.end();
    },
  };
}

function failed(message: string): SchemaFinding {
  return { status: 'error', message };
}
