import { copyFile, mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InternalError, userError } from '../../errors.ts';
import {
  git,
  gitEnvironment,
  gitLine,
  gitLines,
  hasCode,
  inTurns,
  isolatedEnvironment,
  lastLine,
  runGit,
  splitNul,
  type GitPlace,
} from './command.ts';
import type { Checkout } from './discover.ts';
import { REMOTE_SETTINGS, configuredAddress, type RemoteAddress } from './remote.ts';

export interface GitStore {
  place: GitPlace;
  head: string | null;
  remote: RemoteAddress;
  fileSettings: readonly string[];
  remove(): Promise<void>;
}

/** Copies only harmless git settings from the checkout. */
export async function openGitStore(
  checkout: Checkout | null,
  environment: NodeJS.ProcessEnv,
  temporaryFolder: string,
): Promise<GitStore> {
  const folder = await mkdtemp(join(temporaryFolder, 'evaldiff-git-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const place = { gitDir: join(folder, 'store.git'), directory: folder, settings: [] };
  const own: GitPlace = { ...place, environment: isolatedEnvironment(gitEnvironment(environment)) };
  try {
    await mkdir(join(place.gitDir, 'objects', 'info'), { recursive: true });
    await mkdir(join(place.gitDir, 'refs'));
    await writeFile(join(place.gitDir, 'HEAD'), 'ref: refs/heads/none\n');
    await writeFile(join(place.gitDir, 'config'), CONFIG);
    const gitDir = checkout?.gitDir ?? place.gitDir;
    const asking: GitPlace = { ...place, gitDir, environment: gitEnvironment(environment) };
    await rejectOldGit(own);
    const [settings, head] = await Promise.all([
      configuration(asking),
      checkout === null ? null : linkObjects(checkout, asking, place.gitDir),
    ]);
    if (settings.some(({ key, value }) => key === 'extensions.objectformat' && value === 'sha256'))
      await writeFile(join(place.gitDir, 'config'), CONFIG_SHA256);
    return {
      place: own,
      head,
      remote: await remoteOf(checkout, settings),
      fileSettings: settings.flatMap(({ key, value }) =>
        FILE_SETTINGS.test(key) ? [value === null ? key : `${key}=${value}`] : [],
      ),
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** The oldest git that reads commands from stdin and knows `--end-of-options`. */
const OLDEST_GIT = [2, 31] as const;

async function rejectOldGit(own: GitPlace): Promise<void> {
  const { output } = await runGit(own, ['version']);
  const [, version = '', major = 0, minor = 0] =
    /^git version ((\d+)\.(\d+)\S*)/.exec(output.toString('utf8')) ?? [];
  const newer = Number(major) - OLDEST_GIT[0] || Number(minor) - OLDEST_GIT[1];
  if (version === '' || newer >= 0) return;
  throw userError(null, `This is git ${version}. Install git ${OLDEST_GIT.join('.')} or newer.`);
}

const CONFIG = '[core]\n\trepositoryformatversion = 0\n\tbare = true\n';

const CONFIG_SHA256 =
  '[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n';

const FILE_SETTINGS =
  /^core\.(?:autocrlf|eol|filemode|symlinks|ignorecase|precomposeunicode|longpaths|trustctime|checkstat|attributesfile|excludesfile|protecthfs|protectntfs)$/;

/** Ignores the remote of another user's repository, because credentials would be sent there. */
async function remoteOf(
  checkout: Checkout | null,
  settings: readonly GitSetting[],
): Promise<RemoteAddress> {
  const none = { url: '', settings: [], advice: '' };
  const own = settings.flatMap(({ scope, key, value }) =>
    REMOTE_SETTINGS.test(key) && value !== null && (scope === 'local' || scope === 'worktree')
      ? [[key, value] as const]
      : [],
  );
  const address = checkout === null ? null : configuredAddress(own, checkout.root);
  if (checkout === null || address === null)
    return { ...none, missing: 'this repository has no remote' };
  const { commonDir } = checkout;
  if (ownUsers().includes((await stat(commonDir)).uid)) return address;
  const why = 'belongs to another user, so its remote is not used; run "git fetch" there';
  return { ...none, missing: `${commonDir} ${why}` };
}

function ownUsers(): number[] {
  const own = process.getuid?.();
  const behindSudo = Number(process.env['SUDO_UID'] ?? NaN);
  return own === undefined ? [0] : own === 0 ? [own, behindSudo] : [own];
}

interface GitSetting {
  scope: string;
  key: string;
  value: string | null;
}

async function configuration(asking: GitPlace): Promise<GitSetting[]> {
  const command = ['config', '-z', '--show-scope', '--list'];
  const { code, output, stderr } = await runGit(asking, command);
  if (code !== 0)
    throw userError(
      null,
      `The git repository at ${dirname(asking.gitDir)} cannot be read: ${lastLine(stderr)}.`,
    );
  const settings: GitSetting[] = [];
  const parts = splitNul(output).values();
  for (const scope of parts) {
    const [key = '', ...lines] = String(parts.next().value ?? '').split('\n');
    const value = lines.length === 0 ? null : lines.join('\n');
    settings.push({ scope: String(scope), key, value });
  }
  return settings;
}

async function linkObjects(
  checkout: Checkout,
  asking: GitPlace,
  store: string,
): Promise<string | null> {
  const objects = join(checkout.commonDir, 'objects');
  await writeFile(join(store, 'objects', 'info', 'alternates'), `${quotedPath(objects)}\n`);
  await copyIfThere(join(checkout.commonDir, 'shallow'), join(store, 'shallow'));
  return copyRefs(asking, store);
}

async function copyRefs(asking: GitPlace, store: string): Promise<string | null> {
  const [head, refs] = await Promise.all([
    readHead(asking),
    gitLines(asking, ['for-each-ref', '--format=%(objectname) %(refname) %(symref)']),
  ]);
  const rows = refs.flatMap((row) => {
    const [id = '', name = '', target = ''] = row.split(' ');
    return /^refs\/(?!.*\.\.)/.test(name) ? [{ id, name, target }] : [];
  });
  const packed = rows.filter(({ target }) => target === '');
  await writeFile(
    join(store, 'packed-refs'),
    `# pack-refs with: sorted\n${packed.map(({ id, name }) => `${id} ${name}\n`).join('')}`,
  );
  for (const { name, target } of rows.filter((row) => row.target !== '')) {
    const file = join(store, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `ref: ${target}\n`);
  }
  if (head === null) return null;
  await writeFile(join(store, 'HEAD'), head);
  const [, branch, id = null] = /^(?:ref: (\S+)|(\S+))\n$/.exec(head) ?? [];
  return branch === undefined ? id : (rows.find(({ name }) => name === branch)?.id ?? null);
}

async function readHead(asking: GitPlace): Promise<string | null> {
  const [branch, commit] = await Promise.all([
    runGit(asking, ['symbolic-ref', '--quiet', 'HEAD']),
    runGit(asking, ['rev-parse', '--verify', '--quiet', 'HEAD']),
  ]);
  if (branch.code === 0) return `ref: ${branch.output.toString('utf8')}`;
  return commit.code === 0 ? commit.output.toString('utf8') : null;
}

async function copyIfThere(from: string, to: string): Promise<boolean> {
  try {
    if (!(await stat(from)).isFile()) return false;
    await copyFile(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

function quotedPath(path: string): string {
  if (!/^["#]|\n/.test(path)) return path;
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}

export function openSnapshots(
  store: GitStore,
  root: string,
  checkout: Checkout | null,
): (prefix: string) => Promise<string> {
  const place: GitPlace = {
    ...store.place,
    settings: [
      ...store.fileSettings,
      'core.safecrlf=false',
      'core.looseCompression=0',
      'core.bare=false',
    ],
    environment: { ...store.place.environment, GIT_WORK_TREE: root },
  };
  const snapshot = async (prefix: string): Promise<string> => {
    if (checkout !== null) {
      await mkdir(join(place.gitDir, 'info'), { recursive: true });
      for (const rules of ['info/exclude', 'info/attributes'])
        await copyIfThere(join(checkout.commonDir, rules), join(place.gitDir, rules));
      await copyIndex(join(checkout.gitDir, 'index'), place.gitDir);
    }
    await addFiles(place, prefix);
    return writeTree(place);
  };
  const inTurn = inTurns();
  return (prefix) => inTurn(() => snapshot(prefix));
}

/**
 * Copies the checkout's index. With it, git skips unchanged files and includes tracked files that
 * `.gitignore` matches.
 */
async function copyIndex(index: string, store: string): Promise<void> {
  const copy = join(store, 'index');
  await rm(copy, { force: true });
  if (!(await copyIfThere(index, copy))) return;
  // git trusts a file's time only if the file is older than the index. A newer index could hide a
  // change.
  const { mtimeMs } = await stat(index);
  await utimes(copy, Math.floor(mtimeMs / 1000), Math.floor(mtimeMs / 1000));
  for (const name of await readdir(dirname(index))) {
    if (name.startsWith('sharedindex.'))
      await copyFile(join(dirname(index), name), join(store, name));
  }
}

/** An unreadable file, or one that is not in the encoding of `.gitattributes`. */
const UNREADABLE =
  /^(?:fatal|error): (?:unable to index file|open\(|failed to encode|BOM is |.*working-tree-encoding).*$/m;

async function addFiles(place: GitPlace, prefix: string): Promise<void> {
  const added = await runGit(place, [
    'add',
    '--all',
    '--ignore-errors',
    '--',
    prefix === '' ? '.' : prefix,
  ]);
  const unreadable = UNREADABLE.exec(added.stderr);
  if (unreadable !== null)
    throw userError(
      null,
      `A file of the working tree could not be read: ${lastLine(unreadable[0])}. Make it ` +
        'readable in the encoding that .gitattributes gives it, or ignore it with .gitignore.',
    );
  const nothingThere =
    prefix !== '' && /did not match any file|beyond a symbolic link/.test(added.stderr);
  const nested = /does not have a commit checked out/.test(added.stderr);
  if (added.code !== 0 && !nothingThere && !nested)
    throw new InternalError(`git add failed: ${lastLine(added.stderr)}`);
}

async function writeTree(place: GitPlace): Promise<string> {
  const write = ['write-tree', '--missing-ok'];
  const { code, output } = await runGit(place, write);
  if (code === 0) return output.toString('latin1').trim();
  const conflicts = await git(place, ['ls-files', '-z', '--unmerged', '--full-name']);
  const paths = splitNul(conflicts).flatMap((entry) => [
    entry.subarray(entry.indexOf(9) + 1),
    Buffer.of(0),
  ]);
  if (paths.length > 0)
    await git(place, ['update-index', '-z', '--force-remove', '--stdin'], {
      input: Buffer.concat(paths),
    });
  return gitLine(place, write);
}
