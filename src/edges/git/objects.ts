import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { setImmediate } from 'node:timers/promises';
import { InternalError } from '../../errors.ts';
import { lastLine, spawnGit, startFailure, type GitPlace } from './command.ts';

const OBJECT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Excludes names that git would interpret as revision expressions. */
const PLAIN_NAME = /^(?!.*\.\.)[\w][\w./-]*$/;

export function isObjectId(text: string): boolean {
  return OBJECT_ID.test(text);
}

export function isPlainName(name: string): boolean {
  return PLAIN_NAME.test(name);
}

export type ObjectReader = ReturnType<typeof openObjectReader>;

interface StoredObject {
  id: string;
  type: string;
  size: number;
  content: Buffer;
}

interface ObjectRequest {
  name: string;
  most: number;
  promise: Promise<StoredObject | null>;
  resolve: (object: StoredObject | null) => void;
  reject: (error: Error) => void;
}

interface CatFileSession {
  child: ChildProcessWithoutNullStreams;
  alive: boolean;
  /** git replies in the order of the requests. */
  waiting: ObjectRequest[];
  ended: Promise<void>;
}

export async function absentOf(
  ids: readonly string[],
  isHere: (id: string) => Promise<boolean>,
): Promise<string[]> {
  const absent = await Promise.all(ids.map(async (id) => ((await isHere(id)) ? [] : id)));
  return absent.flat();
}

export async function peel(
  reader: Pick<ObjectReader, 'readLocal'>,
  id: string,
): Promise<StoredObject | null> {
  const found = await reader.readLocal(id);
  if (found?.type !== 'tag') return found;
  const [, named = ''] = /^object (\S+)\n/.exec(found.content.toString('latin1')) ?? [];
  return isObjectId(named) ? peel(reader, named) : null;
}

export function openObjectReader(
  place: GitPlace,
  fetchContents: (ids: readonly string[]) => Promise<void> = () => Promise.resolve(),
) {
  let session: CatFileSession | null = null;
  let closed = false;
  const ask = (asked: string, most: number): Promise<StoredObject | null> => {
    if (closed) return Promise.reject(new InternalError('the repository is closed'));
    if (session === null || !session.alive) session = startSession(place);
    const { promise, resolve, reject } = Promise.withResolvers<StoredObject | null>();
    session.waiting.push({ name: asked, most, promise, resolve, reject });
    session.child.stdin.write(`${asked}\n`);
    return promise;
  };
  const here = (id: string, most = Infinity): Promise<StoredObject | null> =>
    isObjectId(id)
      ? ask(id, most)
      : Promise.reject(new InternalError(`not an object id: ${id.slice(0, 80)}`));
  const answered = async () => {
    await Promise.allSettled((session?.waiting ?? []).map(({ promise }) => promise));
  };
  const fetched = batchFetches(fetchContents, answered);
  const blob = async (id: string, most?: number): Promise<StoredObject | null> => {
    let found = await here(id, most);
    if (found === null) {
      await fetched(id);
      found = await here(id, most);
    }
    if (found !== null && found.type !== 'blob')
      throw new InternalError(`${id} is a ${found.type}, not a file`);
    return found;
  };
  return {
    readLocal: (id: string) => here(id),
    async commitNamed(name: string): Promise<string | null> {
      if (!isPlainName(name)) throw new InternalError(`not a plain name: ${name.slice(0, 80)}`);
      return (await ask(`${name}^{commit}`, 0))?.id ?? null;
    },
    async blob(id: string): Promise<Buffer | null> {
      return (await blob(id))?.content ?? null;
    },
    async blobUpTo(id: string, most: number): Promise<Buffer | { tooLarge: number } | null> {
      const found = await blob(id, most);
      return found !== null && found.size > most
        ? { tooLarge: found.size }
        : (found?.content ?? null);
    },
    async close(): Promise<void> {
      closed = true;
      session?.child.stdin.end();
      await session?.ended;
    },
  };
}

function batchFetches(
  fetchContents: (ids: readonly string[]) => Promise<void>,
  answered: () => Promise<void>,
): (id: string) => Promise<void> {
  let before: Promise<unknown> = Promise.resolve();
  let next: { ids: Set<string>; done: Promise<void> } | null = null;
  const start = async (ids: ReadonlySet<string>, earlier: Promise<unknown>) => {
    await earlier;
    await answered();
    await setImmediate();
    next = null;
    await fetchContents([...ids]);
  };
  return (id) => {
    if (next === null) {
      const ids = new Set<string>();
      next = { ids, done: start(ids, before) };
      before = next.done.catch(() => undefined);
    }
    next.ids.add(id);
    return next.done;
  };
}

function startSession(place: GitPlace): CatFileSession {
  const child = spawnGit(place, ['cat-file', '--batch']);
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const session: CatFileSession = { child, alive: true, waiting: [], ended };
  let complaint = '';
  const fail = (error: Error) => {
    session.alive = false;
    for (const request of session.waiting.splice(0)) request.reject(error);
  };
  const parse = answerParser(session.waiting, (message) => {
    fail(new InternalError(message));
    child.kill('SIGKILL');
  });
  child.stdout.on('data', parse);
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString('utf8')).slice(-4096);
  });
  child.stdin.on('error', () => undefined);
  child.on('error', (error) => {
    fail(startFailure(error));
    end();
  });
  child.on('close', () => {
    fail(new InternalError(`git cat-file ended: ${lastLine(complaint)}`));
    end();
  });
  return session;
}

function answerParser(
  waiting: ObjectRequest[],
  mixedUp: (message: string) => void,
): (chunk: Buffer) => void {
  let header = '';
  let body: StoredObject | null = null;
  let passed = 0;
  let broken = false;

  const begin = (line: string) => {
    const request = waiting[0];
    const [id = '', type = '', bytes] = line.split(' ');
    const isNamed = bytes !== undefined && request !== undefined && !isObjectId(request.name);
    if (request === undefined || !(isNamed ? isObjectId(id) : id === request.name)) {
      broken = true;
      mixedUp(
        `git cat-file answered for ${id.slice(0, 64)}, asked was ${request?.name ?? 'nothing'}`,
      );
    } else if (bytes === undefined) {
      waiting.shift();
      request.resolve(null);
    } else {
      const size = Number(bytes);
      body = { id, type, size, content: Buffer.allocUnsafe(size > request.most ? 0 : size) };
      passed = 0;
    }
  };

  return (chunk) => {
    for (let at = 0; at < chunk.length && !broken;) {
      if (body === null) {
        const end = chunk.indexOf(10, at);
        header += chunk.toString('latin1', at, end < 0 ? chunk.length : end);
        at = end < 0 ? chunk.length : end + 1;
        if (end < 0) return;
        const line = header;
        header = '';
        begin(line);
      } else if (passed < body.size) {
        const end = Math.min(chunk.length, at + body.size - passed);
        chunk.copy(body.content, passed, at, end);
        passed += end - at;
        at = end;
      } else {
        at += 1;
        waiting.shift()?.resolve(body);
        body = null;
      }
    }
  };
}
