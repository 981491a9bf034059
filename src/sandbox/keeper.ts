import type { Link, Listener, StartLink } from './link.ts';

/** Holds at most one worker at a time and hands its events to whoever listens. */
export interface Keeper {
  /** The worker, started if there is none. */
  get(): Promise<{ status: 'started'; link: Link } | { status: 'refused'; message: string }>;
  /** Null: nobody asks for anything, and a worker that speaks all the same is ended. */
  listen(listener: Listener | null): void;
  /** Ends the worker at once. Nothing of it is heard any more. */
  drop(): void;
  /** Tells the listener, then ends the worker in good order. No worker is started any more. */
  close(): Promise<void>;
}

export function createKeeper(start: StartLink): Keeper {
  let link: Link | null = null;
  let listener: Listener | null = null;
  /** Counts workers: an event that carries an older number comes too late. */
  let generation = 0;
  let closed = false;

  const drop = (): void => {
    generation += 1;
    link?.kill();
    link = null;
  };

  async function get(): ReturnType<Keeper['get']> {
    if (closed) return { status: 'refused', message: 'was not run: evaldiff is stopping' };
    if (link !== null) return { status: 'started', link };
    generation += 1;
    const own = generation;
    const started = await start({
      answer: (answer) => {
        if (own === generation) {
          if (listener === null) drop();
          else listener.answer(answer);
        }
      },
      ended: (outcome) => {
        if (own === generation) {
          drop();
          listener?.ended(outcome);
        }
      },
    });
    if (started.status === 'started') {
      // Between its start and now it may have ended, or we may have been told to stop.
      if (own !== generation) {
        started.link.kill();
        return get();
      }
      link = started.link;
    }
    return started;
  }

  return {
    get,
    drop,
    listen: (next) => {
      listener = next;
    },
    async close() {
      closed = true;
      generation += 1;
      const worker = link;
      link = null;
      listener?.ended('closed');
      await worker?.close();
    },
  };
}
