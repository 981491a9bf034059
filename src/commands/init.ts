import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join, posix, relative, resolve, sep } from 'node:path';
import type { Command } from 'commander';
import { importFormat } from '../config/imports/index.ts';
import { readOverrides } from '../config/overrides.ts';
import { readProject } from '../config/project.ts';
import { LLMEVAL_FILE, SETTINGS_FILE } from '../config/settings.ts';
import { DEFAULT_LIMITS } from '../documents/limits.ts';
import { UserError, problem } from '../errors.ts';
import type { Repository } from '../git/repository.ts';
import { metrics } from '../metrics/index.ts';
import { builtInRubrics } from '../metrics/rubric.ts';
import { sha256 } from '../session/cached-complete.ts';
import { loadListPrices } from '../session/prices.ts';
import { groundOf, type Ground } from '../session/safe-writing.ts';
import { everyMetric, namedModels } from '../suite/metrics.ts';
import { askedModel } from '../suite/models.ts';
import { logLine } from '../text/log.ts';
import type { SourceTree } from '../types/repository.ts';
import { vendorNames, factsOf, type VendorName } from '../types/vendors.ts';
import { withEnvFile } from './env-file.ts';
import { withTree } from './import.ts';
import { writeNewFiles } from './new-files.ts';
import { dayOf } from './project.ts';
import { starterFiles, starterSettings } from './starter.ts';
import type { Terminal } from './terminal.ts';
import {
  PLACEHOLDER,
  findWorkflow,
  jobOf,
  publisher,
  type FoundWorkflow,
  workflowPath,
  workflowText,
} from './workflow.ts';

interface InitOptions {
  directory: string;
  owner?: string;
}

export function initCommand(
  program: Command,
  terminal: Terminal,
  done: (code: number) => void,
): void {
  program
    .command('init')
    .description(
      'starts a project: settings, an example prompt with its tests, and the workflow; what is there stays as it is',
    )
    .option('-C, --directory <folder>', 'root of the project', '.')
    .option(
      '--owner <account>',
      'the account that publishes the action; default: the one that published this copy',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  evaldiff init --owner your-organisation\n  evaldiff init --directory services/chat',
    )
    .action(async (options: InitOptions) => {
      const { directory } = options;
      if (options.owner !== undefined) checkOwner(options.owner);
      const seen = await withTree(directory, terminal, (tree, repository) =>
        look(tree, repository, dayOf(terminal.reach)),
      );
      const owner = options.owner ?? (await publisher()) ?? seen.account ?? PLACEHOLDER;
      const guessed = options.owner === undefined && owner === seen.account;
      const vendors = seen.vendors.length > 0 ? seen.vendors : [vendorOfKeys(directory, terminal)];
      const files = new Map(
        [...(await wanted(seen, vendors, owner))].filter(
          ([path]) => !existsSync(join(seen.root, path)),
        ),
      );
      if (files.size > 0) await writeNewFiles(seen.root, files, seen.ground);
      const here = await realpath(terminal.cwd);
      const shown = (path: string): string =>
        relative(here, join(seen.root, path)).split(sep).join('/');
      terminal.out(
        `${[...report(seen, files, shown), '', ...nextSteps(seen, files, { vendors, owner, guessed, shown })].map(logLine).join('\n')}\n`,
      );
      done(0);
    });
}

/** The first vendor whose key is there, in the environment or in `.env`. */
function vendorOfKeys(directory: string, { cwd, env, err }: Terminal): VendorName {
  const all = withEnvFile(env, resolve(cwd, directory), [], err);
  return (
    // A new project says nothing but a model's name, which has to tell whose it is.
    vendorNames().find((name) => {
      const { keyVariable, models, starterModel } = factsOf(name);
      return all[keyVariable] !== undefined && models.test(starterModel);
    }) ?? vendorNames()[0]
  );
}

/** What the files ask, as far as they can be read; what is wrong with them is told elsewhere. */
async function asked(tree: SourceTree, today: Date): Promise<Pick<Seen, 'vendors' | 'unpriced'>> {
  const { project } = await readProject(
    tree,
    {
      config: SETTINGS_FILE,
      configRequired: false,
      overrides: readOverrides([]).overrides,
      allowedModels: null,
      limits: DEFAULT_LIMITS,
    },
    { builtInMetrics: metrics, builtInRubrics, hash: sha256 },
  );
  const { settings, suites } = project;
  const named = suites.flatMap(({ prompt, tests }) => [
    ...(prompt.model === null ? [] : [prompt.model]),
    ...everyMetric(tests).flatMap((metric) => namedModels(metric).map(({ model }) => model)),
  ]);
  const models = [...new Set(named)].map((name) => ({ name, at: askedModel(settings, name) }));
  const price = await loadListPrices(today);
  return {
    vendors: [...new Set(models.flatMap(({ at }) => (at?.endpoint === null ? [at.provider] : [])))],
    unpriced: models
      .filter(
        ({ at }) => at !== null && (at.endpoint !== null || price(at.provider, at.model) === null),
      )
      .map(({ name }) => name),
  };
}

/**
 * GitHub's rule for names of accounts; what stands in a workflow must not be able to be more than
 * that.
 */
const ACCOUNT = /^[A-Za-z\d](?:[A-Za-z\d]|-(?=[A-Za-z\d])){0,38}$/;

function checkOwner(owner: string): void {
  if (owner === PLACEHOLDER || ACCOUNT.test(owner)) return;
  throw new UserError([
    problem(
      null,
      `--owner: "${owner.slice(0, 100)}" is not a name of a GitHub account: letters, digits and single hyphens, at most 39`,
    ),
  ]);
}

/** What is there already; paths are below `root`. */
interface Seen {
  /**
   * The repository's root, where GitHub looks for workflows; without a repository the project's.
   */
  root: string;
  ground: Ground;
  /** The project's folder below it, '' for the root itself. */
  below: string;
  settings: string | null;
  prompts: string[];
  foreign: string[];
  workflow: FoundWorkflow | null;
  /** Whose models the files name, in their order. */
  vendors: VendorName[];
  /** Models that they name and whose price nobody knows. */
  unpriced: string[];
  /** The account at GitHub that the remote belongs to; null: there is none. */
  account: string | null;
}

async function look(tree: SourceTree, repository: Repository, today: Date): Promise<Seen> {
  const { root, below } = repository.workTree;
  const paths = [...tree.files.keys()].sort();
  const inRoot = (path: string): string => posix.join(below, path);
  const settings = [SETTINGS_FILE, LLMEVAL_FILE].find((path) => tree.files.has(path));
  const prompts = paths.filter(
    (path) => /^prompts\/[^/]+\.ya?ml$/.test(path) && importFormat(path) === null,
  );
  const foreign = paths.filter(
    (path) => importFormat(path) !== null && !path.split('/').includes('node_modules'),
  );
  return {
    root,
    ground: groundOf(repository),
    below,
    settings: settings === undefined ? null : inRoot(settings),
    prompts: prompts.map(inRoot),
    foreign: foreign.map(inRoot),
    workflow: await findWorkflow(root, below),
    ...(await asked(tree, today)),
    account: accountOf(repository.remoteUrl),
  };
}

/** `acme` of `git@github.com:acme/shop.git`. */
function accountOf(url: string | null): string | null {
  const account = /github\.com[/:]([^/]+)\//.exec(url ?? '')?.[1];
  return account !== undefined && ACCOUNT.test(account) ? account : null;
}

/** Files to write, by their paths below the root. */
async function wanted(
  { below, settings, prompts, foreign, workflow, unpriced }: Seen,
  vendors: readonly VendorName[],
  owner: string,
): Promise<Map<string, string>> {
  const empty = settings === null && prompts.length === 0 && foreign.length === 0;
  const [vendor = vendorNames()[0]] = vendors;
  const own = empty
    ? starterFiles(vendor)
    : new Map(settings === null ? [[SETTINGS_FILE, starterSettings(vendor, unpriced)]] : []);
  const files = new Map([...own].map(([path, text]) => [posix.join(below, path), text]));
  if (workflow === null) files.set(workflowPath(below), await workflowText(below, owner, vendors));
  return files;
}

type Shown = (path: string) => string;

function report(
  { below, settings, prompts, foreign, workflow }: Seen,
  files: ReadonlyMap<string, string>,
  shown: Shown,
): string[] {
  const kept = [settings, ...prompts, workflow?.path ?? null].filter((path) => path !== null);
  const directory = directoryOption(shown(below));
  const taken = workflow === null && !files.has(workflowPath(below));
  return [
    ...[...files.keys()].map((path) => `wrote ${shown(path)}`),
    ...kept.map((path) => `kept  ${shown(path)}`),
    ...(taken
      ? [
          `kept  ${shown(workflowPath(below))}: it does not evaluate this project; examples/workflows has one that does`,
        ]
      : []),
    ...foreign.map(
      (path) =>
        `found ${shown(path)}: it is read as it is; evaldiff import${directory} ${quoted(shown(path))} converts it`,
    ),
  ];
}

function nextSteps(
  { below, foreign, prompts, workflow, unpriced }: Seen,
  files: ReadonlyMap<string, string>,
  {
    vendors,
    owner,
    guessed,
    shown,
  }: { vendors: readonly VendorName[]; owner: string; guessed: boolean; shown: Shown },
): string[] {
  const inProject = (path: string): string => posix.relative(below, path);
  const directory = directoryOption(shown(below));
  const steps = [
    ...(owner === PLACEHOLDER && files.size > 0
      ? [
          `Replace ${PLACEHOLDER} in the new files with the account that publishes the action (or give it: --owner).`,
        ]
      : []),
    ...(workflow?.unfinished === true
      ? [
          `Replace ${PLACEHOLDER} in ${shown(workflow.path)} with the account that publishes the action.`,
        ]
      : []),
    ...(foreign.length > 0 && prompts.length > 0
      ? [
          `List what you want evaluated of these under prompts: in ${SETTINGS_FILE}: ${foreign.map(inProject).join(', ')}`,
        ]
      : []),
    ...vendors
      .map((vendor) => factsOf(vendor).keyVariable)
      .map(
        (key) => `Add your model key as the repository secret ${key}; here, export it as ${key}.`,
      ),
    ...(unpriced.length > 0 && files.has(posix.join(below, SETTINGS_FILE))
      ? [
          `No price is known for ${unpriced.join(', ')}, so ${SETTINGS_FILE} limits calls alone. Give it one under models: (price: { input: …, output: … }), then add max_cost_usd to its budget.`,
        ]
      : []),
    ...(guessed && files.has(workflowPath(below))
      ? [
          `The workflow uses ${owner}/evaldiff, the account of this repository's remote; where another publishes the action, name it with --owner.`,
        ]
      : []),
    `Make the job "${jobOf(below)}" a required check once its first run is green.`,
  ];
  return [
    'Next:',
    ...steps.map((step, index) => `  ${String(index + 1)}. ${step}`),
    '',
    ...COMMANDS.map(
      ([command, does]) => `  ${`npx evaldiff ${command}${directory}`.padEnd(24)} ${does}`,
    ),
  ];
}

/** What one does after `init`, in this order. */
const COMMANDS = [
  ['validate', 'checks the files; makes no model calls'],
  ['dev', 'opens the workbench: answers, scores, and the verdict, live while you edit'],
  ['diff', 'compares the files with main, as the pull request will'],
] as const;

function directoryOption(folder: string): string {
  return folder === '' ? '' : ` --directory ${quoted(folder)}`;
}

/** As a shell takes it for one word. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
