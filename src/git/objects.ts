import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { setImmediate } from 'node:timers/promises';
import { InternalError } from '../errors.ts';
import { gitArguments, lastLine, OWN_SESSION, startFailure, type GitPlace } from './command.ts';

const OBJECT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/**
 * Whether a text is a full object id (SHA-1 or SHA-256, lower case): the only names that reach
 * git's command lines.
 */
export function isObjectId(text: string): boolean {
  return OBJECT_ID.test(text);
}

/** Reads objects by id through one long-lived `git cat-file --batch`. */
export interface ObjectReader {
  /** Content of a blob; null when the object is missing. Any number of reads may run at once. */
  blob(id: string): Promise<Buffer | null>;
  /** An object of any kind as it is here; null when it is missing, which fetches nothing. */
  here(id: string): Promise<StoredObject | null>;
  /** Answers what was asked, then ends the process. Further reads are refused. */
  close(): Promise<void>;
}

interface StoredObject {
  /** `blob`, `tree`, `commit` or `tag`. */
  type: string;
  content: Buffer;
}

interface Request {
  id: string;
  promise: Promise<StoredObject | null>;
  resolve: (object: StoredObject | null) => void;
  reject: (error: Error) => void;
}

interface Session {
  child: ChildProcessWithoutNullStreams;
  alive: boolean;
  /** In the order asked, which is the order of git's answers. */
  waiting: Request[];
  ended: Promise<void>;
}

/**
 * Reads blobs of `place` through one `git cat-file` process, started at the first read and again
 * should it die.
 *
 * @param bring fetches what is missing, if it can; called with all that is asked for at that time
 */
export function openObjectReader(
  place: GitPlace,
  bring: (ids: readonly string[]) => Promise<void> = () => Promise.resolve(),
): ObjectReader {
  let session: Session | null = null;
  let closed = false;
  const here = (id: string): Promise<StoredObject | null> => {
    if (!isObjectId(id))
      return Promise.reject(new InternalError(`not an object id: ${id.slice(0, 80)}`));
    if (closed) return Promise.reject(new InternalError('the repository is closed'));
    // A process that died answers nothing more; the next read starts a new one.
    if (session === null || !session.alive) session = startSession(place);
    const { promise, resolve, reject } = Promise.withResolvers<StoredObject | null>();
    session.waiting.push({ id, promise, resolve, reject });
    session.child.stdin.write(`${id}\n`);
    return promise;
  };
  /** All that was asked so far is answered, so that what is missing of it is known. */
  const answered = async (): Promise<void> => {
    await Promise.allSettled((session?.waiting ?? []).map(({ promise }) => promise));
  };
  const brought = gather(bring, answered);
  return {
    here,
    async blob(id) {
      const found = await here(id);
      if (found !== null) return contentOf(id, found);
      await brought(id);
      const late = await here(id);
      return late === null ? null : contentOf(id, late);
    },
    async close() {
      closed = true;
      session?.child.stdin.end();
      await session?.ended;
    },
  };
}

function contentOf(id: string, { type, content }: StoredObject): Buffer {
  if (type !== 'blob') throw new InternalError(`${id} is a ${type}, not a file`);
  return content;
}

/** Joins wishes: one request for those known at a time, and the next only when that has ended. */
function gather(
  bring: (ids: readonly string[]) => Promise<void>,
  answered: () => Promise<void>,
): (id: string) => Promise<void> {
  let before: Promise<unknown> = Promise.resolve();
  let next: { ids: Set<string>; done: Promise<void> } | null = null;
  const start = async (ids: ReadonlySet<string>, earlier: Promise<unknown>): Promise<void> => {
    await earlier;
    // Those who ask at the same time are answered one after the other.
    await answered();
    await setImmediate();
    next = null;
    await bring([...ids]);
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

function startSession(place: GitPlace): Session {
  const child = spawn('git', gitArguments(place, ['cat-file', '--batch']), {
    cwd: place.directory,
    env: place.environment,
    stdio: 'pipe',
    detached: OWN_SESSION,
    windowsHide: true,
  });
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const session: Session = { child, alive: true, waiting: [], ended };
  let complaint = '';
  const fail = (error: Error): void => {
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

/** Takes git's answers apart: a header line, then as many bytes as it says, then a newline. */
function answerParser(
  waiting: Request[],
  mixedUp: (message: string) => void,
): (chunk: Buffer) => void {
  let header: Buffer = Buffer.alloc(0);
  let body: { object: StoredObject; filled: number; request: Request } | null = null;
  let broken = false;

  const begin = (line: string): void => {
    const request = waiting[0];
    const [id, type = '', size] = line.split(' ');
    if (request === undefined || id !== request.id) {
      broken = true;
      mixedUp(
        `git cat-file answered for ${id?.slice(0, 64) ?? 'nothing'}, asked was ${request?.id ?? 'nothing'}`,
      );
    } else if (size === undefined) {
      waiting.shift();
      request.resolve(null);
    } else {
      body = { object: { type, content: Buffer.allocUnsafe(Number(size)) }, filled: 0, request };
    }
  };

  return (chunk) => {
    let at = 0;
    while (at < chunk.length && !broken) {
      if (body === null) {
        const end = chunk.indexOf(10, at);
        const part = chunk.subarray(at, end < 0 ? chunk.length : end);
        header = header.length === 0 ? part : Buffer.concat([header, part]);
        if (end < 0) return;
        at = end + 1;
        const line = header.toString('latin1');
        header = Buffer.alloc(0);
        begin(line);
      } else if (body.filled < body.object.content.length) {
        const copied = chunk.copy(body.object.content, body.filled, at);
        body.filled += copied;
        at += copied;
      } else {
        at += 1;
        waiting.shift();
        body.request.resolve(body.object);
        body = null;
      }
    }
  };
}
