import { readFileSync } from 'node:fs';
import { errorMessage } from '../errors.ts';
import { limits, type Link, type StartLink } from './link.ts';
import {
  startThread,
  type FromThread,
  type ThreadSettings,
  type ToThread,
} from './quickjs-thread.ts';
import { oneLine } from './reply.ts';

/** What runs in the engine before any user code. A bundle carries it as files beside its entry. */
const globals = readFileSync(new URL('./globals.js', import.meta.url), 'utf8');
const guest = readFileSync(new URL('./guest.js', import.meta.url), 'utf8');

/** Starts QuickJS in threads that can be ended from outside whatever the engine is doing. */
export function javascriptStarter(settings: Omit<ThreadSettings, 'globals' | 'guest'>): StartLink {
  return (listener) =>
    new Promise((resolve) => {
      const thread = startThread({ ...settings, globals, guest });
      const refuse = (message: string): void =>
        resolve({ status: 'refused', message: `The JavaScript engine did not start: ${message}` });
      const deadline = setTimeout(() => {
        refuse(`no word from it within ${limits.start / 1000} s`);
        void thread.terminate();
      }, limits.start);
      let ready = false;
      const say = (message: ToThread): void => thread.postMessage(message);
      const link: Link = {
        begin: (job) => say({ kind: 'job', ...job }),
        send: (id, variables) => say({ kind: 'run', id, variables }),
        kill: () => {
          void thread.terminate();
        },
        close: async () => {
          await thread.terminate();
        },
      };
      // The engine's library complains on stderr when it gives up; the answer says so already.
      thread.stdout.resume();
      thread.stderr.resume();
      thread.on('message', (message: FromThread) => {
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
