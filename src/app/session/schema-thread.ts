/**
 * A check of a repository's JSON Schema may never end, so it runs in a thread that can be
 * terminated.
 */
import type { Clock } from '../../edges/providers/clock.ts';
import { serveThread, startJobThread } from '../../edges/thread.ts';
import { parseExactly, type ExactJson } from '../../types/exact-json.ts';
import type { JsonSchema, SchemaFinding } from '../../types/metric.ts';

interface SchemaJob {
  schema: JsonSchema;
  values: readonly ExactJson[];
}

export type SchemaThread = Awaited<ReturnType<typeof startSchemaThread>>;

/** `startMs`: the thread loads the whole bundle, perhaps on a busy machine. */
const SCHEMA_THREAD = {
  url: import.meta.url,
  role: 'evaldiff-schemas',
  memoryMb: 256,
  startMs: 30_000,
};

export async function startSchemaThread(timeoutMs: number, clock: Clock) {
  const thread = await startJobThread<string, SchemaFinding[]>({
    ...SCHEMA_THREAD,
    sleep: (ms, signal) => clock.sleep(ms, signal, 'deadline'),
  });
  return {
    // Sent as JSON, because a structured clone would turn long numbers (`LongNumber`) into plain
    // objects.
    check: (job: SchemaJob) => thread.run(JSON.stringify(job), timeoutMs),
    end: thread.end,
  };
}

await serveThread(SCHEMA_THREAD.role, async (port) => {
  const { checkAgainst } = await import('../../metrics/measures/json-schema.ts');
  port.on('message', (job: string) => {
    const { schema, values } = parseExactly(job) as unknown as SchemaJob;
    port.postMessage(checkAgainst(schema, values));
  });
});
