import { readFile, realpath } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { visibleLine } from '../../../text/visible.ts';
import { parseMap } from '../../../types/plain.ts';
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
    const found = await readCli(join(folder, npm.bin), npm.package);
    if (found?.version === wanted) return found;
    if (found !== null) others.push(`${found.version ?? ''} in ${folder}`);
  }
  const also = others.length === 0 ? '' : ` (found ${visibleLine(others.join(', '))})`;
  return {
    problem:
      `${name} ${wanted} is not installed from npm${also}, and evaldiff installs no programs. Run this ` +
      `before evaldiff, in a workflow as a step: ${installCommand(npm, wanted)}`,
  };
}

const BIN = join('node_modules', '.bin');

/** Null if it does not belong to the npm package, whose file names its version. */
async function readCli(file: string, name: string): Promise<Cli | null> {
  const program = await realpath(file).catch(() => null);
  const owner = program === null ? null : await packageOf(program, name);
  if (program === null || owner === null) return null;
  const { folder, version } = owner;
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
