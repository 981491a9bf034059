import { mkdtemp, readFile, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { visibleLine } from '../../../text/visible.ts';
import { parseMap } from '../../../types/plain.ts';
import { giveToAgent, removeFolder } from '../workspace/folders.ts';
import { runInside } from '../workspace/run.ts';
import type { WallKind } from '../workspace/walls.ts';
import type { AgentRow } from './agent-row.ts';
import { textIn } from './fields.ts';
import { installCommand } from './versions.ts';

/** For agents that the suite gives as a command, all fields are empty. */
export interface Cli {
  bin: readonly string[];
  version: string | null;
  /** Absolute folders that the agent must be able to read. */
  folders: readonly string[];
}

interface CliTools {
  project: string;
  env: Readonly<Record<string, string | undefined>>;
  kind: WallKind;
}

export async function findCli(
  { name, npm, version }: AgentRow,
  asked: string | null,
  tools: CliTools,
): Promise<Cli | { problem: string }> {
  if (npm === null) return { bin: [], version: null, folders: [] };
  const wanted = asked ?? version ?? '';
  const path = (tools.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const others: string[] = [];
  for (const folder of [join(tools.project, BIN), ...path]) {
    const found = await readCli(join(folder, npm.bin), npm.package, tools);
    if (found?.version === wanted) return found;
    if (found !== null) others.push(`${found.version} in ${folder}`);
  }
  const also = others.length === 0 ? '' : ` (found ${visibleLine(others.join(', '))})`;
  return {
    problem:
      `${name} ${wanted} is not installed${also}, and evaldiff installs no programs. Run this ` +
      `before evaldiff, in a workflow as a step: ${installCommand(npm, wanted)}`,
  };
}

const BIN = join('node_modules', '.bin');

async function readCli(file: string, name: string, tools: CliTools): Promise<Cli | null> {
  const program = await realpath(file).catch(() => null);
  if (program === null) return null;
  const owner = await packageOf(program, name);
  const beside = dirname(program);
  // The agent must not read the user's home.
  const isAboveHome = `${tools.env['HOME'] ?? ''}/`.startsWith(`${beside}/`);
  const folder = owner?.folder ?? (isAboveHome ? program : beside);
  const version = owner?.version ?? (await askVersion(program, folder, tools.kind));
  if (version === null) return null;
  if (!/\.[cm]?js$/.test(program)) return { bin: [program], version, folders: [folder] };
  const node = await realpath(process.execPath);
  return { bin: [node, program], version, folders: [folder, dirname(node)] };
}

async function packageOf(
  program: string,
  name: string,
): Promise<{ folder: string; version: string } | null> {
  for (let folder = dirname(program); folder !== dirname(folder); folder = dirname(folder)) {
    const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => '');
    const facts = parseMap(text) ?? {};
    const version = textIn(facts, 'version');
    if (facts['name'] !== name || version === null) continue;
    // Its dependencies are beside it, in the outermost `node_modules`.
    const [, modules = folder] = PACKAGES.exec(`${folder}/`) ?? [];
    return { folder: modules, version };
  }
  return null;
}

const PACKAGES = /^(.*?\/node_modules)\//;

const VERSION_SECONDS = 20;

/** In the sandbox, because the program may come from the repository. */
async function askVersion(
  program: string,
  readable: string,
  kind: WallKind,
): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), 'evaldiff-version-'));
  try {
    await giveToAgent(folder, kind);
    const own = { work: folder, home: folder };
    const place = { kind, folder, own, readable: [readable], cover: [] };
    const { stdout } = await runInside(
      { ...place, network: 'off', canary: null },
      { command: [program, '--version'], env: {}, gateway: null, seconds: VERSION_SECONDS },
    );
    return /\b\d+\.\d+\.\d+\b/.exec(stdout)?.[0] ?? null;
  } finally {
    await removeFolder(folder);
  }
}
