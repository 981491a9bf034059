import { lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { git, runGit, type GitPlace } from './command.ts';
import type { Checkout } from './discover.ts';
import { isObjectId } from './objects.ts';

/** By full name: an object's id, or `ref: ` and the ref that it stands for, as a remote's HEAD. */
type Refs = ReadonlyMap<string, string>;

/**
 * Gives a store the checkout's refs and HEAD.
 *
 * @param asking the checkout, where git has to be asked
 * @returns the commit of HEAD; null without one
 */
export async function copyRefs(
  { commonDir }: Checkout,
  asking: GitPlace,
  store: string,
): Promise<string | null> {
  const [head, refs] = await Promise.all([
    headOf(asking),
    inFiles(commonDir).then((found) => found ?? inGit(asking)),
  ]);
  const packed = [...refs]
    .filter(([, text]) => isObjectId(text))
    .map(([name, id]) => ({ name: Buffer.from(name), line: `${id} ${name}\n` }))
    .sort((one, other) => Buffer.compare(one.name, other.name));
  await writeFile(
    join(store, 'packed-refs'),
    `# pack-refs with: sorted\n${packed.map(({ line }) => line).join('')}`,
  );
  for (const [name, text] of refs) {
    // One that stands for nothing is as good as none.
    if (!refs.has(targetOf(text) ?? '')) continue;
    const file = join(store, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${text}\n`);
  }
  if (head === null) return null;
  await writeFile(join(store, 'HEAD'), head);
  return idOf(refs, head.toString().trimEnd());
}

function targetOf(text: string): string | null {
  return text.startsWith('ref: ') ? text.slice('ref: '.length) : null;
}

/** The id of what stands for another, for another, and so on, as often as git goes along. */
function idOf(refs: Refs, text: string | undefined, steps = 5): string | null {
  if (text === undefined || steps === 0) return null;
  const target = targetOf(text);
  return target === null ? text : idOf(refs, refs.get(target), steps - 1);
}

/** No name may lead out of the store. */
function isRefName(name: string): boolean {
  return /^refs\/(?!.*\.\.)[^\s\ufffd]+$/.test(name);
}

/**
 * Refs as git keeps them in files, one each or many in one; null where any is of another form, or
 * git keeps them in another way.
 */
async function inFiles(commonDir: string): Promise<Refs | null> {
  if (await isThere(join(commonDir, 'reftable'))) return null;
  // One that git packs meanwhile is found in its own file, or else among the many.
  const own = await ownRefs(commonDir);
  const many = await plainText(join(commonDir, 'packed-refs'));
  if (own === null || many === null) return null;
  const refs = new Map<string, string>();
  for (const line of many.split('\n')) {
    const [id = '', name = ''] = line.split(' ');
    if (isObjectId(id) && isRefName(name)) refs.set(name, id);
  }
  for (const [name, text] of own) refs.set(name, text);
  return refs;
}

/** Refs that have a file of their own; null where one cannot be read as git writes it. */
async function ownRefs(commonDir: string): Promise<[name: string, text: string][] | null> {
  const folder = join(commonDir, 'refs');
  const listed = readdir(folder, { recursive: true, withFileTypes: true });
  const entries = await listed.catch(() => null);
  if (entries === null) return null;
  const refs: [name: string, text: string][] = [];
  for (const entry of entries) {
    if (entry.isDirectory()) continue;
    const file = join(entry.parentPath, entry.name);
    const name = relative(commonDir, file).split(sep).join('/');
    const text = (await plainText(file))?.replace(/\n$/, '') ?? '';
    const isSound = isObjectId(text) || isRefName(targetOf(text) ?? '');
    if (!isSound || !isRefName(name)) return null;
    refs.push([name, text]);
  }
  return refs;
}

/** Of a regular file; '' where there is none, null for anything else. */
async function plainText(path: string): Promise<string | null> {
  if (!(await isThere(path))) return '';
  return (await lstat(path)).isFile() ? readFile(path, 'utf8') : null;
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}

async function inGit(asking: GitPlace): Promise<Refs> {
  const listing = await git(asking, [
    'for-each-ref',
    '--format=%(objectname) %(refname) %(symref)',
  ]);
  const refs = new Map<string, string>();
  for (const row of listing.toString('utf8').split('\n')) {
    const [id = '', name = '', target = ''] = row.split(' ');
    if (isRefName(name)) refs.set(name, target === '' ? id : `ref: ${target}`);
  }
  return refs;
}

/** A branch of an ordinary name, or a commit. */
const HEAD_LINE = /^(?:ref: refs\/heads\/(?:[\w-]+\/)*[\w-]+|[0-9a-f]{40}|[0-9a-f]{64})\n$/;

/**
 * What HEAD is, as the line of a file: a branch, or a commit; null for neither. Its own file says
 * so, unless it is a link, or of another form.
 */
async function headOf(asking: GitPlace): Promise<string | Buffer | null> {
  const file = join(asking.gitDir, 'HEAD');
  const line = (await lstat(file)).isFile() ? await readFile(file) : Buffer.of();
  if (HEAD_LINE.test(line.toString('latin1'))) return line;
  const [branch, commit] = await Promise.all([
    runGit(asking, ['symbolic-ref', '--quiet', 'HEAD']),
    runGit(asking, ['rev-parse', '--verify', '--quiet', 'HEAD']),
  ]);
  if (branch.code === 0) return `ref: ${branch.output.toString('utf8')}`;
  return commit.code === 0 ? commit.output : null;
}
