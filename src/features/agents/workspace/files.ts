import { createHash } from 'node:crypto';
import { trailOf } from '../../../documents/paths.ts';
import { UserError, problem, userError } from '../../../errors.ts';
import { fileSize } from '../../../text/amounts.ts';
import type { SourceTree } from '../../../types/repository.ts';
import { placeFiles, type PlaceRules } from '../suite/rules.ts';
import { followLinks } from './links.ts';

export type Mode = '100644' | '100755' | '120000';

/** The body of a symbolic link (120000) is its target. */
export interface WorkspaceFile {
  mode: Mode;
  body: Uint8Array;
}

export type WorkspaceFiles = ReadonlyMap<string, WorkspaceFile>;

export const MAX_WORKSPACE_BYTES = 1_000_000_000;

const READS_AT_ONCE = 64;

/**
 * `attached` maps further paths in the workspace to paths of the tree.
 * @throws UserError for links that leave the workspace and conflicting paths.
 */
export async function readWorkspaceFiles(
  tree: SourceTree | null,
  rules: PlaceRules,
  attached: Readonly<Record<string, string>> = {},
): Promise<WorkspaceFiles> {
  if (tree === null) throw userError(null, 'the commit is missing');
  const links = [...tree.irregular].flatMap(([path, kind]) =>
    kind === 'symbolic link' ? path : [],
  );
  const paths = [...tree.files.keys(), ...links].filter(isOutsideGit);
  const placed = [...new Map([...placeFiles(paths, rules), ...Object.entries(attached)])];
  const files = new Map<string, WorkspaceFile>();
  let bytes = 0;
  for (let at = 0; at < placed.length; at += READS_AT_ONCE) {
    const some = placed.slice(at, at + READS_AT_ONCE);
    const read = some.map(async ([path, source]) => [path, await readOne(tree, source)] as const);
    for (const [path, file] of await Promise.all(read)) {
      bytes += file.body.length;
      files.set(path, file);
    }
    if (bytes > MAX_WORKSPACE_BYTES) throw tooLarge();
  }
  const problems = placed.flatMap(([path, source]) => {
    const message = placeProblem(files, path);
    return message === null ? [] : problem(source, message);
  });
  if (problems.length > 0) throw new UserError(problems);
  return files;
}

export function tooLarge(): UserError {
  return userError(
    null,
    `The agent's workspace is larger than ${fileSize(MAX_WORKSPACE_BYTES)}. Choose a smaller ` +
      'folder with `from`, leave files out with `hide`, or install less in `setup`.',
  );
}

/** Covers spellings that git refuses, because some file systems read them as `.git`. */
export const isOutsideGit = (path: string): boolean =>
  !path
    .split('/')
    .some((name) => /^(?:\.git|git~1)[ .]*(?::|$)/i.test(name.replace(/\p{Cf}/gu, '')));

async function readOne(tree: SourceTree, path: string): Promise<WorkspaceFile> {
  const entry = tree.files.get(path);
  if (entry === undefined)
    return { mode: '120000', body: Buffer.from((await tree.readLink?.(path)) ?? '') };
  const body = await tree.read(path, MAX_WORKSPACE_BYTES);
  return { mode: entry.executable === true ? '100755' : '100644', body };
}

export function staysInside(path: string, linkAt: (path: string) => string | null): boolean {
  const reached = followLinks(path, linkAt);
  return reached !== null && isOutsideGit(reached);
}

function placeProblem(files: WorkspaceFiles, path: string): string | null {
  const file = files.get(path);
  const linkAt = (at: string) => {
    const { mode, body } = files.get(at) ?? {};
    return mode === '120000' ? Buffer.from(body ?? '').toString() : null;
  };
  if (file?.mode === '120000' && !staysInside(path, linkAt))
    return (
      'is a symbolic link that leaves the workspace. Make it relative and point it to a file in ' +
      'the workspace, or leave it out with `hide`.'
    );
  const above = trailOf(path).slice(0, -1);
  const blocking = above.find((step) => files.has(step));
  return blocking === undefined
    ? null
    : `would be below ${blocking}, which is a file or a link of the workspace. Change \`from\` ` +
        'or `with`.';
}

export function digestFiles(files: WorkspaceFiles): string {
  const lines = [...files].map(([path, { mode, body }]) =>
    JSON.stringify([path, mode, createHash('sha256').update(body).digest('hex')]),
  );
  return createHash('sha256').update(lines.sort().join('\n')).digest('hex');
}
