import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join, posix, relative, resolve, sep } from 'node:path';
import { SETTINGS_FILE } from '../../config/file-names.ts';
import { schemaLine } from '../../config/schema-line.ts';
import { userError } from '../../errors.ts';
import { logLine } from '../../text/log.ts';
import { shellWord } from '../../text/visible.ts';
import type { VendorName } from '../../types/vendors/names.ts';
import { factsOf, vendorNames } from '../../types/vendors.ts';
import { formatsOf, suiteKeysOf } from '../session/edges.ts';
import { withEnvFile } from './env-file.ts';
import { writeNewFiles } from './files.ts';
import { directoryOption } from './options.ts';
import { validateLines } from './plain.ts';
import { dayOf, withTree } from './project.ts';
import { isAccount, seeProject, type SeenProject } from './see-project.ts';
import type { AddCommand, StarterProject, StarterSuite, Terminal } from './terminal.ts';
import {
  PLACEHOLDER,
  endpointKey,
  jobOf,
  publisher,
  workflowPath,
  workflowText,
} from './workflow.ts';

export const initCommand: AddCommand = (program, terminal, done) => {
  program
    .command('init')
    .description(
      'write settings, an example suite and the workflow; existing files are not changed',
    )
    .option('-C, --directory <folder>', 'root of the project', '.')
    .option(
      '--owner <account>',
      'the account that publishes the action; default: the account that published this copy',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  evaldiff init --owner your-organisation\n  evaldiff init --directory services/chat',
    )
    .action(async (options: { directory: string; owner?: string }) => {
      const { directory } = options;
      if (options.owner !== undefined) checkOwner(options.owner);
      const env = withEnvFile(terminal.env, resolve(terminal.cwd, directory), [], terminal.err);
      const { seen, starter } = await withTree(directory, terminal, async (tree, repository) => {
        const project = await seeProject(
          tree,
          repository,
          dayOf(terminal.testOverrides),
          formatsOf(terminal.features),
          suiteKeysOf(terminal.features),
        );
        const given = { tree, keys: vendorsWithKey(env) };
        return {
          seen: project,
          starter: project.isEmpty ? await findStarter(given, terminal) : null,
        };
      });
      const owner = options.owner ?? (await publisher()) ?? seen.account ?? PLACEHOLDER;
      const guessed = options.owner === undefined && owner === seen.account;
      const vendors =
        seen.vendors.length + seen.endpoints.length > 0
          ? seen.vendors
          : [starter?.vendor ?? vendorsWithKey(env)[0] ?? vendorNames()[0]];
      const keys = vendors.map((vendor) => factsOf(vendor).keyVariable);
      const unset = keys.filter((key) => !env[key]?.trim());
      const files = new Map(
        [...(await wantedFiles(seen, { vendors, owner, starter }))].filter(
          ([path]) => !existsSync(join(seen.root, path)),
        ),
      );
      if (files.size > 0) await writeNewFiles(seen.root, files, seen.workTree);
      const code = starter === null ? 'sandbox' : 'host';
      const found = await validateLines(join(seen.root, seen.below), terminal, code);
      const here = await realpath(terminal.cwd);
      const shown = (path: string): string =>
        relative(here, join(seen.root, path)).split(sep).join('/');
      const facts = { keys, unset, owner, guessed, shown, starter };
      const next = nextSteps(seen, files, facts);
      terminal.out(
        `${[...initSummary(seen, files, facts), '', ...found, '', ...next].map(logLine).join('\n')}\n`,
      );
      done(0);
    });
};

/**
 * The settings contain only the model's name, so evaldiff must recognise the vendor by that name.
 */
function vendorsWithKey(env: NodeJS.ProcessEnv): VendorName[] {
  return vendorNames().filter((name) => {
    const { keyVariable, models, starterModel } = factsOf(name);
    return env[keyVariable] !== undefined && models.test(starterModel);
  });
}

async function findStarter(
  project: StarterProject,
  { features }: Terminal,
): Promise<StarterSuite | null> {
  for (const row of features) {
    const starter = await row.starter?.(project);
    if (starter !== null && starter !== undefined) return starter;
  }
  return null;
}

function checkOwner(owner: string): void {
  if (owner === PLACEHOLDER || isAccount(owner)) return;
  throw userError(
    null,
    `--owner: "${owner.slice(0, 100)}" is not a name of a GitHub account: letters, digits ` +
      'and single hyphens, at most 39',
  );
}

interface WrittenFor {
  vendors: readonly VendorName[];
  owner: string;
  starter: StarterSuite | null;
}

async function wantedFiles(
  seen: SeenProject,
  { vendors, owner, starter }: WrittenFor,
): Promise<Map<string, string>> {
  const { below, settings, workflow, endpoints } = seen;
  const [vendor = vendorNames()[0]] = vendors;
  const own = seen.isEmpty
    ? starterFiles(vendor, starter)
    : new Map(settings === null ? [[SETTINGS_FILE, starterSettings(vendor, seen)]] : []);
  const files = new Map([...own].map(([path, text]) => [posix.join(below, path), text]));
  if (workflow === null)
    files.set(
      workflowPath(below),
      await workflowText(below, owner, { vendors, endpoints, host: starter !== null }),
    );
  return files;
}

type FormatPath = (path: string) => string;

function initSummary(
  { below, settings, prompts, foreign, unread, workflow }: SeenProject,
  files: ReadonlyMap<string, string>,
  { shown, starter }: Facts,
): string[] {
  const kept = [settings, ...prompts, workflow?.path ?? null].filter((path) => path !== null);
  const directory = directoryOption(shown(below));
  const taken = workflow === null && !files.has(workflowPath(below));
  return [
    ...[...files.keys()].map((path) =>
      starter !== null && path === posix.join(below, starter.path)
        ? `wrote ${shown(path)}: it tests ${starter.found}`
        : `wrote ${shown(path)}`,
    ),
    ...kept.map((path) => `kept  ${shown(path)}`),
    ...when(
      taken,
      `kept  ${shown(workflowPath(below))}: it does not evaluate this project; ` +
        'examples/workflows contains a workflow that does',
    ),
    ...foreign.map(
      (path) =>
        `found ${shown(path)}: evaldiff reads it directly; npx evaldiff import${directory} ` +
        `${shellWord(shown(path))} converts it`,
    ),
    ...unread.map(({ file, what }) => `found ${shown(file)}: it ${what}`),
  ];
}

interface Facts {
  keys: readonly string[];
  unset: readonly string[];
  owner: string;
  guessed: boolean;
  shown: FormatPath;
  starter: StarterSuite | null;
}

function nextSteps(
  seen: SeenProject,
  files: ReadonlyMap<string, string>,
  { keys, unset, owner, guessed, shown, starter }: Facts,
): string[] {
  const { git, below, foreign, prompts, workflow, unpriced } = seen;
  const inProject = (path: string): string => posix.relative(below, path);
  const steps = [
    ...when(!git, 'Run git init here: evaldiff finds changes by comparing with a commit.'),
    ...keys.map(
      (key) => `Add your model key as the repository secret ${key}; ${hereWords(key, unset)}.`,
    ),
    ...endpointSteps(seen),
    ...when(
      owner === PLACEHOLDER && files.size > 0,
      `Replace ${PLACEHOLDER} in the new files with the account that publishes the action ` +
        '(or pass it with --owner).',
    ),
    ...when(
      workflow?.unfinished === true,
      `Replace ${PLACEHOLDER} in ${shown(workflow?.path ?? '')} with the account that publishes the action.`,
    ),
    ...when(
      foreign.length > 0 && prompts.length > 0,
      `Choose which of these files to evaluate, and list them under prompts: in ${SETTINGS_FILE}: ` +
        foreign.map(inProject).join(', '),
    ),
    ...when(
      unpriced.length > 0 && files.has(posix.join(below, SETTINGS_FILE)),
      `No price is known for ${unpriced.join(', ')}, so ${SETTINGS_FILE} limits only calls, not cost. ` +
        'Add a price under models: (price: { input: …, output: … }), then add max_cost_usd to ' +
        'the budget.',
    ),
    ...when(
      guessed && files.has(workflowPath(below)),
      `The workflow uses ${owner}/evaldiff, the account of this repository's remote. If ` +
        'another account publishes the action, pass it with --owner.',
    ),
    ...when(
      starter !== null,
      `Write two or three tasks of your own into ${starter?.path ?? ''} (docs/agents.md). To test ` +
        'prompts instead, replace it with prompts/NAME.yaml (docs/first-suite.md).',
    ),
    `Make the job "${jobOf(below)}" a required check once its first run is green.`,
  ];
  return [
    'Next:',
    ...steps.map((step, index) => `  ${String(index + 1)}. ${step}`),
    '',
    ...commandLines(directoryOption(shown(below)), starter === null ? '' : ' --code host'),
  ];
}

function when(isSo: boolean, line: string): string[] {
  return isSo ? [line] : [];
}

function endpointSteps({ workflow, endpoints }: SeenProject): string[] {
  return (workflow === null ? endpoints : []).map((name) => {
    const key = endpointKey(name);
    return (
      `Add the address of the server ${name} to the workflow (endpoints), and its key as the ` +
      `repository secret ${key}; if it needs no key, remove key=…. On this machine: export ` +
      `EVALDIFF_ENDPOINTS="${name}=https://… key=${key}".`
    );
  });
}

function hereWords(key: string, unset: readonly string[]): string {
  return unset.includes(key)
    ? `on this machine, export it as ${key}, or write ${key}=… into .env (and .env into .gitignore)`
    : 'on this machine it is already set';
}

const NEXT_COMMANDS = [
  ['validate', 'checks the files; makes no model calls'],
  ['dev', 'opens the workbench: answers, scores, and the verdict, live while you edit'],
  ['diff', 'compares the files with main, as the pull request will'],
] as const;

function commandLines(directory: string, code: string): string[] {
  const lines = NEXT_COMMANDS.map(
    ([name, does]) => [`npx evaldiff ${name}${directory}${code}`, does] as const,
  );
  const width = Math.max(...lines.map(([command]) => command.length));
  return lines.map(([command, does]) => `  ${command.padEnd(width)}  ${does}`);
}

export function starterFiles(
  vendor: VendorName,
  starter: Pick<StarterSuite, 'path' | 'text'> | null = null,
): Map<string, string> {
  const model = factsOf(vendor).starterModel;
  const settings = ['evaldiff.yaml', starterSettings(vendor)] as const;
  if (starter !== null) return new Map([settings, [starter.path, starter.text]]);
  return new Map([
    settings,
    [
      'prompts/support.yaml',
      `${schemaLine('prompt')}# A suite: what the model is asked, the metrics that judge its answers, and test cases.
# Keys that evaldiff does not know are model parameters and go to the vendor as written.
model: ${model}
messages:
  - role: system
    content: |
      You answer customers of a small online shop.
      Returns are possible within 30 days. Parcels go with Northmail.
      Answer in at most two sentences.
  - role: human
    content: "{question}"
metrics:
  - { name: fact, uses: contains, with: { ignore_case: true } }
  - { name: brief, uses: word_count, with: { max: 60 } }
references:
  - { id: returns, input: { question: "How long can I send a jacket back?" }, expected: "30" }
  - { id: carrier, input: { question: "Who brings my parcel?" }, expected: Northmail, tags: [critical] }
  - { id: late, input: { question: "I bought a scarf six weeks ago. Can I return it?" }, expected: "30" }
`,
    ],
  ]);
}

function starterSettings(
  vendor: VendorName,
  { listed, needsModel, unpriced }: Partial<SeenProject> = {},
): string {
  const model = factsOf(vendor).starterModel;
  const lines = [
    ...when((listed ?? []).length > 0, `prompts: ${JSON.stringify(listed)}`),
    ...when(
      needsModel === true,
      `models: { default: { provider: ${vendor}, model: ${model} } } # for files that name no model`,
    ),
    'n_tries: adaptive # two tries of each affected reference, and more if the verdict is unclear',
    `grader: { model: ${model} } # called only if a metric such as llm_rubric needs a grader`,
    'gate:\n  anchor: { since: 30-days } # also compares with 30 days ago, to find slow decline',
    `budget: { max_calls: 2000${(unpriced ?? []).length === 0 ? ', max_cost_usd: 10' : ''} }` +
      ' # a run that would need more is refused before anything is sent',
  ];
  const head = '# Every key is optional; these are the ones that projects set first.';
  return `${schemaLine('settings')}${head}\n${lines.join('\n')}\n`;
}
