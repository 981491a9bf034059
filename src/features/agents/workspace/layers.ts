import { link, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { shellWord } from '../../../text/visible.ts';
import type { Mode } from './files.ts';
import { removeFolder, runTool } from './folders.ts';
import { layerLines, type OwnFolders } from './mounts.ts';
import { unshareWords, type WallKind } from './walls.ts';

export interface DiskEntry {
  /** Null if evaldiff cannot read it: a device, or a name that is too long or not UTF-8. */
  mode: Mode | null;
  size: number;
  /** Includes ctime, which programs cannot set, so equal stamps mean equal content. */
  stamp: string;
  /** The target of a link. */
  target: string;
}

/** The `upper` layer of a run contains what differs from `lower`, the template. */
export async function ownFolders(run: string, lower: string | null): Promise<OwnFolders> {
  const upper = join(run, 'upper');
  const work = join(upper, 'work');
  const home = join(upper, 'home');
  for (const path of [work, home, join(run, 'scratch'), join(run, 'root')])
    await mkdir(path, { recursive: true });
  return { work, home, ...(lower !== null && { layers: { lower, run } }) };
}

async function runAsRoot(kind: WallKind, script: string): Promise<string> {
  const [file = '', ...words] = unshareWords(kind);
  const path = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  const args = [...words, '--mount', '--', '/bin/sh', '-c', `set -e; ${path}; ${script}`];
  return (await runTool(file, args, { cwd: '/', maxBuffer: MAX_LISTED_BYTES })).stdout;
}

const inLayers = ({ lower, run }: NonNullable<OwnFolders['layers']>, isWritable: boolean): string =>
  [
    `cd ${shellWord(join(run, 'root'))}; mount -t tmpfs none .; cd "$PWD"`,
    ...layerLines({ lower, run }, isWritable),
    'cd merged/work',
  ].join('\n');

const MAX_LISTED_BYTES = 64_000_000;
const MAX_PATH_BYTES = 4000;

const FORMAT = String.raw`%M\0%s\0%i %C@\0%P\0%l\0`;
const FIELDS = 5;
const FIND = `find . -mindepth 1 -iname .git -prune -o ! -type d -printf '${FORMAT}'`;

/** Lists all files but those in `.git`, without following links. Nothing may write meanwhile. */
export async function listFiles(
  kind: WallKind,
  { work, layers }: OwnFolders,
): Promise<Map<string, DiskEntry>> {
  const enter = layers === undefined ? `cd ${shellWord(work)}` : inLayers(layers, false);
  const listed = await runAsRoot(kind, `${enter}\n${FIND}`);
  const fields = listed.split('\0');
  const found = new Map<string, DiskEntry>();
  for (let at = 0; at + FIELDS <= fields.length; at += FIELDS) {
    const [mode, size, stamp, path = '', target = ''] = fields.slice(at, at + FIELDS);
    const isReadable = !path.includes('\ufffd') && Buffer.byteLength(path) < MAX_PATH_BYTES;
    found.set(path, {
      mode: isReadable ? fileMode(mode ?? '') : null,
      size: Number(size),
      stamp: `${mode} ${size} ${stamp}`,
      target,
    });
  }
  return found;
}

/** The permissions of a file, or the type of anything else. */
function fileMode(printed: string): Mode | null {
  if (printed.startsWith('l')) return '120000';
  if (!printed.startsWith('-')) return null;
  return /^...[xs]/.test(printed) ? '100755' : '100644';
}

/** Whether this kernel can put a layer over a folder. Docker's own file systems refuse it. */
export async function canLayer(kind: WallKind, folder: string): Promise<boolean> {
  const place = await mkdtemp(join(folder, 'layers-'));
  try {
    const lower = join(place, 'lower');
    await mkdir(join(lower, 'work', 'replaced'), { recursive: true });
    for (const name of ['replaced/file', 'deleted']) await writeFile(join(lower, 'work', name), '');
    const own = await ownFolders(place, lower);
    await deleteBelow(place, [join(own.work, 'deleted')]);
    const layers = own.layers ?? { lower, run: place };
    const replace = 'rm -r replaced; mkdir replaced; test ! -e replaced/file -a ! -e deleted';
    await runAsRoot(kind, `${inLayers(layers, true)}\n${replace}`);
    return (await listFiles(kind, own)).size === 0;
  } catch {
    return false;
  } finally {
    await removeFolder(place);
  }
}

/** Makes paths of an upper layer hide those of the lower one. A device 0/0 means "deleted". */
export async function deleteBelow(run: string, paths: readonly string[]): Promise<void> {
  const mark = join(run, 'deleted');
  if (paths.length > 0) await runTool('mknod', [mark, 'c', '0', '0']);
  for (const path of paths) {
    await mkdir(dirname(path), { recursive: true });
    await link(mark, path);
  }
}

export function linkTarget({ mode, target }: Partial<DiskEntry> = {}): string | null {
  return mode === '120000' ? (target ?? '') : null;
}
