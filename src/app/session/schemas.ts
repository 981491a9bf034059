import { systemClock, type Clock } from '../../edges/providers/clock.ts';
import type { ExactJson } from '../../types/exact-json.ts';
import type { CheckSchema, SchemaFinding } from '../../types/metric.ts';
import { startSchemaThread, type SchemaThread } from './schema-thread.ts';

const ANSWERS_PER_MESSAGE = 100;

/** After this many timeouts a schema is not checked again. */
const TIMEOUTS = 5;

/** Once `halted` returns true, all remaining checks share `seconds`. */
export function createSchemaChecker(
  seconds: number,
  halted: () => boolean,
  clock: Clock = systemClock,
): {
  check: CheckSchema;
  close(): Promise<void>;
} {
  let thread: Promise<SchemaThread> | null = null;
  let closed = false;
  let last: Promise<unknown> = Promise.resolve();
  const timeouts = new Map<string, number>();
  let left = seconds * 1000;

  const ask: CheckSchema = async (schema, values) => {
    const unchecked = (why: string): SchemaFinding[] =>
      values.map(() => schemaError(`was not checked: ${why}`));
    const key = JSON.stringify(schema);
    if (closed) return unchecked('evaldiff is stopping');
    if (left <= 0) return unchecked('no time was left at the end of the run');
    if ((timeouts.get(key) ?? 0) >= TIMEOUTS)
      return unchecked(`the schema took longer than ${seconds} s ${TIMEOUTS} times`);
    thread ??= startSchemaThread(seconds * 1000, clock);
    const using = await thread;
    const began = clock.now();
    const checked = await using.check({ schema, values });
    if (halted()) left -= clock.now() - began;
    if ('answer' in checked) return checked.answer;
    thread = null;
    if (checked.ended === 'unstarted')
      return unchecked('the thread that checks schemas did not start');
    if (values.length > 1) return await oneByOne(schema, values);
    if (checked.ended === 'gone')
      return [schemaError('the check of the schema used too much memory and was stopped')];
    timeouts.set(key, (timeouts.get(key) ?? 0) + 1);
    return [schemaError(`the check of the schema took longer than ${seconds} s and was stopped`)];
  };

  const oneByOne: CheckSchema = async (schema, values) => {
    const findings: SchemaFinding[] = [];
    for (const value of values) findings.push(...(await ask(schema, [value])));
    return findings;
  };

  return {
    check(schema, values) {
      const done = last.then(() => inBatches(values, (batch) => ask(schema, batch)));
      last = done.catch(() => undefined);
      return done;
    },
    async close() {
      closed = true;
      await (await thread)?.end();
    },
  };
}

async function inBatches(
  values: readonly ExactJson[],
  ask: (batch: readonly ExactJson[]) => Promise<SchemaFinding[]>,
): Promise<SchemaFinding[]> {
  const findings: SchemaFinding[] = [];
  for (let start = 0; start < values.length; start += ANSWERS_PER_MESSAGE)
    findings.push(...(await ask(values.slice(start, start + ANSWERS_PER_MESSAGE))));
  return findings;
}

function schemaError(message: string): SchemaFinding {
  return { status: 'error', message };
}
