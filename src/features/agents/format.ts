import type { z } from 'zod';
import { composePrompt } from '../../config/compose-prompt.ts';
import type { ForeignFile, FormatTools } from '../../config/formats.ts';
import { askedModel } from '../../config/model-names.ts';
import { checkMembers, closed, check } from '../../config/schema.ts';
import { testKeys } from '../../config/test-keys.ts';
import { valueAt, type Document } from '../../documents/document.ts';
import { folderOf, globProblem, isPlainRelative, join, stemOf } from '../../documents/paths.ts';
import { problem } from '../../errors.ts';
import type { ModelSettings } from '../../project/settings.ts';
import { placeOf, type AskedModel } from '../../types/model.ts';
import {
  isMap,
  type Json,
  type JsonMap,
  type Notice,
  type Place,
  type Problem,
} from '../../types/plain.ts';
import { factsOf } from '../../types/vendors.ts';
import { speaksWire } from './gateway/routes.ts';
import { agentMetrics, RUN_VALUES } from './metrics.ts';
import { agentRow } from './rows/index.ts';
import { versionFault } from './rows/versions.ts';
import {
  RUN_LIMITS,
  limitsShape,
  suiteMembers,
  workspaceShape,
  type agentSchema,
} from './schema.ts';
import { isPrivateHost, networkHosts } from './suite/network.ts';
import { filePatterns, literalPattern, matcherOf, placeFiles } from './suite/rules.ts';
import { setupFaults } from './suite/setup.ts';
import {
  afterwardsWords,
  agentCommand,
  type AgentName,
  type AgentSpec,
  type RunLimits,
  type WorkspaceRules,
} from './suite/spec.ts';
import { readAgentTasks, unknownSkills, type ReadTask } from './tasks.ts';

/** Converts an agent suite to a prompt whose model is a program that runs the agent. */
export async function readAgentSuite(
  given: Document,
  tools: FormatTools,
  problems: Problem[],
): Promise<ForeignFile> {
  const read = new Set([given.file]);
  const document = await composedSuite(given, tools, read, problems);
  const before = problems.length;
  const written = checkMembers(document, [], suiteMembers, problems);
  const tasks = readAgentTasks(document, tools, problems);
  const agent = readAgent(document, written.agent, problems);
  const model = readAgentModel(document, written.model, tools, problems);
  const notices: Notice[] = [];
  const context = { tools, hidden: [...read], agent, tasks, notices };
  const rest = {
    models: readFurtherModels(document, written.models, { model, tools }, problems),
    workspace: readWorkspace(document, context, problems),
    limits: readLimits(document, problems),
  };
  const metrics = new Map(agentMetrics.map((definition) => [definition.name, definition]));
  const found: ForeignFile = { prompts: [], models: {}, grader: null, notices, metrics };
  if (agent !== null && model !== null) checkWires(document, agent.agent, model, problems);
  if (agent !== null && problems.length === before)
    problems.push(
      ...(await unknownSkills(document, { agent: agent.agent, rules: rest.workspace, tools })),
    );
  if (problems.length > before || model === null || agent === null) return found;
  const spec = {
    ...agent,
    model: model.model,
    at: model.endpoint ?? model.provider,
    allow: written.allow ?? [],
    ...rest,
  };
  const named = { spec, document, name: written.name ?? stemOf(document.file) };
  const suites = suitesOf(named, written, tasks);
  return {
    ...found,
    prompts: suites.map((suite) => ({ document: suite.document })),
    programs: new Map(suites.map(({ model: key, program }) => [key, program])),
  };
}

type SuiteSpec = Omit<AgentSpec, 'checks' | 'watch'>;

interface AgentSuite {
  document: Document;
  model: string;
  program: ModelSettings;
}

/**
 * Trigger tests (does the agent choose the right skill?) get their own suite, because their runs
 * end early.
 */
function suitesOf(
  { spec, document, name }: { spec: SuiteSpec; document: Document; name: string },
  { model: called = '', models: further = [] }: { model?: string; models?: string[] | undefined },
  tasks: readonly ReadTask[],
): AgentSuite[] {
  const [triggers, work] = [tasks.filter(isTrigger), tasks.filter((task) => !isTrigger(task))];
  const make = (suite: string, own: readonly ReadTask[], trigger: boolean): AgentSuite => {
    const model = `${spec.agent} with ${called} (${suite})`;
    const program = agentProgram(spec, own, document.placeOf(['agent']));
    const calls = {
      model: called,
      further,
      most: trigger ? 1 : spec.limits.turns,
      usd: spec.limits.usd,
      afterwards: trigger ? [] : afterwardsOf(document),
    };
    return {
      document: promptDocument(document, { name: suite, model, tasks: own, trigger }),
      model,
      program: { ...program, calls },
    };
  };
  return [
    ...(work.length > 0 || triggers.length === 0 ? [make(name, work, false)] : []),
    ...(triggers.length > 0
      ? [make(work.length === 0 ? name : `${name}: triggers`, triggers, true)]
      : []),
  ];
}

function readAgentModel(
  document: Document,
  model: string | undefined,
  { settings }: FormatTools,
  problems: Problem[],
): AskedModel | null {
  const asked = model === undefined ? null : askedModel(settings, model);
  if (model !== undefined && asked === null)
    problems.push(problem(document.placeOf(['model']), unknownAgentModel(model)));
  return asked;
}

/** The gateway sends them to the server of the suite's model. */
function readFurtherModels(
  document: Document,
  names: readonly string[] = [],
  { model, tools }: { model: AskedModel | null; tools: FormatTools },
  problems: Problem[],
): string[] {
  return names.flatMap((name, index) => {
    const asked = askedModel(tools.settings, name);
    if (model === null || (asked !== null && placeOf(asked) === placeOf(model)))
      return asked?.model ?? [];
    const message =
      asked === null ? unknownAgentModel(name) : `model: ${name} is not at ${placeOf(model)}`;
    problems.push(problem(document.placeOf(['models', index]), message));
    return [];
  });
}

const isTrigger = ({ trigger }: ReadTask): boolean => trigger !== undefined;

async function composedSuite(
  given: Document,
  { files }: FormatTools,
  read: Set<string>,
  problems: Problem[],
): Promise<Document> {
  const noting = {
    ...files,
    document: (path: string, found: Problem[]) => {
      if (files.absence(path) === null) read.add(path);
      return path === given.file ? Promise.resolve(given) : files.document(path, found);
    },
  };
  const state = { files: noting, root: folderOf(given.file), testKeys: testKeys([]), problems };
  const document = (await composePrompt(given.file, state)) ?? given;
  for (const file of taskDataFiles(document)) {
    const path = [join(folderOf(given.file), file), join('', file)].find(
      (each) => each !== null && files.absence(each) === null,
    );
    if (path !== undefined && path !== null) read.add(path);
  }
  return document;
}

function taskDataFiles({ value }: Document): string[] {
  return [valueAt(value, ['tests', 'references_from']) ?? []]
    .flat()
    .flatMap((source) =>
      isMap(source) && typeof source['file'] === 'string' ? source['file'] : [],
    );
}

function readAgent(
  document: Document,
  written: z.infer<typeof agentSchema> | undefined,
  problems: Problem[],
): Pick<AgentSpec, 'agent' | 'version' | 'command' | 'skillTool'> | null {
  if (written === undefined) return null;
  if (typeof written !== 'string') {
    const { skill_tool: skillTool } = written;
    const own = { version: null, ...(skillTool === undefined ? {} : { skillTool }) };
    return 'acp' in written
      ? { agent: 'acp', command: written.acp, ...own }
      : { agent: 'command', command: written.command, ...own };
  }
  const [name = '', wanted] = written.split('@');
  const row = agentRow(name as AgentName);
  const fault = wanted === undefined ? null : versionFault(row, wanted);
  if (fault !== null) problems.push(problem(document.placeOf(['agent']), `agent: ${fault}`));
  return { agent: row.name, version: wanted ?? row.version, command: [] };
}

function unknownAgentModel(model: string): string {
  return (
    `model: no vendor has a model "${model}", and the settings have none under that name ` +
    `(models: { ${JSON.stringify(model)}: { provider: … } })`
  );
}

function checkWires(
  document: Document,
  agent: AgentName,
  asked: AskedModel,
  problems: Problem[],
): void {
  const { wires } = agentRow(agent);
  if (wires.some((wire) => speaksWire(asked, wire))) return;
  const message =
    `model: ${agent} calls the API of ${wires.join(' or ')}, and ${asked.model} is at ` +
    `${factsOf(asked.provider).label}; name a model of that vendor, or of an endpoint with that API`;
  problems.push(problem(document.placeOf(['model']), message));
}

interface WorkspaceContext {
  tools: FormatTools;
  hidden: readonly string[];
  agent: Pick<AgentSpec, 'agent' | 'command'> | null;
  tasks: readonly ReadTask[];
  notices: Notice[];
}

function readWorkspace(
  document: Document,
  context: WorkspaceContext,
  problems: Problem[],
): WorkspaceRules {
  const { tools, hidden, agent } = context;
  const isWritten = valueAt(document.value, ['workspace']) !== undefined;
  const written = isWritten ? checkMembers(document, ['workspace'], workspaceShape, problems) : {};
  const { file, rubrics } = tools.settings;
  const rules: WorkspaceRules = {
    from: written.from === undefined ? '' : folderName(written.from),
    with: written.with ?? [],
    hide: written.hide ?? [],
    own: [...[...hidden, ...(file === null ? [] : [file])].map(literalPattern), ...rubrics],
    setup: readSetup(written.setup ?? []),
    network: written.network ?? 'off',
    ...(written.skills === undefined ? {} : { skills: placeSkills(written.skills, agent) }),
  };
  const before = problems.length;
  checkPatterns(document, rules, tools, problems);
  checkHosts(document, rules, problems);
  checkSkills(document, written.skills ?? {}, tools, problems);
  if (problems.length === before) checkPlaced(document, rules, context, problems);
  return rules;
}

function readSetup(
  written: string[] | { run: string[]; network?: WorkspaceRules['network'] | undefined },
): WorkspaceRules['setup'] {
  if (Array.isArray(written)) return { run: written, network: 'off' };
  return { run: written.run, network: written.network ?? 'off' };
}

/** Reports what will be missing in the workspace. */
function checkPlaced(
  document: Document,
  rules: WorkspaceRules,
  { tools: { files }, agent, tasks, notices }: WorkspaceContext,
  problems: Problem[],
): void {
  const placed = placeFiles(files.below(''), rules);
  const refuse = (path: readonly string[], message: string): void => {
    problems.push(problem(document.placeOf(path), message));
  };
  if (placed.size === 0) {
    const why = 'no file is left, because `hide` excludes every file of `from` and `with`';
    refuse(['workspace', 'hide'], `workspace: ${why}`);
    return;
  }
  const attached = tasks.flatMap((task) => Object.keys(task.files ?? {}));
  const paths = [...placed.keys(), ...attached];
  for (const word of agent?.command ?? []) {
    const path = word.replace(/^\.\//, '');
    if (files.absence(path) === null && !paths.includes(path))
      refuse(['agent'], `agent: the workspace does not contain ${path}; add it with \`with\``);
  }
  const { errors, warnings } = setupFaults(rules.setup, paths);
  for (const message of errors) refuse(['workspace', 'setup'], `workspace.setup: ${message}`);
  const place = document.placeOf(['workspace', 'setup']);
  for (const message of warnings)
    notices.push({ kind: 'settings', place, message: `workspace.setup: ${message}` });
}

function checkHosts(
  document: Document,
  { network, setup }: WorkspaceRules,
  problems: Problem[],
): void {
  const written = [
    { path: ['workspace', 'network'], hosts: networkHosts(network) },
    { path: ['workspace', 'setup', 'network'], hosts: networkHosts(setup.network) },
  ];
  for (const { path, hosts } of written)
    for (const host of hosts.filter(isPrivateHost))
      problems.push(
        problem(
          document.placeOf([...path, [valueAt(document.value, path)].flat().indexOf(host)]),
          `${path.join('.')}: ${host} is not a public host; remove it, or put what the agent ` +
            'needs into the workspace',
        ),
      );
}

function folderName(written: string): string {
  return written.replace(/^\.(?:\/|$)/, '').replace(/\/$/, '');
}

const SHARED_SKILLS = '.agents/skills';

function placeSkills(
  skills: Readonly<Record<string, string>>,
  agent: WorkspaceContext['agent'],
): Record<string, string> {
  const folders = agent === null ? null : agentRow(agent.agent).skillFolders;
  const at = folders?.[0] ?? SHARED_SKILLS;
  return Object.fromEntries(
    Object.entries(skills).map(([name, folder]) => [`${at}/${name}`, folderName(folder)]),
  );
}

function checkSkills(
  document: Document,
  skills: Readonly<Record<string, string>>,
  { files }: FormatTools,
  problems: Problem[],
): void {
  for (const [name, folder] of Object.entries(skills)) {
    const file = join(folderName(folder), 'SKILL.md');
    const message = /^[a-z\d][\w.-]*$/i.test(name)
      ? file === null || files.absence(file) !== null
        ? `${name}: there is no ${file ?? folder}, or git ignores it`
        : null
      : `"${name.slice(0, 100)}" is not the name of a skill`;
    if (message !== null)
      problems.push(
        problem(document.placeOf(['workspace', 'skills', name]), `workspace.skills: ${message}`),
      );
  }
}

function checkPatterns(
  document: Document,
  { from, with: added, hide }: WorkspaceRules,
  { files }: FormatTools,
  problems: Problem[],
): void {
  const refuse = (path: readonly (string | number)[], message: string): void => {
    problems.push(problem(document.placeOf(['workspace', ...path]), `workspace.${message}`));
  };
  const all = files.below('');
  if (from !== '' && (!isPlainRelative(from) || from.split('/').includes('..')))
    refuse(['from'], `from: ${from.slice(0, 100)} must be a folder inside the repository`);
  else if (files.below(from).length === 0)
    refuse(['from'], `from: there is no folder ${from}, or git ignores it`);
  for (const [key, patterns] of [
    ['with', added],
    ['hide', hide],
  ] as const)
    for (const [index, pattern] of patterns.entries()) {
      const wrong = globProblem(pattern);
      if (wrong !== null) refuse([key, index], `${key}: ${wrong}`);
      else if (!all.some(matcherOf([pattern])))
        refuse(
          [key, index],
          `${key}: ${pattern} matches no file that git does not ignore; correct it or remove it`,
        );
    }
}

function readLimits(document: Document, problems: Problem[]): RunLimits {
  if (valueAt(document.value, ['limits']) === undefined) return RUN_LIMITS;
  const { turns, minutes, usd } = check(document, ['limits'], closed(limitsShape), problems) ?? {};
  return {
    turns: turns ?? RUN_LIMITS.turns,
    minutes: minutes ?? RUN_LIMITS.minutes,
    usd: usd ?? RUN_LIMITS.usd,
  };
}

function agentProgram(spec: SuiteSpec, tasks: readonly ReadTask[], place: Place): ModelSettings {
  const attached = tasks.flatMap(({ files = {} }) => Object.values(files));
  return {
    provider: 'program',
    endpoint: null,
    model: `${spec.agent} with ${spec.model}`,
    price: null,
    command: agentCommand(spec),
    files: [...filePatterns(spec.workspace), ...new Set(attached.map(literalPattern))],
    setup: [],
    process: 'try',
    file: null,
    replaces: [],
    place,
  };
}

function afterwardsOf({ value }: Document): readonly string[] {
  const metrics = [
    valueAt(value, ['tests', 'metrics']) ?? [],
    ...[valueAt(value, ['tests', 'references']) ?? []]
      .flat()
      .map((reference) => valueAt(reference, ['metrics']) ?? []),
  ].flat();
  const given = (uses: string, key: string): Json[] =>
    metrics.flatMap((metric) =>
      valueAt(metric, ['uses']) === uses ? (valueAt(metric, ['with', key]) ?? []) : [],
    );
  const contained = given('files', 'contains').flatMap((by) => (isMap(by) ? Object.keys(by) : []));
  const watch = [...given('files', 'exist'), ...given('files', 'absent'), ...contained];
  return afterwardsWords(textsOf(given('runs', 'run')), textsOf(watch));
}

function textsOf(values: readonly Json[]): string[] {
  return values.filter((value) => typeof value === 'string');
}

interface PromptParts {
  name: string;
  model: string;
  tasks: readonly ReadTask[];
  trigger: boolean;
}

/** Error positions in the result still refer to the suite's file. */
function promptDocument(
  document: Document,
  { name, model, tasks, trigger }: PromptParts,
): Document {
  const written = valueAt(document.value, ['tests']);
  const tests: JsonMap = isMap(written) ? { ...written } : {};
  const ids = new Set(tasks.map(({ id }) => id));
  tests['references'] = tasks.map(({ reference }) => reference);
  if (Array.isArray(tests['quarantine']))
    tests['quarantine'] = tests['quarantine'].filter((row) => ids.has(taskId(row)));
  if (trigger) for (const key of ['metrics', 'gate', 'references_from']) delete tests[key];
  else tests['metrics'] = withRunValues(tests['metrics']);
  const value: JsonMap = {
    name,
    model,
    variables: [{ name: 'task' }],
    messages: [{ role: 'user', content: '{task}' }],
    tests,
  };
  const placeOf: Document['placeOf'] = ([first, second, index, ...rest]) => {
    if (first === 'messages' || first === 'variables' || first === undefined)
      return { file: document.file, line: 0 };
    if (first !== 'tests' || second !== 'references' || typeof index !== 'number')
      return document.placeOf([first, second, index, ...rest].filter((step) => step !== undefined));
    const at = tasks[index]?.index ?? index;
    return document.placeOf([
      'tests',
      'references',
      at,
      ...rest.filter((step) => step !== 'input'),
    ]);
  };
  return { file: document.file, value, placeOf, placeOfText: placeOf };
}

const taskId = (row: Json): string => String(valueAt(row, ['id']) ?? '');

/** Adds figures of the run, such as its turns, as metrics that never affect the verdict. */
function withRunValues(written: Json | undefined): Json {
  const metrics = written ?? [];
  if (!Array.isArray(metrics)) return metrics;
  const named = new Set(metrics.map((metric) => valueAt(metric, ['name'])));
  const values = RUN_VALUES.filter((value) => !named.has(value)).map((name) => ({
    name,
    uses: 'run_value',
    with: { of: name },
    skip: true,
  }));
  const kept = { name: 'key_kept', uses: 'key_kept' };
  return [...metrics, ...(named.has(kept.name) ? [] : [kept]), ...values];
}
