import type { MessagePort } from 'node:worker_threads';
import type { QuickJSWASMModule } from 'quickjs-emscripten-core';
import { errorMessage } from '../../errors.ts';
import { serveThread, startThread } from '../thread.ts';
import { limits, type Link, type LinkJob, type StartLink, type ThreadAnswer } from './link.ts';
import { prepareCode, loadEngine } from './quickjs-engine.ts';
import { oneLine } from './reply.ts';

type ToEngine = { kind: 'job'; job: LinkJob } | { kind: 'run'; id: string; variables: string };

type FromEngine = { kind: 'ready' } | { kind: 'answer'; answer: ThreadAnswer };

interface ThreadSettings {
  timeoutSeconds: number;
  time: number;
  alone: boolean;
}

const engineRole = 'evaldiff-quickjs';

/** Larger than QuickJS's own stack limit, so that deep recursion does not crash the thread. */
const ENGINE_LIMITS = { stackSizeMb: 32, maxOldGenerationSizeMb: 256 };

export function javascriptStarter(settings: ThreadSettings): StartLink {
  return (listener) =>
    new Promise((resolve) => {
      const thread = startThread(import.meta.url, engineRole, ENGINE_LIMITS, settings);
      const refuse = (message: string): void =>
        resolve({ status: 'refused', message: `The JavaScript engine did not start: ${message}` });
      const deadline = setTimeout(() => {
        refuse(`it did not respond within ${limits.start / 1000} s`);
        void thread.terminate();
      }, limits.start);
      let ready = false;
      const say = (message: ToEngine): void => thread.postMessage(message);
      const link: Link = {
        begin: (job) => say({ kind: 'job', job }),
        send: (id, variables) => say({ kind: 'run', id, variables }),
        kill: () => {
          void thread.terminate();
        },
        close: async () => {
          await thread.terminate();
        },
      };
      thread.on('message', (message: FromEngine) => {
        clearTimeout(deadline);
        if (message.kind === 'answer') return listener.answer(message.answer);
        ready = true;
        resolve({ status: 'started', link });
      });
      const end = (why: string): void => {
        clearTimeout(deadline);
        if (ready) listener.ended('exit');
        else refuse(why);
      };
      thread.once('error', (error: unknown) => end(oneLine(errorMessage(error))));
      thread.once('exit', () => end('it ended'));
    });
}

async function serveEngine(
  port: MessagePort,
  { timeoutSeconds, time, alone }: ThreadSettings,
): Promise<void> {
  const newModule = await loadEngine();
  let module: QuickJSWASMModule | null = null;
  let job: LinkJob = { place: '', code: '', outputs: [] };
  let prepared: ReturnType<typeof prepareCode> | null = null;
  let last = Promise.resolve();
  port.on('message', (message: ToEngine) => {
    last = last.then(async () => {
      if (message.kind === 'job') {
        if (JSON.stringify(message.job) !== JSON.stringify(job)) prepared = module = null;
        job = message.job;
        return;
      }
      module ??= await newModule();
      prepared ??= prepareCode(module, job, { timeoutSeconds, time });
      port.postMessage({
        kind: 'answer',
        answer: prepared.evaluate(message.id, message.variables),
      } satisfies FromEngine);
      if (alone) {
        try {
          prepared.end();
        } catch {
          // A broken engine's answer is marked `spent`, which ends the thread.
        }
        prepared = null;
      }
    });
  });
}

await serveThread(engineRole, serveEngine);
