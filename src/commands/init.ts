import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { importFormat } from '../config/imports/index.ts';
import { LLMEVAL_FILE, SETTINGS_FILE } from '../config/settings.ts';
import { packageRoot } from '../demo/demo.ts';
import { problem, UserError } from '../errors.ts';
import type { SourceTree } from '../types.ts';
import { withTree } from './import.ts';
import { writeNewFiles } from './new-files.ts';
import type { Terminal } from './options.ts';
import { starterFiles, starterSettings, type StarterVendor } from './starter.ts';

interface InitOptions { directory: string; owner: string }

const WORKFLOW = '.github/workflows/evaldiff.yml';
const PLACEHOLDER = '<owner>';

export function initCommand(program: Command, terminal: Terminal, done: (code: number) => void): void {
  program.command('init')
    .description('starts a project: settings, an example prompt with its tests, and the workflow; what is there stays as it is')
    .option('-C, --directory <folder>', 'root of the project', '.')
    .option('--owner <account>', 'the account that publishes the action', PLACEHOLDER)
    .addHelpText('after', '\nExamples:\n  evaldiff init --owner your-organisation\n  evaldiff init --directory services/chat')
    .action(async ({ directory, owner }: InitOptions) => {
      checkOwner(owner);
      const root = resolve(terminal.cwd, directory);
      const seen = await withTree(root, terminal, look);
      const vendor: StarterVendor = terminal.env['OPENAI_API_KEY'] === undefined && terminal.env['ANTHROPIC_API_KEY'] !== undefined ? 'anthropic' : 'openai';
      const files = new Map([...await wanted(seen, vendor, owner)].filter(([path]) => !existsSync(join(root, path))));
      if (files.size > 0) await writeNewFiles(root, files);
      terminal.out(`${[...report(seen, files), '', ...nextSteps(seen, files, vendor, owner)].join('\n')}\n`);
      done(0);
    });
}

/** GitHub's rule for names of accounts; what stands in a workflow must not be able to be more than that. */
function checkOwner(owner: string): void {
  if (owner === PLACEHOLDER || /^[A-Za-z\d](?:[A-Za-z\d]|-(?=[A-Za-z\d])){0,38}$/.test(owner)) return;
  throw new UserError([problem(null, `--owner: "${owner.slice(0, 100)}" is no name of a GitHub account: letters, digits and single hyphens, at most 39`)]);
}

/** What a project already has. */
interface Seen {
  settings: string | null;
  prompts: string[];
  foreign: string[];
  /** A workflow that uses the action, and whether it still has the placeholder for the account. */
  workflow: string | null;
  unfinished: boolean;
}

async function look(tree: SourceTree): Promise<Seen> {
  const paths = [...tree.files.keys()].sort();
  const workflows = paths.filter((path) => /^\.github\/workflows\/[^/]+\.ya?ml$/.test(path));
  const texts = await Promise.all(workflows.map(async (path) => ({ path, text: new TextDecoder().decode(await tree.read(path)) })));
  const workflow = texts.find(({ text }) => /uses:\s*\S+\/evaldiff@/.test(text)) ?? null;
  return {
    settings: [SETTINGS_FILE, LLMEVAL_FILE].find((path) => tree.files.has(path)) ?? null,
    prompts: paths.filter((path) => /^prompts\/[^/]+\.ya?ml$/.test(path) && importFormat(path) === null),
    foreign: paths.filter((path) => importFormat(path) !== null && !path.split('/').includes('node_modules')),
    workflow: workflow?.path ?? null, unfinished: workflow?.text.includes(`${PLACEHOLDER}/evaldiff@`) ?? false,
  };
}

async function wanted(seen: Seen, vendor: StarterVendor, owner: string): Promise<Map<string, string>> {
  const empty = seen.settings === null && seen.prompts.length === 0 && seen.foreign.length === 0;
  const files = empty ? starterFiles(vendor, owner) : new Map(seen.settings === null ? [[SETTINGS_FILE, starterSettings(vendor, owner)]] : []);
  if (seen.workflow !== null) return files;
  const workflow = await readFile(join(packageRoot(), 'examples', 'workflows', 'pull-request.yml'), 'utf8');
  files.set(WORKFLOW, owner === PLACEHOLDER ? workflow : workflow.replace(/^# Replace <owner>[^\n]*\n/m, '').replaceAll(PLACEHOLDER, owner));
  return files;
}

function report({ settings, prompts, foreign, workflow }: Seen, files: ReadonlyMap<string, string>): string[] {
  const kept = [settings, ...prompts, workflow, existing(WORKFLOW, files, workflow)].filter((path) => path !== null);
  return [
    ...[...files.keys()].map((path) => `wrote ${path}`),
    ...kept.map((path) => `kept  ${path}`),
    ...foreign.map((path) => `found ${path}: it is read as it is; evaldiff import ${path} converts it`),
  ];
}

/** Our own workflow's path when something else stands there, so that none was written. */
function existing(path: string, files: ReadonlyMap<string, string>, workflow: string | null): string | null {
  return files.has(path) || workflow !== null ? null : path;
}

function nextSteps({ foreign, prompts, workflow, unfinished }: Seen, files: ReadonlyMap<string, string>, vendor: StarterVendor, owner: string): string[] {
  const key = vendor === 'openai' ? 'OPENAI_API_KEY' : 'ANTHROPIC_API_KEY';
  const listed = foreign.length > 0 && prompts.length > 0 ? [`List what you want evaluated of these under prompts: in ${SETTINGS_FILE}: ${foreign.join(', ')}`] : [];
  const steps = [
    ...(owner === PLACEHOLDER && files.size > 0 ? [`Replace ${PLACEHOLDER} in the new files with the account that publishes the action (or give it: --owner).`] : []),
    ...(unfinished && workflow !== null ? [`Replace ${PLACEHOLDER} in ${workflow} with the account that publishes the action.`] : []),
    ...listed,
    `Add your model key as the repository secret ${key}; here, export it as ${key}.`,
    '"evaldiff validate" checks the files, "evaldiff run" evaluates them, "evaldiff diff" compares them with main.',
    'Make the job "evaldiff" a required check once its first run is green.',
  ];
  return ['Next:', ...steps.map((step, index) => `  ${String(index + 1)}. ${step}`)];
}
