import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startModelServer, type ModelServer } from '../../__tests__/stand-ins/models/server.ts';
import { branchOff, createProject, removeProject } from '../measure/project.ts';
import { callsToCompare, callsToSweep } from './limit.ts';
import { answerTo, filesOf, type Project } from './project.ts';
import type { Scenario } from './scenarios.ts';

/** Runs evaldiff's command line in a folder; throws unless the exit code is 0 or 1. */
export type Evaldiff = (args: readonly string[], folder: string) => Promise<void>;

export interface Count {
  made: number;
  limit: number;
}

export interface Counting {
  /** `cold`: without stored answers. `warm`: after a sweep of main. */
  count(scenario: Scenario): Promise<{ cold: Count; warm: Count }>;
  close(): Promise<void>;
}

/**
 * Creates a repository whose main is `base`, a model server that counts, and a store with the
 * answers of a sweep of main.
 */
export async function startCounting(base: Project, evaldiff: Evaldiff): Promise<Counting> {
  const server = await startModelServer({
    answer: ({ model, messages }) => ({ text: answerTo(model, messages.at(-1)?.content ?? '') }),
  });
  const folder = createProject({ ...filesOf(base), '.gitignore': '.evaldiff/\n' });
  const swept = join(folder, '.evaldiff', 'swept.sqlite');
  const run = (...args: string[]): Promise<void> =>
    evaldiff([...args, '--endpoint', `local=${server.openaiUrl}`], folder);
  await run('run', '--store', swept);
  expectCalls(server, callsToSweep(base).size);
  const branches = new Map<Project, string>();
  const compare = async (head: Project, store: string): Promise<void> => {
    const branch = branches.get(head) ?? `topic-${String(branches.size)}`;
    if (!branches.has(head)) branchOff(folder, branch, filesOf(head));
    branches.set(head, branch);
    await run('diff', '--base', 'main', '--head', branch, '--store', store);
  };
  const once = async ({ head, earlier }: Scenario, stored: 'nothing' | 'main'): Promise<Count> => {
    const store = join(folder, '.evaldiff', 'used.sqlite');
    for (const end of ['', '-wal', '-shm']) rmSync(`${store}${end}`, { force: true });
    if (stored === 'main') cpSync(swept, store);
    if (earlier !== undefined) await compare(earlier, store);
    server.requests.length = 0;
    await compare(head, store);
    const known = new Set([
      ...(stored === 'main' ? callsToSweep(base) : []),
      ...(earlier === undefined ? [] : callsToCompare(base, earlier)),
    ]);
    return {
      made: server.requests.length,
      limit: [...callsToCompare(base, head)].filter((call) => !known.has(call)).length,
    };
  };
  return {
    count: async (scenario) => ({
      cold: await once(scenario, 'nothing'),
      warm: await once(scenario, 'main'),
    }),
    async close() {
      await server.close();
      removeProject(folder);
    },
  };
}

function expectCalls({ requests, refused }: ModelServer, wanted: number): void {
  if (requests.length !== wanted)
    throw new Error(
      `a sweep of main takes ${String(wanted)} calls, not ${String(requests.length)}${refused.map((why) => `\n${why}`).join('')}`,
    );
}
