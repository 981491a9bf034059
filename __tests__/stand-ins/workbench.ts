import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import type { Board } from '../../src/features/workbench/workbench.ts';
import { beginIn, localEndpoint, type Said } from './command-line.ts';
import { bodyOf } from './loopback.ts';
import { startModelServer, type ModelServer, type Script } from './models/server.ts';
import { createRepository, temporaryFolder, writeFiles } from './repository.ts';

/** The data that the page fetches. */
export interface SeenBoard extends Board {
  note: string;
  bad: boolean;
  old: boolean;
  undo: boolean;
  spend: string;
}

/** The rows of all its matrices, in order. */
export const rowsOf = ({ matrices }: Board): Board['matrices'][number]['rows'] =>
  matrices.flatMap(({ rows }) => rows);

/** A running workbench with its own files, and the requests of a page. */
export interface OpenWorkbench {
  directory: string;
  url: string;
  server: ModelServer;
  edit(path: string, from: string, to: string): void;
  file(path: string): string;
  board(): Promise<SeenBoard>;
  /** Resolves to the board once `is` holds. Checked whenever windows are notified. */
  boardWhen(is: (board: SeenBoard) => boolean): Promise<SeenBoard>;
  /** Does `work` and resolves to the next board. */
  boardAfter(work: () => unknown): Promise<SeenBoard>;
  detail(id: string): Promise<string>;
  /** Does what a button does; `id`: the row's reference. */
  act(action: { kind: string; [part: string]: unknown }, id?: string): Promise<Reply>;
  /** Status and headers of a request, from a browser or another client. */
  asked(path: string, headers?: Record<string, string>, method?: 'GET' | 'POST'): Promise<Answer>;
  stop(): Promise<Said>;
  /** Stops it and its model server. */
  close(): Promise<void>;
}

interface Reply {
  said: string;
  bad: boolean;
}

interface Answer {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  text: string;
}

interface WorkbenchOptions {
  answer: Script;
  files: Readonly<Record<string, string>>;
  args?: readonly string[];
  /** Whether the files are in a git commit; default: true. */
  git?: boolean;
  env?: NodeJS.ProcessEnv;
}

/** Runs `evaldiff dev` in this process, with a real repository and a model server on loopback. */
export async function openWorkbench({
  answer,
  files,
  args = [],
  git = true,
  env = {},
}: WorkbenchOptions): Promise<OpenWorkbench> {
  const server = await startModelServer({ answer });
  const directory = folderWith(files, git);
  const begun = beginIn(directory, ['dev', ...args], { env: localEndpoint(server, env) });
  const said = await Promise.race([begun.said('workbench: http'), begun.ended.then(() => '')]);
  const url = /http:\S+/.exec(said)?.[0];
  if (url === undefined) throw new Error(`it did not open: ${(await begun.ended).err}`);
  const asked: OpenWorkbench['asked'] = (path, headers = {}, method = 'GET') =>
    send(new URL(path, url), {
      headers,
      method,
      body: method === 'POST' ? '{"kind":"raise"}' : '',
    });
  const board = async () => JSON.parse((await asked('board')).text) as SeenBoard;
  const keyOf = async (id: string) => {
    const keys = rowsOf(await board()).map(({ key }) => key);
    const key = keys.find((one) => one.includes(`"${id}"`));
    if (key === undefined) throw new Error(`there is no row of ${id}: ${keys.join(' ')}`);
    return key;
  };
  return {
    directory,
    url,
    server,
    edit(path, from, to) {
      const file = join(directory, path);
      writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
    },
    file: (path) => readFileSync(join(directory, path), 'utf8'),
    board,
    boardWhen: (is) => boardAt(url, is),
    boardAfter: (work) =>
      boardAt(url, ({ note, old }) => note === 'up to date' && !old, { work, passed: 1 }),
    detail: async (id) => (await asked(`detail?key=${encodeURIComponent(await keyOf(id))}`)).text,
    async act(action, id) {
      const { host, origin } = new URL(url);
      const { text } = await send(new URL('act', url), {
        headers: { 'content-type': 'application/json', origin, host },
        method: 'POST',
        body: JSON.stringify(id === undefined ? action : { key: await keyOf(id), ...action }),
      });
      return JSON.parse(text) as Reply;
    },
    asked,
    stop: begun.stop,
    async close() {
      await begun.stop();
      await server.close();
    },
  };
}

/**
 * The board at an address once it is as wanted. Checked whenever windows are notified.
 *
 * @param passed the number of notifications to wait for first, counted since `work`
 */
export async function boardAt(
  url: string,
  is: (board: SeenBoard) => boolean,
  { work = () => undefined, passed = 0 }: { work?: () => unknown; passed?: number } = {},
): Promise<SeenBoard> {
  const events = await fetch(new URL('events', url));
  const reader = events.body?.getReader();
  try {
    await reader?.read();
    await work();
    for (let heard = 0; ; heard += 1) {
      const seen = (await (await fetch(new URL('board', url))).json()) as SeenBoard;
      if (heard >= passed && is(seen)) return seen;
      await reader?.read();
    }
  } finally {
    await reader?.cancel();
  }
}

/** Real files, committed or without git. */
function folderWith(files: Readonly<Record<string, string>>, git: boolean) {
  if (git) {
    const repository = createRepository();
    repository.write({ ...files });
    repository.commit('begin');
    return repository.directory;
  }
  const directory = temporaryFolder('no-git');
  writeFiles(directory, { ...files });
  return directory;
}

function send(
  url: URL,
  { headers, method, body }: { headers: Record<string, string>; method: string; body: string },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      const { statusCode: status = 0, headers: received } = response;
      const text = bodyOf(response).then(String);
      text.then((read) => resolve({ status, headers: received, text: read }), reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
