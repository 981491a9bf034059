import { execFile } from 'node:child_process';
import { mkdtemp, readFile, realpath, rename, rm } from 'node:fs/promises';
import { delimiter, dirname, join, sep } from 'node:path';
import { promisify } from 'node:util';
import { THIS_PLATFORM, programVariables } from '../../../edges/providers/program-child.ts';
import { makeFolders } from '../../../edges/store/make-folders.ts';
import { errorMessage } from '../../../errors.ts';
import { member, parseMap } from '../../../types/plain.ts';
import type { AgentRow } from './agent-row.ts';
import { textIn } from './fields.ts';

interface FoundCli {
  bin: readonly string[];
  version: string;
  /** Absolute folders that the agent must be able to read. */
  folders: readonly string[];
}

interface CliTools {
  project: string;
  cache: string;
  env: Readonly<Record<string, string | undefined>>;
  say(line: string): void;
}

export function versionFault({ name, npm, version }: AgentRow, wanted: string): string | null {
  if (npm === null) return `${name} has no version; write only \`${name}\``;
  const fix = `write \`agent: ${name}@${version ?? ''}\``;
  if (!/^\d+\.\d+\.\d+$/.test(wanted)) return `"${wanted}" is not a version of ${name}; ${fix}`;
  const isOld = wanted.localeCompare(npm.oldest, 'en', { numeric: true }) < 0;
  return isOld
    ? `${name} ${wanted} is too old: evaldiff needs ${npm.oldest} or newer; ${fix}`
    : null;
}

export async function findCli(
  { name, npm }: AgentRow,
  wanted: string,
  tools: CliTools,
): Promise<FoundCli | { problem: string }> {
  if (npm === null) return { problem: `${name} has no CLI` };
  const copy = join(tools.cache, `${name}-${wanted}`);
  const path = (tools.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const others: string[] = [];
  for (const folder of [join(tools.project, BIN), ...path, join(copy, BIN)]) {
    const found = await readCli(join(folder, npm.bin), npm.package, tools);
    if (found?.version === wanted) return found;
    if (found !== null) others.push(`${found.version} in ${folder}`);
  }
  const why = others.length === 0 ? 'it is not installed' : `found ${others.join(', ')}`;
  tools.say(`Installing ${name} ${wanted} from npm (${why}).`);
  const what = `${npm.package}@${wanted}`;
  const failure = await installCli(copy, what, tools);
  const found = await readCli(join(copy, BIN, npm.bin), npm.package, tools);
  if (found?.version === wanted) return found;
  return {
    problem:
      `${name} ${wanted} is missing, and npm could not install it: ${failure ?? `no ${npm.bin}`}. ` +
      `Install it in an earlier step: npm install --global ${what}`,
  };
}

const BIN = join('node_modules', '.bin');

async function readCli(file: string, name: string, tools: CliTools): Promise<FoundCli | null> {
  const program = await realpath(file).catch(() => null);
  if (program === null) return null;
  const owner = await packageOf(program, name);
  const version = owner?.version ?? (await askVersion(program, tools));
  if (version === null) return null;
  const folder = owner === null ? besideProgram(program, tools) : outermost(owner.folder);
  if (!/\.[cm]?js$/.test(program)) return { bin: [program], version, folders: [folder] };
  const node = await realpath(process.execPath);
  return { bin: [node, program], version, folders: [folder, dirname(node)] };
}

/**
 * The agent must not read the user's home. If the program's folder contains it, returns only the
 * program.
 */
function besideProgram(program: string, { env }: CliTools): string {
  const folder = dirname(program);
  return `${env['HOME'] ?? ''}/`.startsWith(`${folder}/`) ? program : folder;
}

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

function outermost(folder: string): string {
  const at = `${folder}${sep}`.indexOf(`${sep}node_modules${sep}`);
  return at === -1 ? folder : folder.slice(0, at + `${sep}node_modules`.length);
}

async function askVersion(program: string, tools: CliTools): Promise<string | null> {
  const { stdout } = await executeFile(program, ['--version'], tools, MOST_MS.version).catch(
    () => ({
      stdout: '',
    }),
  );
  return /\b\d+\.\d+\.\d+\b/.exec(stdout)?.[0] ?? null;
}

/** Installs into a temporary folder first, because other runs may install the same version. */
async function installCli(copy: string, what: string, tools: CliTools): Promise<string | null> {
  makeFolders(tools.cache);
  const folder = await mkdtemp(join(tools.cache, 'new-'));
  const quiet = ['--no-audit', '--no-fund', '--no-save', '--loglevel=error'];
  try {
    await executeFile(
      'npm',
      ['install', '--prefix', folder, ...quiet, what],
      tools,
      MOST_MS.install,
    );
    await rename(folder, copy).catch(() => {});
    return null;
  } catch (error) {
    const text = String(member(error, 'stderr') ?? '').trim() || errorMessage(error);
    return text.split('\n').at(0) ?? text;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const NPM = ['HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy', 'NODE_EXTRA_CA_CERTS'];
const NPM_SETTINGS = ['npm_config_registry', 'npm_config_userconfig', 'NPM_CONFIG_USERCONFIG'];
const MOST_MS = { version: 20_000, install: 600_000 };

/** Omits API keys, because npm runs scripts of the packages. */
function executeFile(
  program: string,
  words: string[],
  { env }: CliTools,
  timeout: number,
): Promise<{ stdout: string }> {
  const given = programVariables(env, [...NPM, ...NPM_SETTINGS], THIS_PLATFORM);
  return promisify(execFile)(program, words, { env: given, timeout });
}
