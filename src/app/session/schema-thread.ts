/**
 * A check of a repository's JSON Schema may never end, so it runs in a thread that can be
 * terminated.
 */
import type { MessagePort } from 'node:worker_threads';
import { pause, type Clock } from '../../edges/providers/clock.ts';
import { serveThread, startThread } from '../../edges/thread.ts';
import { parseExactly, type ExactJson } from '../../types/exact-json.ts';
import type { JsonSchema, SchemaFinding } from '../../types/metric.ts';

interface ToThread {
  schema: JsonSchema;
  values: readonly ExactJson[];
}

type FromThread = { kind: 'ready' } | { kind: 'answer'; findings: SchemaFinding[] };

type Checked = { findings: SchemaFinding[] } | { ended: 'timeout' | 'gone' | 'unstarted' };

export interface SchemaThread {
  check(job: ToThread): Promise<Checked>;
  end(): Promise<void>;
}

const role = 'evaldiff-schemas';

/** Milliseconds. The thread loads the whole bundle, perhaps on a busy machine. */
const START = 30_000;

const MEMORY_MB = 256;

export async function startSchemaThread(timeoutMs: number, clock: Clock): Promise<SchemaThread> {
  const worker = startThread(import.meta.url, role, { maxOldGenerationSizeMb: MEMORY_MB });
  let receive: ((said: FromThread | 'timeout' | 'gone') => void) | null = null;
  const next = (milliseconds: number): Promise<FromThread | 'timeout' | 'gone'> =>
    new Promise((resolve) => {
      const over = new AbortController();
      void pause(clock, milliseconds, over.signal, 'deadline').then(() => {
        if (!over.signal.aborted) receive?.('timeout');
      });
      receive = (said) => {
        over.abort();
        receive = null;
        resolve(said);
      };
    });
  worker.on('message', (message: FromThread) => receive?.(message));
  worker.on('error', () => receive?.('gone'));
  worker.on('exit', () => receive?.('gone'));
  const ready = await next(START);
  return {
    async check(job) {
      if (typeof ready !== 'object') {
        await worker.terminate();
        return { ended: 'unstarted' };
      }
      // Sent as JSON, because a structured clone would turn long numbers (`LongNumber`) into plain
      // objects.
      worker.postMessage(JSON.stringify(job satisfies ToThread));
      const said = await next(timeoutMs);
      if (typeof said === 'object' && said.kind === 'answer') return { findings: said.findings };
      await worker.terminate();
      return { ended: said === 'timeout' ? 'timeout' : 'gone' };
    },
    async end() {
      await worker.terminate();
    },
  };
}

async function serve(port: MessagePort): Promise<void> {
  const { checkAgainst } = await import('../../metrics/measures/json-schema.ts');
  port.on('message', (job: string) => {
    const { schema, values } = parseExactly(job) as unknown as ToThread;
    port.postMessage({
      kind: 'answer',
      findings: checkAgainst(schema, values),
    } satisfies FromThread);
  });
}

await serveThread(role, serve);
