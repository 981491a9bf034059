import { once } from 'node:events';
import { fstatSync, statSync, watch, type FSWatcher } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, normalize } from 'node:path';
import { discoverCheckout } from '../../edges/git/discover.ts';
import type { Problem } from '../../types/plain.ts';

/** Editors write a file in several steps, which count as one change. */
const SETTLING_MS = 40;

interface Watched {
  root: string;
  written?: readonly string[];
  refs?: readonly WatchedRefs[];
  until?: AbortSignal | undefined;
  failed?: AbortSignal;
}

/** If `names` is null, all entries of the folder are watched. */
interface WatchedRefs {
  folder: string;
  names: ReadonlySet<string> | null;
}

export async function refsOf(root: string, base = 'main'): Promise<WatchedRefs[]> {
  const { checkout } = await discoverCheckout(root);
  if (checkout === null) return [];
  const { gitDir, commonDir } = checkout;
  const heads = join(commonDir, 'refs', 'heads');
  const remotes = join(commonDir, 'refs', 'remotes');
  const [above, name] = [dirname(base), new Set([basename(base)])];
  const nested = above === '.' ? [] : [join(heads, above), join(remotes, above)];
  return [
    { folder: gitDir, names: new Set(['HEAD', 'packed-refs']) },
    { folder: join(gitDir, 'logs'), names: new Set(['HEAD']) },
    ...(commonDir === gitDir ? [] : [{ folder: commonDir, names: new Set(['packed-refs']) }]),
    { folder: heads, names: new Set(['main', 'master', ...name]) },
    { folder: join(remotes, 'origin'), names: null },
    ...nested.map((folder) => ({ folder, names: name })),
  ];
}

export interface EditEvents {
  edited: AbortSignal;
  follow(files: readonly string[]): void;
}

/** Calls `work` now, and again after each change to a file that `work` returned. */
export async function afterEachEdit(
  { root, written, refs = [], until, failed }: Watched,
  work: (news: EditEvents) => Promise<{ files: readonly string[]; over: boolean }>,
): Promise<void> {
  const watch = watchFiles(root, written, refs);
  const stop = watch.end;
  const failure = new AbortController();
  const ends = AbortSignal.any(
    [until, failed, failure.signal].filter((signal) => signal !== undefined),
  );
  ends.addEventListener('abort', stop);
  if (ends.aborted) stop();
  if (until === undefined) process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    let begun: number | null = Date.now();
    let since = begun;
    const follow = async (files: readonly string[]): Promise<void> => {
      const folders = watch.follow(files);
      const isFirst = begun !== null;
      if (isFirst && files.length === 0) return;
      begun = null;
      if (await isChangedSince(root, isFirst ? files : folders, since)) watch.tell();
    };
    for (;;) {
      since = Date.now();
      const { files, over } = await work({
        edited: watch.edited(),
        follow(known) {
          follow(known).catch((error: unknown) => {
            failure.abort(error);
          });
        },
      });
      await follow(files);
      const ended = over || !(await watch.next());
      failure.signal.throwIfAborted();
      if (ended) return;
    }
  } finally {
    stop();
    ends.removeEventListener('abort', stop);
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

/** Includes files that do not exist, so that creating one starts another run. */
export function filesNamed(problems: readonly Problem[]): string[] {
  return problems.flatMap(({ place, message }) => [
    ...(place === null ? [] : [place.file]),
    ...(message.match(/[^\s"'`,;:()]+/g) ?? []).filter((word) => /[^.][./][^.]/.test(word)),
  ]);
}

async function isChangedSince(
  root: string,
  files: readonly string[],
  since: number,
): Promise<boolean> {
  const found = await Promise.all(
    files
      .map((file) => join(root, file))
      .filter((path) => !isOwnOutput(path))
      .map((path) => stat(path).catch(() => ({ mtimeMs: since }))),
  );
  return found.some(({ mtimeMs }) => mtimeMs >= since);
}

interface FileWatch {
  /** Returns the folders that are newly watched. */
  follow(files: Iterable<string>): string[];
  /** Resolves to false after `end`. */
  next(): Promise<boolean>;
  edited(): AbortSignal;
  tell(): void;
  end(): void;
}

function inodeOf(folder: string): number | null {
  try {
    return statSync(folder).ino;
  } catch {
    return null;
  }
}

/** Without this check, a run that writes to its own output would start the next run, forever. */
export function isOwnOutput(
  path: string,
  outputs: readonly number[] = [process.stdout.fd, process.stderr.fd],
): boolean {
  try {
    const { dev, ino } = statSync(path);
    return outputs.some((fd) => {
      const own = fstatSync(fd);
      return own.isFile() && own.dev === dev && own.ino === ino;
    });
  } catch {
    return false;
  }
}

function foldersOf(root: string, files: Iterable<string>): Set<string> {
  const nearest = (folder: string): string =>
    folder === '.' || inodeOf(join(root, folder)) !== null ? folder : nearest(dirname(folder));
  const named = new Set([...files].map((file) => dirname(file)));
  const below = [...named].filter(
    (folder) => !isAbsolute(folder) && !normalize(folder).startsWith('..'),
  );
  return new Set(['.', ...below.map(nearest)]);
}

function watchFolder(
  folder: string,
  changed: (path: string, name: string | null) => void,
  lost: () => void = () => undefined,
): FSWatcher[] {
  try {
    const watcher = watch(folder, (_, name) => {
      changed(join(folder, name ?? ''), name);
    });
    watcher.on('error', () => {
      watcher.close();
      lost();
    });
    return [watcher];
  } catch {
    return [];
  }
}

/** Watches folders, because editors replace files. */
function watchFiles(
  root: string,
  written: readonly string[] = [],
  refs: readonly WatchedRefs[] = [],
): FileWatch {
  const watched = new Map<string, { watcher: FSWatcher; inode: number }>();
  let ended = false;
  let timer: NodeJS.Timeout | undefined;
  let edit = new AbortController();
  const tell = (): void => edit.abort();
  const changed = (path: string): void => {
    if (ended || written.some((own) => path.startsWith(own)) || isOwnOutput(path)) return;
    clearTimeout(timer);
    timer = setTimeout(tell, SETTLING_MS);
  };
  const besides = refs.flatMap(({ folder, names }) =>
    watchFolder(folder, (path, name) => {
      if (name === null || (names?.has(name) ?? !name.endsWith('.lock'))) changed(path);
    }),
  );
  const add = (folder: string): void => {
    const place = join(root, folder);
    const lost = (): void => {
      watched.delete(folder);
      changed(place);
    };
    for (const watcher of watchFolder(place, changed, lost))
      watched.set(folder, { watcher, inode: inodeOf(place) ?? 0 });
  };
  return {
    follow(files) {
      for (const [folder, { watcher, inode }] of watched) {
        if (inodeOf(join(root, folder)) === inode) continue;
        watcher.close();
        watched.delete(folder);
      }
      const fresh = [...foldersOf(root, files)].filter((folder) => !watched.has(folder));
      for (const folder of fresh) add(folder);
      return fresh;
    },
    async next() {
      if (!edit.signal.aborted) await once(edit.signal, 'abort');
      if (!ended) edit = new AbortController();
      return !ended;
    },
    edited: () => edit.signal,
    tell,
    end() {
      ended = true;
      clearTimeout(timer);
      for (const { watcher } of watched.values()) watcher.close();
      for (const watcher of besides) watcher.close();
      tell();
    },
  };
}
