import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import type { SuiteResult } from '../../src/kernel/result/suite-result.ts';
import { sentKey } from '../../src/report/sections/reference-view.ts';
import type { LiveState, SavedView } from '../../src/report/sections/saved-view.ts';
import { clock } from './clock.ts';
import { beginIn, localEndpoint, type Said } from './command-line.ts';
import { bodyOf } from './loopback.ts';
import { startModelServer, vendorUrls, type ModelServer, type Script } from './models/server.ts';
import { createRepository, temporaryFolder, writeFiles } from './repository.ts';

/** What the page fetches. */
export interface Seen extends LiveState {
  view: SavedView | null;
}

/** All suites that the page shows. */
export const suitesOf = ({ view }: Pick<Seen, 'view'>): SuiteResult[] =>
  view === null ? [] : [...view.result.suites, ...(view.live?.others ?? [])];

/** The words of the first lines. */
export const topOf = ({ view }: Seen) => JSON.stringify(view?.blocks.top);

/** A running workbench with its own files, and the requests of a page. */
export interface OpenWorkbench {
  directory: string;
  url: string;
  server: ModelServer;
  edit(path: string, from: string, to: string): void;
  file(path: string): string;
  seen(): Promise<Seen>;
  /** Resolves to what the page shows once `is` holds. Checked whenever windows are notified. */
  seenWhen(is: (seen: Seen) => boolean): Promise<Seen>;
  /** Does `work` and resolves once its result is shown. */
  seenAfter(work: () => unknown): Promise<Seen>;
  /** Does what a button does; `id`: the test. */
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
  const begun = beginIn(directory, ['dev', ...args], {
    env: localEndpoint(server, env),
    testOverrides: { clock, vendorUrls: vendorUrls(server) },
  });
  const said = await Promise.race([begun.said('workbench: http'), begun.ended.then(() => '')]);
  const url = /http:\S+/.exec(said)?.[0];
  if (url === undefined) throw new Error(`it did not open: ${(await begun.ended).err}`);
  const asked: OpenWorkbench['asked'] = (path, headers = {}, method = 'GET') =>
    send(new URL(path, url), {
      headers,
      method,
      body: method === 'POST' ? '{"kind":"raise"}' : '',
    });
  const seen = () => seenAt(url, () => true);
  const testOf = async (id: string) => {
    const suite = suitesOf(await seen()).find(({ references }) =>
      references.some((reference) => reference.id === id),
    );
    if (suite === undefined) throw new Error(`there is no test ${id}`);
    return sentKey(suite, id);
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
    seen,
    seenWhen: (is) => seenAt(url, is),
    seenAfter: (work) =>
      seenAt(url, ({ note, isOld }) => note === 'up to date' && !isOld, { work, passed: 1 }),
    async act(action, id) {
      const { host, origin } = new URL(url);
      const of = id === undefined ? {} : { test: await testOf(id), side: 'head' };
      const { text } = await send(new URL('act', url), {
        headers: { 'content-type': 'application/json', origin, host },
        method: 'POST',
        body: JSON.stringify({ ...of, ...action }),
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
 * What the page at an address shows, once it is as wanted. Checked whenever windows are notified.
 *
 * @param passed the number of notifications to wait for first, counted since `work`
 */
export async function seenAt(
  url: string,
  is: (seen: Seen) => boolean,
  { work = () => undefined, passed = 0 }: { work?: () => unknown; passed?: number } = {},
): Promise<Seen> {
  const events = await fetch(new URL('events', url));
  const reader = events.body?.getReader();
  try {
    await reader?.read();
    await work();
    for (let heard = 0; ; heard += 1) {
      const answer = await fetch(new URL('view', url));
      const { state, view } = (await answer.json()) as { state: LiveState; view: Seen['view'] };
      const seen = { ...state, view };
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
