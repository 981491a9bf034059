import type { ProgramSession } from './program-session.ts';

/** The processes of one program at one commit, by key. */
export interface Processes {
  /** Runs `work` with the process of this key, started on its first use. */
  use<T>(key: string, work: (session: ProgramSession) => Promise<T>): Promise<T>;
  each(act: (session: ProgramSession) => void): void;
  close(): Promise<void>;
}

/** @param ends whether the process of a key is closed once nobody uses it. */
export function createProcesses(
  create: () => ProgramSession,
  ends: (key: string) => boolean,
): Processes {
  const current = new Map<string, { session: ProgramSession; users: number }>();
  const alive = new Set<ProgramSession>();
  const start = (): { session: ProgramSession; users: number } => {
    const session = create();
    alive.add(session);
    return { session, users: 0 };
  };
  const close = async (session: ProgramSession): Promise<void> => {
    await session.close();
    alive.delete(session);
  };
  return {
    async use(key, work) {
      const process = current.get(key) ?? start();
      current.set(key, process);
      process.users++;
      try {
        return await work(process.session);
      } finally {
        process.users--;
        if (process.users === 0 && ends(key)) {
          current.delete(key);
          void close(process.session);
        }
      }
    },
    each: (act) => alive.forEach(act),
    close: async () => {
      await Promise.all([...alive].map(close));
    },
  };
}
