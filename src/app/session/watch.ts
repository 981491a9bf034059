import { fstatSync, statSync, watch, type FSWatcher } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, normalize } from 'node:path';
import { discoverCheckout } from '../../edges/git/discover.ts';
import type { Problem } from '../../types/plain.ts';

/** Editors write a file in several steps; what comes within so many milliseconds is one change. */
const SETTLING_MS = 40;

/** Where one looks, and for how long. */
interface Watched {
  root: string;
  /** Absolute paths that the run itself writes, or how theirs begin: no news. */
  written?: readonly string[];
  /** Where git keeps what the files are compared with. */
  refs?: readonly WatchedRefs[];
  /** Ends it; absent: a signal does. */
  until?: AbortSignal | undefined;
  /** Ends it too: the work failed where nobody waited for it. */
  failed?: AbortSignal;
}

/** A folder of git's, and which of its entries say that base is another; null: all of them. */
interface WatchedRefs {
  folder: string;
  names: ReadonlySet<string> | null;
}

/**
 * What moves when the commit is another that `base`, or the default branch, and HEAD lead to;
 * nothing outside of a repository.
 */
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

/** Looks at a folder of git's, if it is there. */
function watchRefs({ folder, names }: WatchedRefs, changed: (path: string) => void): FSWatcher[] {
  try {
    const watcher = watch(folder, (_, name) => {
      if (name === null || (names === null ? !name.endsWith('.lock') : names.has(name)))
        changed(join(folder, name ?? ''));
    });
    watcher.on('error', () => {
      watcher.close();
    });
    return [watcher];
  } catch {
    return [];
  }
}

/** What the work learns of the files while it goes on. */
export interface News {
  /** Fires at the next edit, and when all is ended: what is looked at is then old. */
  edited: AbortSignal;
  /** Looks at these files from now on, not only when the work is done. */
  follow(files: readonly string[]): void;
}

/**
 * Works now, and again after each change of the files that the work named, an edit during the first
 * of it included. Resolves when it is ended, or the work is over; rejects where a file's folder
 * cannot be looked at.
 */
export async function afterEachEdit(
  { root, written, refs = [], until, failed }: Watched,
  work: (news: News) => Promise<{ files: readonly string[]; over: boolean }>,
): Promise<void> {
  const watch = watchFiles(root, written);
  const besides = refs.flatMap((ref) => watchRefs(ref, watch.changed));
  const stop = (): void => {
    watch.end();
  };
  // The work does not await what it follows: an error there ends the watching through this.
  const failure = new AbortController();
  const ends = [until, failed, failure.signal].filter((signal) => signal !== undefined);
  for (const signal of ends) signal.addEventListener('abort', stop);
  if (ends.some(({ aborted }) => aborted)) stop();
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
      const ended = over || (await watch.next()) === null;
      failure.signal.throwIfAborted();
      if (ended) return;
    }
  } finally {
    watch.end();
    for (const watcher of besides) watcher.close();
    for (const signal of ends) signal.removeEventListener('abort', stop);
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

/**
 * Files that problems name, and what else of their words may be one: where a missing file is made,
 * the next look finds it.
 */
export function filesNamed(problems: readonly Problem[]): string[] {
  return problems.flatMap(({ place, message }) => [
    ...(place === null ? [] : [place.file]),
    ...(message.match(/[^\s"'`,;:()]+/g) ?? []).filter((word) => /[^.][./][^.]/.test(word)),
  ]);
}

/**
 * Whether one of these was written since, but by this program's words: what was edited before its
 * folder was watched.
 *
 * @param since milliseconds since 1970
 */
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

/** What looks for changes of a project's files. */
interface FileWatch {
  /**
   * Looks at the folders of these files, which are relative to the root, besides those that are
   * followed already; of one that is not there, at the nearest above it. Those that are new.
   */
  follow(files: Iterable<string>): string[];
  /** Something at this path was: what comes shortly after is one change with it. */
  changed(path: string): void;
  /** Resolves at the next change, or at one since it resolved last; null once it was ended. */
  next(): Promise<'changed' | null>;
  /** Fires where `next` would resolve. */
  edited(): AbortSignal;
  /** There was a change. */
  tell(): void;
  end(): void;
}

/** Tells a folder from another in its place; null: none can be seen, or its name is none. */
function inodeOf(folder: string): number | null {
  try {
    return statSync(folder).ino;
  } catch {
    return null;
  }
}

/** Whether what this program says goes into that file: each run would be news for the next. */
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

/** The folders of these files below the root, each the nearest that is there. */
function foldersOf(root: string, files: Iterable<string>): Set<string> {
  const nearest = (folder: string): string =>
    folder === '.' || inodeOf(join(root, folder)) !== null ? folder : nearest(dirname(folder));
  const named = new Set([...files].map((file) => dirname(file)));
  const below = [...named].filter(
    (folder) => !isAbsolute(folder) && !normalize(folder).startsWith('..'),
  );
  return new Set(['.', ...below.map(nearest)]);
}

/**
 * Watches folders rather than files, because editors replace files. Only folders that hold files of
 * the project are watched, so what git ignores costs nothing.
 *
 * @param written absolute paths that the run itself writes, or how theirs begin: no news
 */
function watchFiles(root: string, written: readonly string[] = []): FileWatch {
  const watched = new Map<string, { watcher: FSWatcher; inode: number }>();
  let ended = false;
  let timer: NodeJS.Timeout | undefined;
  let wake: (() => void) | null = null;
  let edit = new AbortController();
  const tell = (): void => {
    edit.abort();
    wake?.();
  };
  const changed = (path: string): void => {
    if (ended || written.some((own) => path.startsWith(own)) || isOwnOutput(path)) return;
    clearTimeout(timer);
    timer = setTimeout(tell, SETTLING_MS);
  };
  const add = (folder: string): void => {
    try {
      const place = join(root, folder);
      const watcher = watch(place, (_, name) => {
        changed(join(place, name ?? ''));
      });
      watcher.on('error', () => {
        watched.delete(folder);
        watcher.close();
        changed(place);
      });
      watched.set(folder, { watcher, inode: inodeOf(place) ?? 0 });
    } catch {
      // A folder that is gone again is no longer the project's.
    }
  };
  return {
    follow(files) {
      // A folder whose files are all gone may get others; one that was replaced is another.
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
      while (!edit.signal.aborted)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      if (!ended) edit = new AbortController();
      return ended ? null : 'changed';
    },
    edited: () => edit.signal,
    tell,
    changed,
    end() {
      ended = true;
      clearTimeout(timer);
      for (const { watcher } of watched.values()) watcher.close();
      tell();
    },
  };
}
