import { problem } from '../errors.ts';
import { byCodeUnits } from '../text/order.ts';
import {
  IMAGE_TYPES,
  MAX_FILE_BYTES,
  mediaTypeOf,
  PDF_TYPE,
  type FilePart,
} from '../types/media.ts';
import type { Notice, Place, Problem } from '../types/plain.ts';
import type { SourceTree } from '../types/repository.ts';
import type { Document, ReadResult } from './document.ts';
import { FILE_LIMITS } from './limits.ts';
import {
  compileGlob,
  folderOf,
  globProblem,
  isBelow,
  isPlainRelative,
  join,
  slashHint,
  trailOf,
} from './paths.ts';
import { readUpTo } from './read-up-to.ts';
import { readYaml } from './yaml.ts';

export interface Files {
  document(path: string, problems: Problem[]): Promise<Document | null>;
  /** Looks for `path` in the folder of the file in `from` (if there is one), then in the root. */
  data(
    path: string,
    from: Place | null,
    problems: Problem[],
  ): Promise<{ file: string; content: Uint8Array } | null>;
  /**
   * Looks for an included file in `folders`, then in the root. Returns an error message if it is
   * missing or unsuitable.
   */
  shown(
    type: FilePart['type'],
    path: string,
    folders: readonly string[],
  ): Promise<FilePart | string>;
  match(
    patterns: readonly string[],
    where: (pattern: string) => Place,
    problems: Problem[],
  ): { matches: Match[]; notices: Notice[] };
  /** Null if the path is a regular file of this commit. */
  absence(path: string): string | null;
  below(folder: string): string[];
  read: ReadonlySet<string>;
}

/** Keyed by path and git object id. Commits share entries, because an object never changes. */
export type ParsedDocuments = Map<string, Promise<ReadResult<Document>>>;

/** Removes failed reads, too, because a later read may succeed. */
export async function forgetOthers(
  documents: ParsedDocuments,
  trees: readonly SourceTree[],
): Promise<void> {
  for (const [key, pending] of [...documents]) {
    const path = key.slice(key.indexOf(' ') + 1);
    const isHeld = trees.some(({ files }) => documentKey(files.get(path)?.id, path) === key);
    const isRead = await pending.then(
      ({ ok }) => ok,
      () => false,
    );
    if (!isHeld || !isRead) documents.delete(key);
  }
}

function documentKey(id: string | undefined, path: string): string {
  return `${id ?? ''} ${path}`;
}

export function createFiles(tree: SourceTree, documents: ParsedDocuments = new Map()): Files {
  const read = new Set<string>();
  const media = new Map<string, Promise<LoadedMedia | string>>();
  const absence = (path: string) => absenceIn(tree, path);

  const load = async (path: string): Promise<ReadResult<Document>> => {
    const content = tree.files.has(path)
      ? await readUpTo(tree, path, FILE_LIMITS.yamlBytes)
      : (absence(path) ?? 'cannot be read');
    if (typeof content === 'string') return { ok: false, problems: [problem(path, content)] };
    return readYaml(path, content);
  };

  return {
    read,
    absence,
    below: (folder) => [...tree.files.keys()].filter((path) => isBelow(path, folder)).sort(),
    match: (patterns, where, problems) => matchIn(tree, patterns, where, problems),
    document: async (path, problems) => {
      const key = documentKey(tree.files.get(path)?.id ?? tree.commit, path);
      const pending = documents.get(key) ?? load(path);
      documents.set(key, pending);
      const reading = await pending;
      if (absence(path) === null) read.add(path);
      if (!reading.ok) problems.push(...reading.problems);
      return reading.ok ? reading.value : null;
    },
    data: async (path, from, problems) => {
      const found = findFile(tree, path, [folderOf(from?.file ?? '')], 'data/cases.jsonl');
      if ('message' in found) {
        problems.push(problem(from, found.message));
        return null;
      }
      read.add(found.file);
      const content = await readUpTo(tree, found.file, FILE_LIMITS.dataBytes);
      if (typeof content !== 'string') return { file: found.file, content };
      problems.push(problem(found.file, content));
      return null;
    },
    shown: async (type, path, folders) => {
      const found = findFile(tree, path, folders, 'photos/cat.png');
      if ('message' in found) return found.message;
      const pending = media.get(found.file) ?? loadMedia(tree, found.file);
      media.set(found.file, pending);
      const loaded = await pending;
      if (typeof loaded === 'string') return `${found.file} ${loaded}`;
      read.add(found.file);
      const wrong = wrongMedia(type, loaded.media_type);
      return wrong === null ? { type, path: found.file, ...loaded } : `${found.file} ${wrong}`;
    },
  };
}

type LoadedMedia = Pick<FilePart, 'media_type' | 'id' | 'bytes'>;

async function loadMedia(tree: SourceTree, file: string): Promise<LoadedMedia | string> {
  const content = await readUpTo(tree, file, MAX_FILE_BYTES);
  if (typeof content === 'string') return `${content}; show a smaller one`;
  const media_type = mediaTypeOf(content) ?? 'unknown';
  return { media_type, id: tree.files.get(file)?.id ?? '', bytes: content.length };
}

function wrongMedia(type: FilePart['type'], mediaType: string): string | null {
  if (type === 'image') {
    if (IMAGE_TYPES.some((known) => known === mediaType)) return null;
    const fix =
      mediaType === PDF_TYPE ? 'write { file: … } for a PDF' : 'convert it to one of them';
    return `is not a PNG, JPEG, GIF or WebP image; ${fix}`;
  }
  if (mediaType === PDF_TYPE) return null;
  const isImage = mediaType.startsWith('image/');
  return `is not a PDF; ${isImage ? 'write { image: … } for an image' : 'put its text into a { text: … }'}`;
}

export function withText(tree: SourceTree, file: string, text: string, id: string): SourceTree {
  const content = new TextEncoder().encode(text);
  return {
    ...tree,
    files: new Map([...tree.files, [file, { id }]]),
    read: (path, most) => (path === file ? Promise.resolve(content) : tree.read(path, most)),
  };
}

function absenceIn(tree: SourceTree, path: string): string | null {
  if (tree.files.has(path)) return null;
  for (const part of trailOf(path)) {
    const kind = tree.irregular.get(part);
    if (kind !== undefined)
      return part === path
        ? `is a ${kind}; only regular files are read`
        : `is below ${part}, a ${kind}; only regular files are read`;
  }
  return tree.commit === 'worktree'
    ? 'does not exist'
    : `does not exist at ${tree.commit.slice(0, 7)}`;
}

function findFile(
  tree: SourceTree,
  path: string,
  folders: readonly string[],
  like: string,
): { file: string } | { message: string } {
  if (!isPlainRelative(path))
    return {
      message: `${path.slice(0, 100)} must be a relative path like ${like}${slashHint(path)}`,
    };
  const candidates = [...folders, ''].map((folder) => join(folder, path));
  const file = candidates.find((each) => each !== null && tree.files.has(each));
  if (file !== undefined && file !== null) return { file };
  const [first] = candidates.filter((each) => each !== null);
  return {
    message:
      first === undefined
        ? `${path} is outside the repository`
        : `${first} ${absenceIn(tree, first) ?? ''}`,
  };
}

interface Match {
  file: string;
  root: string;
  exact: boolean;
}

function matchIn(
  tree: SourceTree,
  patterns: readonly string[],
  where: (pattern: string) => Place,
  problems: Problem[],
): ReturnType<Files['match']> {
  const matches = new Map<string, Match>();
  const notices: Notice[] = [];
  for (const pattern of patterns) {
    const message = globProblem(pattern);
    const { found, irregular, exact } = message === null ? matchOne(tree, pattern) : NO_MATCH;
    for (const each of found) matches.set(each.file, mergeMatches(matches.get(each.file), each));
    for (const [path, kind] of irregular)
      problems.push(problem(path, `is a ${kind}; only regular files are read`));
    const place = where(pattern);
    if (message !== null) problems.push(problem(place, message));
    else if (found.length + irregular.length > 0) continue;
    else if (exact)
      problems.push(problem(place, `${pattern} ${absenceIn(tree, pattern) ?? 'is not a file'}`));
    else if (place.line > 0)
      notices.push({ kind: 'unused', message: `${pattern} matches no file`, place });
  }
  return { matches: [...matches.values()].sort((a, b) => byCodeUnits(a.file, b.file)), notices };
}

function mergeMatches(earlier: Match | undefined, match: Match): Match {
  if (earlier === undefined) return match;
  return {
    file: match.file,
    root: earlier.root.length <= match.root.length ? earlier.root : match.root,
    exact: earlier.exact || match.exact,
  };
}

const NO_MATCH: ReturnType<typeof matchOne> = { found: [], irregular: [], exact: false };

function matchOne(
  tree: SourceTree,
  pattern: string,
): { found: Match[]; irregular: [string, string][]; exact: boolean } {
  const { root, exact, matches } = compileGlob(pattern);
  return {
    exact,
    found: [...tree.files.keys()]
      .filter((path) => isBelow(path, root) && matches(path))
      .map((file) => ({ file, root, exact })),
    irregular: [...tree.irregular].filter(
      ([path]) => matches(path) || path === root || isBelow(root, path),
    ),
  };
}

/** Some file systems treat paths that differ only in case or Unicode form as the same file. */
export function caseTwins(tree: SourceTree, read: ReadonlySet<string>): Notice[] {
  const folded = new Map<string, string>();
  for (const path of read) folded.set(foldPath(path), path);
  return [...tree.files.keys()].flatMap((path): Notice[] => {
    const other = folded.get(foldPath(path));
    if (other === undefined || other === path || (read.has(path) && path < other)) return [];
    const message =
      `${other} and ${path} differ only by case or Unicode form; on some systems they are the ` +
      'same file';
    return [{ kind: 'trust', message, place: { file: other, line: 0 } }];
  });
}

function foldPath(path: string): string {
  return path.normalize('NFC').toLowerCase();
}
