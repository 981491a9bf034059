import { constants } from 'node:fs';
import { access, mkdir, mkdtemp, open, readFile, realpath, rename, rm } from 'node:fs/promises';
import { delimiter, dirname, join, sep } from 'node:path';
import { parseMap } from '../../../types/plain.ts';
import type { AgentRow } from './agent-row.ts';
import { textIn } from './fields.ts';

interface FoundCli {
  /** Program and first arguments, for the row's `start`. */
  bin: readonly string[];
  version: string;
  /** Absolute; the agent must be able to read them inside the walls, at the same place. */
  folders: readonly string[];
}

interface CliTools {
  /** The project's folder, whose `node_modules/.bin` comes first. */
  project: string;
  /** Where CLIs are installed. */
  cache: string;
  env: Readonly<Record<string, string | undefined>>;
  run(command: readonly string[], env: Record<string, string>): Promise<Ran>;
  /** Prints a line for the user. */
  say(line: string): void;
}

interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Why a suite cannot use this version, with the fix. Null: it can. */
export function versionFault({ name, npm, version }: AgentRow, wanted: string): string | null {
  if (npm === null) return `${name} has no version; write only \`${name}\``;
  if (!/^\d+\.\d+\.\d+$/.test(wanted))
    return `"${wanted}" is not a version of ${name}; write three numbers, such as ${name}@${version ?? ''}`;
  if (!isOlder(wanted, npm.oldest)) return null;
  return `${name} ${wanted} is too old: evaldiff needs ${npm.oldest} or newer; write ${name}@${version ?? ''}`;
}

function isOlder(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) < 0;
}

/** The CLI in its pinned version: the project's, the one on PATH, or a copy from npm. */
export async function findCli(
  { name, npm }: AgentRow,
  wanted: string,
  tools: CliTools,
): Promise<FoundCli | { problem: string }> {
  if (npm === null) return { problem: `${name} has no CLI` };
  const copy = join(tools.cache, `${name}-${wanted}`);
  const path = (tools.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const folders = [join(tools.project, BIN), ...path, join(copy, BIN)];
  const others: string[] = [];
  for (const folder of folders) {
    const found = await readCli(join(folder, npm.bin), npm.package, tools);
    if (found?.version === wanted) return found;
    if (found !== null) others.push(`${found.version} in ${folder}`);
  }
  const why = others.length === 0 ? 'it is not installed' : `found ${others.join(', ')}`;
  tools.say(`Installing ${name} ${wanted} from npm (${why}).`);
  const failure = await installCli(copy, `${npm.package}@${wanted}`, tools);
  const found = await readCli(join(copy, BIN, npm.bin), npm.package, tools);
  if (found?.version === wanted) return found;
  return {
    problem:
      `${name} ${wanted} is missing and npm could not install it: ${failure ?? 'no such program'}. ` +
      `Install it in an earlier step: npm install --global ${npm.package}@${wanted}`,
  };
}

const BIN = join('node_modules', '.bin');

/** Null: there is no such program, or its version is unknown. */
async function readCli(file: string, name: string, tools: CliTools): Promise<FoundCli | null> {
  const program = await realpath(file).catch(() => null);
  if (program === null) return null;
  const isExecutable = await access(program, constants.X_OK).then(
    () => true,
    () => false,
  );
  const owner = await packageOf(program, name);
  const version = owner?.version ?? (isExecutable ? await askVersion(program, tools) : null);
  if (version === null) return null;
  const folder = owner === null ? dirname(program) : outermost(owner.folder);
  if (!(await isNodeScript(program))) return { bin: [program], version, folders: [folder] };
  // The runner's Node may lie outside the agent's PATH.
  const node = process.execPath;
  return { bin: [node, program], version, folders: [folder, dirname(node)] };
}

/** The package that owns a file, without running anything. */
async function packageOf(
  program: string,
  name: string,
): Promise<{ folder: string; version: string } | null> {
  for (let folder = dirname(program); folder !== dirname(folder); folder = dirname(folder)) {
    const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => '');
    const facts = parseMap(text) ?? {};
    const version = textIn(facts, 'version');
    if (facts['name'] === name && version !== null) return { folder, version };
  }
  return null;
}

/** A package's dependencies lie beside it in the outermost `node_modules`. */
function outermost(folder: string): string {
  const at = folder.indexOf(`${sep}node_modules${sep}`);
  return at === -1 ? folder : folder.slice(0, at + `${sep}node_modules`.length);
}

async function askVersion(program: string, tools: CliTools): Promise<string | null> {
  const { stdout } = await tools.run([program, '--version'], plainEnv(tools));
  return /\b\d+\.\d+\.\d+\b/.exec(stdout)?.[0] ?? null;
}

async function isNodeScript(program: string): Promise<boolean> {
  const file = await open(program);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0);
    return /^#!.*\bnode\b/.test(buffer.subarray(0, bytesRead).toString('latin1'));
  } finally {
    await file.close();
  }
}

/** Installs into a new folder and renames it, because other runs may install at the same time. */
async function installCli(copy: string, what: string, tools: CliTools): Promise<string | null> {
  await mkdir(tools.cache, { recursive: true });
  const folder = await mkdtemp(join(tools.cache, 'new-'));
  const quiet = ['--no-audit', '--no-fund', '--no-save', '--loglevel=error'];
  const command = ['npm', 'install', '--prefix', folder, ...quiet, what];
  const { code, stderr } = await tools.run(command, plainEnv(tools));
  if (code === 0) await rename(folder, copy).catch(() => {});
  await rm(folder, { recursive: true, force: true });
  return code === 0
    ? null
    : (stderr
        .trim()
        .split('\n')
        .find((line) => line !== '') ?? `exit ${code}`);
}

const KEPT = /^(?:PATH|HOME|LANG|TMPDIR|(?:https?|no)_proxy|NODE_EXTRA_CA_CERTS|npm_config_.*)$/i;

/** Scripts of packages get no key. */
function plainEnv({ env }: CliTools): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      KEPT.test(name) && value !== undefined ? [[name, value] as const] : [],
    ),
  );
}
