import { existsSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import { SETTINGS_FILE } from '../../config/file-names.ts';
import type { Repository } from '../../edges/git/repository.ts';
import { userError } from '../../errors.ts';
import { logLine } from '../../text/log.ts';
import { shellWord } from '../../text/visible.ts';
import { PROMPTFOO_PROGRAM } from '../../types/model.ts';
import { member, parseMap } from '../../types/plain.ts';
import type { VendorName } from '../../types/vendors/names.ts';
import { factsOf, vendorNames } from '../../types/vendors.ts';
import { archiveOf, readOrigin, schemaLine, type CopyOrigin } from '../session/origin.ts';
import { formatsOf, suiteKeysOf } from '../session/session-row.ts';
import { withEnvFile } from './env-file.ts';
import { writeNewFiles } from './files.ts';
import { directoryOption } from './options.ts';
import { validateLines } from './plain.ts';
import { dayOf, withTree } from './project.ts';
import { seeProject, type SeenProject } from './see-project.ts';
import {
  originOf,
  type AddCommand,
  type StarterFiles,
  type StarterProject,
  type Terminal,
} from './terminal.ts';
import { endpointKey, findWorkflow, jobOf, workflowPath, workflowText } from './workflow.ts';

export const initCommand: AddCommand = (program, terminal, done) => {
  program
    .command('init')
    .description('write an example suite and a workflow; changes no other files')
    .option('-C, --directory <folder>', 'root of the project', '.')
    .option(
      '--from <owner/repo@tag>',
      'the repository on GitHub and the tag or full commit id that the written files use; ' +
        'default: those of this copy',
    )
    .option(
      '--keyless',
      "write a workflow that proves the job's identity to OpenAI or Anthropic instead of using keys",
    )
    .addHelpText('after', '\nExample: evaldiff init --from your-account/evaldiff@v1.0.0')
    .action(async (options: InitOptions) => {
      terminal.out(await writeProject(options, terminal));
      done(0);
    });
};

interface InitOptions {
  directory: string;
  from?: string;
  keyless?: true;
}

/** Returns what to print. */
export async function writeProject(options: InitOptions, terminal: Terminal): Promise<string> {
  const { directory } = options;
  const origin = options.from === undefined ? originOf(terminal) : readOrigin(options.from);
  const env = withEnvFile(terminal.env, resolve(terminal.cwd, directory), [], terminal.err);
  const { seen, starter } = await seeFolder(directory, origin, env, terminal);
  const vendors = vendorsToAsk(seen, starter, env);
  const keyless = options.keyless === true && isKeyless(vendors, seen.endpoints);
  const unset = vendors.filter((vendor) => !env[factsOf(vendor).keyVariable]?.trim());
  const written = { vendors, origin, starter, keyless };
  const files = new Map(
    [...(await wantedFiles(seen, written))].filter(([path]) => !existsSync(join(seen.root, path))),
  );
  if (files.size > 0) await writeNewFiles(seen.root, files, seen.workTree);
  const code = starter.needsHost ? 'host' : 'sandbox';
  const found =
    seen.runs.length === 0
      ? await validateLines(join(seen.root, seen.below), terminal, code)
      : [`npx evaldiff validate --code host was not run, because it runs ${seen.runs.join(', ')}`];
  const here = await realpath(terminal.cwd);
  const shown = (path: string) => relative(here, join(seen.root, path)).split(sep).join('/');
  const facts = { ...written, unset, named: options.from !== undefined, shown };
  return initLines(seen, files, facts, found);
}

async function seeFolder(
  directory: string,
  origin: CopyOrigin | null,
  env: NodeJS.ProcessEnv,
  terminal: Terminal,
): Promise<{ seen: Seen; starter: StarterFiles }> {
  return withTree(directory, terminal, async (tree, repository) => {
    await refuseOwnRepository(repository);
    const project = await seeProject(tree, repository, {
      today: dayOf(terminal.testOverrides),
      formats: formatsOf(terminal.features),
      suiteKeys: suiteKeysOf(terminal.features),
    });
    const given = { ...project, tree, origin, keys: vendorsWithKey(env) };
    const found = await findStarter(given, terminal);
    return {
      seen: {
        ...project,
        workflow: await findWorkflow(project, origin),
        installs: tree.files.has('package-lock.json'),
      },
      starter: { ...found, needsHost: found.needsHost || project.needsHost },
    };
  });
}

function initLines(
  seen: Seen,
  files: ReadonlyMap<string, string>,
  facts: Facts,
  found: readonly string[],
): string {
  const lines = [
    ...initSummary(seen, files, facts),
    ...['', ...found, ''],
    ...nextSteps(seen, files, facts),
  ];
  return `${lines.map(logLine).join('\n')}\n`;
}

/**
 * The settings contain only the model's name, so evaldiff must recognise the vendor by that name.
 */
function vendorsWithKey(env: NodeJS.ProcessEnv): VendorName[] {
  return vendorNames().filter((name) => {
    const { keyVariable, models, starterModel } = factsOf(name);
    return env[keyVariable] !== undefined && models.test(starterModel);
  });
}

function isKeyless(vendors: readonly VendorName[], endpoints: readonly string[]): true {
  const keyed = vendors.filter((vendor) => factsOf(vendor).federation === undefined);
  const [first] = [...keyed, ...endpoints];
  if (first !== undefined)
    throw userError(
      null,
      `init: ${first} needs a key, because evaldiff cannot prove the job's identity to it. Run ` +
        'init without --keyless',
    );
  return true;
}

function vendorsToAsk(
  { vendors, endpoints }: SeenProject,
  { suites }: StarterFiles,
  env: NodeJS.ProcessEnv,
): VendorName[] {
  if (vendors.length + endpoints.length > 0) return vendors;
  const [vendor, ...others] = new Set(suites.map((suite) => suite.vendor));
  return [vendor ?? vendorsWithKey(env)[0] ?? vendorNames()[0], ...others];
}

async function findStarter(project: StarterProject, { features }: Terminal): Promise<StarterFiles> {
  const found = await Promise.all(features.map((row) => row.starter?.(project)));
  const starters = found.filter((starter) => starter !== undefined);
  return {
    suites: starters.flatMap(({ suites }) => suites),
    needsHost: starters.some(({ needsHost }) => needsHost),
    left: starters.flatMap(({ left }) => left),
    steps: starters.flatMap(({ steps }) => steps),
  };
}

interface Seen extends SeenProject {
  workflow: string | null;
  /** Whether `npm ci` installs the packages of the project's code. */
  installs: boolean;
}

/** A fork may have renamed the package, but not its command. */
async function isEvaldiffsOwn(folder: string): Promise<boolean> {
  if (!existsSync(join(folder, 'action.yml'))) return false;
  const manifest = parseMap(await readFile(join(folder, 'package.json'), 'utf8').catch(() => ''));
  return (
    /^(?:@[^/]+\/)?evaldiff$/.test(String(manifest?.['name'])) ||
    member(manifest?.['bin'], 'evaldiff') !== undefined
  );
}

async function refuseOwnRepository({ workTree, ...repository }: Repository): Promise<void> {
  const { root, below } = workTree;
  const isGit = (await repository.commonFolder()) !== root;
  for (let folder = join(root, below); ; folder = dirname(folder)) {
    if (await isEvaldiffsOwn(folder))
      throw userError(
        null,
        `init: ${folder} is evaldiff's own repository, so nothing was written. Run init in your ` +
          "project's folder, or name that folder with --directory",
      );
    if (folder === dirname(folder) || (isGit && folder === root)) return;
  }
}

interface WrittenFor {
  vendors: readonly VendorName[];
  origin: CopyOrigin | null;
  starter: StarterFiles;
  keyless: boolean;
}

async function wantedFiles(
  seen: Seen,
  { vendors, origin, starter, keyless }: WrittenFor,
): Promise<Map<string, string>> {
  const { below, settings, workflow, endpoints } = seen;
  const [vendor = vendorNames()[0]] = vendors;
  const own = seen.isEmpty
    ? starterFiles(vendor, { starter, origin })
    : new Map(settings === null ? [[SETTINGS_FILE, starterSettings(vendor, origin, seen)]] : []);
  const files = new Map([...own].map(([path, text]) => [posix.join(below, path), text]));
  if (workflow === null && origin !== null)
    files.set(
      workflowPath(below),
      await workflowText(below, origin, {
        vendors,
        endpoints,
        keyless,
        host: starter.needsHost,
        installs: [...new Set(starter.suites.flatMap(({ install }) => install ?? []))],
      }),
    );
  return files;
}

type FormatPath = (path: string) => string;

function initSummary(
  { below, settings, prompts, foreign, left, unread, workflow }: Seen,
  files: ReadonlyMap<string, string>,
  { shown, starter, origin }: Facts,
): string[] {
  const kept = [settings, ...prompts, workflow].filter((path) => path !== null);
  const directory = directoryOption(shown(below));
  const taken = workflow === null && origin !== null && !files.has(workflowPath(below));
  const tested = new Map(
    starter.suites.map(({ path, found }) => [posix.join(below, path), `: it tests ${found}`]),
  );
  return [
    ...[...files.keys()].map((path) => `wrote ${shown(path)}${tested.get(path) ?? ''}`),
    ...kept.map((path) => `kept  ${shown(path)}`),
    ...[...left, ...starter.left].map(
      ({ path, why }) => `left  ${shown(posix.join(below, path))}: ${why}`,
    ),
    ...when(
      taken,
      `kept  ${shown(workflowPath(below))}: it does not evaluate this project; ` +
        'examples/workflows contains a workflow that does',
    ),
    ...foreign
      .filter((path) => !left.some((each) => posix.join(below, each.path) === path))
      .map(
        (path) =>
          `found ${shown(path)}: evaldiff reads it directly; npx evaldiff import${directory} ` +
          `${shellWord(shown(path))} converts it`,
      ),
    ...unread.map(({ file, what }) => `found ${shown(file)}: it ${what}`),
  ];
}

interface Facts extends WrittenFor {
  /** Vendors without a key on this machine. */
  unset: readonly VendorName[];
  /** Whether the command line names `origin`. */
  named: boolean;
  shown: FormatPath;
}

function nextSteps(seen: Seen, files: ReadonlyMap<string, string>, facts: Facts): string[] {
  const { vendors, origin, named, shown, starter } = facts;
  const { git, below, foreign, prompts, workflow } = seen;
  const inProject = (path: string) => posix.relative(below, path);
  const steps = [
    ...when(
      !git,
      'Run git init here, and commit: evaldiff finds changes by comparing with a commit.',
    ),
    ...originSteps(origin, named, workflow === null, files.has(workflowPath(below))),
    ...vendors.map((vendor) => keyStep(vendor, facts, shown(workflowPath(below)))),
    ...endpointSteps(seen),
    ...(files.has(posix.join(below, SETTINGS_FILE)) ? seen.retired : []).map(
      ({ name, end, successor }) =>
        `${name} ended on ${end}, and ${SETTINGS_FILE} replaces it by ${successor}. For another ` +
        'successor, change its name there.',
    ),
    ...when(
      foreign.length > 0 && prompts.length > 0,
      `Choose which of these files to evaluate, and list them under prompts: in ${SETTINGS_FILE}: ` +
        foreign.map(inProject).join(', '),
    ),
    ...when(
      starter.suites.length > 0,
      'Write two or three tasks of your own, and for a skill a trigger test, into ' +
        `${starter.suites.map(({ path }) => path).join(' and ')} (docs/agents.md). To test ` +
        'prompts instead, write prompts/NAME.yaml (docs/first-suite.md).',
    ),
    ...starter.steps,
    ...when(
      files.has(posix.join(below, EXAMPLE)),
      `To see a red verdict, commit, delete the line "${DECIDING_LINE}" from ` +
        `${shown(posix.join(below, EXAMPLE))}, and run diff. With the line it is green again.`,
    ),
    ...when(
      workflow !== null || origin !== null,
      `Make the job "${jobOf(below)}" a required check once its first run is green.`,
    ),
  ];
  return [
    'Next:',
    ...steps.map((step, index) => `  ${index + 1}. ${step}`),
    '',
    ...commandLines(directoryOption(shown(below)), starter.needsHost ? ' --code host' : ''),
  ];
}

function when(isSo: boolean, line: string): string[] {
  return isSo ? [line] : [];
}

function originSteps(
  origin: CopyOrigin | null,
  named: boolean,
  isMissing: boolean,
  isWritten: boolean,
): string[] {
  if (origin === null)
    return when(
      isMissing,
      'To write the workflow, run npx evaldiff init --from OWNER/REPO@TAG with a repository on ' +
        'GitHub that has evaldiff, and its tag or full commit id (docs/own-release.md).',
    );
  return [
    ...when(
      isWritten && !named,
      `The workflow uses ${origin.repository}, the repository of this copy of evaldiff. For ` +
        'another one, delete the workflow and pass --from OWNER/REPO@TAG.',
    ),
    `On other machines, install the same version: npm install --save-dev ${archiveOf(origin)}`,
  ];
}

function endpointSteps({ workflow, endpoints }: Seen): string[] {
  return (workflow === null ? endpoints : []).map((name) => {
    const key = endpointKey(name);
    return (
      `Add the address of the server ${name} to the workflow (endpoints), and its key as the ` +
      `repository secret ${key}; if it needs no key, remove key=…. On this machine: export ` +
      `EVALDIFF_ENDPOINTS="${name}=https://… key=${key}".`
    );
  });
}

function keyStep(vendor: VendorName, { unset, keyless }: Facts, workflow: string): string {
  const { keyVariable: key, label } = factsOf(vendor);
  const inJob = keyless
    ? `Register this repository's identity with ${label}, and write its ids into ${workflow} ` +
      '(docs/models.md#without-a-key)'
    : `Add your model key as the repository secret ${key}`;
  return `${inJob}; ${hereWords(key, unset.includes(vendor))}.`;
}

function hereWords(key: string, isUnset: boolean): string {
  return isUnset
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

const EXAMPLE = 'prompts/support.yaml';

/** Without this line, the example is red. */
const DECIDING_LINE = 'Returns are possible within 30 days.';

export function starterFiles(
  vendor: VendorName,
  given: { starter?: Pick<StarterFiles, 'suites'>; origin?: CopyOrigin | null } = {},
): Map<string, string> {
  const model = factsOf(vendor).starterModel;
  const { starter = { suites: [] }, origin = null } = given;
  const settings = ['evaldiff.yaml', starterSettings(vendor, origin)] as const;
  if (starter.suites.length > 0)
    return new Map([settings, ...starter.suites.map(({ path, text }) => [path, text] as const)]);
  return new Map([
    settings,
    [
      EXAMPLE,
      `${schemaLine('prompt', origin)}model: ${model}
prompt: |
  You answer customers of a small online shop in at most two sentences.
  ${DECIDING_LINE}
  Parcels go with Northmail.
  {question}
metrics: [contains]
references:
  - { id: returns, input: { question: How long can I send a jacket back? }, expected: "30" }
  - { id: carrier, input: { question: Who brings my parcel? }, expected: Northmail }
  - { id: late, input: { question: May I return a scarf after six weeks? }, expected: "30" }
`,
    ],
  ]);
}

function starterSettings(
  vendor: VendorName,
  origin: CopyOrigin | null,
  { listed, ...seen }: Partial<Seen> = {},
): string {
  const model = factsOf(vendor).starterModel;
  const models = starterModels(vendor, seen);
  const lines = [
    ...when((listed ?? []).length > 0, `prompts: ${JSON.stringify(listed)}`),
    ...when(models.length > 0, ['models:', ...models].join('\n  ')),
    `grader: { model: ${model} } # called only if a metric such as llm_rubric needs a grader`,
  ];
  return `${schemaLine('settings', origin)}${lines.join('\n')}\n`;
}

function starterModels(
  vendor: VendorName,
  { needsModel = false, needsHost = false, installs = false, retired = [] }: Partial<Seen>,
): string[] {
  const bySuccessor = Map.groupBy(retired, ({ successor }) => successor);
  return [
    ...when(
      needsModel,
      `default: { provider: ${vendor}, model: ${factsOf(vendor).starterModel} } ` +
        '# for files that name no model',
    ),
    ...[...bySuccessor].map(([successor, models]) => {
      const names = JSON.stringify(models.map(({ name }) => name));
      const provider = models[0]?.provider ?? vendor;
      return `${JSON.stringify(successor)}: { provider: ${provider}, replaces: ${names} } # ended`;
    }),
    ...when(
      needsHost && installs,
      `${PROMPTFOO_PROGRAM}: { provider: program, command: [${PROMPTFOO_PROGRAM}], ` +
        'setup: [npm, ci] } # for code in files of promptfoo',
    ),
  ];
}
