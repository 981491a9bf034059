import type { z } from 'zod';
import { composePrompt } from '../../config/compose-prompt.ts';
import type { ForeignFile, FormatTools } from '../../config/formats.ts';
import { askedModel } from '../../config/model-names.ts';
import { checkMembers } from '../../config/schema.ts';
import { testKeys } from '../../config/tests.ts';
import { Field, valueAt, type Document } from '../../documents/document.ts';
import { folderOf, globProblem, isPlainRelative, join, stemOf } from '../../documents/paths.ts';
import { problem } from '../../errors.ts';
import type { ModelSettings } from '../../project/settings.ts';
import { placeOf, type AskedModel } from '../../types/model.ts';
import {
  isMap,
  jsonText,
  ownEntry,
  type Json,
  type JsonMap,
  type Problem,
} from '../../types/plain.ts';
import { factsOf } from '../../types/vendors.ts';
import { speaksWire } from './gateway/routes.ts';
import { agentMetrics, RUN_VALUES } from './metrics.ts';
import { agentRow } from './rows/index.ts';
import { versionFault } from './rows/versions.ts';
import { RUN_LIMITS, suiteMembers, workspaceShape, type agentSchema } from './schema.ts';
import { isPrivateHost, networkHosts } from './suite/network.ts';
import { filePatterns, literalPattern, matcherOf, placeFiles } from './suite/rules.ts';
import {
  afterwardsWords,
  agentCommand,
  type AgentName,
  type AgentSpec,
  type SuiteSpec,
  type WorkspaceRules,
} from './suite/spec.ts';
import {
  checkSkillNames,
  readAgentTasks,
  writtenMetrics,
  type ReadTask,
  type SuiteFile,
} from './tasks.ts';

/** Converts an agent suite to a prompt whose model is a program that runs the agent. */
export async function readAgentSuite(
  given: Document,
  tools: FormatTools,
  problems: Problem[],
): Promise<ForeignFile> {
  const read = new Set([given.file]);
  const document = await composedSuite(given, tools, read, problems);
  const suite: SuiteFile = {
    document,
    tools,
    problems,
    refuse: (path, message) => problems.push(problem(document.placeOf(path), message)),
  };
  const before = problems.length;
  const written = checkMembers(new Field(document, problems), suiteMembers);
  const tasks = readAgentTasks(suite);
  const agent = readAgent(suite, written.agent);
  const model = readAgentModel(suite, written.model, agent);
  const models = readFurtherModels(suite, written.models, model);
  const rules = readWorkspace(suite, { hidden: [...read], agent, tasks });
  if (agent !== null && problems.length === before)
    await checkSkillNames(suite, { agent: agent.agent, rules, tasks });
  const metrics = new Map(agentMetrics.map((definition) => [definition.name, definition]));
  const found: ForeignFile = { prompts: [], models: {}, grader: null, notices: [], metrics };
  if (problems.length > before || model === null || agent === null) return found;
  const spec: SuiteSpec = {
    ...agent,
    model: model.model,
    at: model.endpoint ?? model.provider,
    allow: written.allow ?? [],
    models,
    workspace: rules,
    limits: Object.assign({ ...RUN_LIMITS }, written.limits),
  };
  const named = { spec, document, name: written.name ?? stemOf(document.file) };
  const suites = suitesOf(named, written, tasks);
  return {
    ...found,
    prompts: suites.map((each) => ({ document: each.document })),
    programs: new Map(suites.map(({ model: key, program }) => [key, program])),
  };
}

/**
 * Trigger tests (does the agent choose the right skill?) get their own suite, because their runs
 * end early.
 */
function suitesOf(
  { spec, document, name }: { spec: SuiteSpec; document: Document; name: string },
  { model: called = '', models: further = [] }: { model?: string; models?: string[] | undefined },
  tasks: readonly ReadTask[],
) {
  const triggers = tasks.filter(isTrigger);
  const work = tasks.filter((task) => !isTrigger(task));
  const ofTriggers = new Set(triggers.map(({ id }) => id));
  const make = (suite: string, own: readonly ReadTask[], trigger: boolean) => {
    const model = `${spec.agent} with ${called} (${suite})`;
    const attached = own.flatMap(({ files = {} }) => Object.values(files));
    const program: ModelSettings = {
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
      place: document.placeOf(['agent']),
      calls: {
        model: called,
        further,
        most: trigger ? 1 : spec.limits.turns,
        usd: spec.limits.usd,
        afterwards: trigger ? [] : afterwardsOf(document),
      },
    };
    return {
      document: promptDocument(document, {
        name: suite,
        model,
        tasks: own,
        trigger,
        isOwn: (id) => work.length === 0 || ofTriggers.has(id) === trigger,
      }),
      model,
      program,
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
  { tools, refuse }: SuiteFile,
  name: string | undefined,
  agent: FoundAgent | null,
): AskedModel | null {
  if (name === undefined) return null;
  const asked = askedModel(tools.settings, name);
  const { name: caller, wires } = agentRow(agent?.agent ?? 'command');
  if (asked === null) refuse(['model'], unknownAgentModel(name));
  else if (!wires.some((wire) => speaksWire(asked, wire)))
    refuse(
      ['model'],
      `model: ${caller} calls the API of ${wires.join(' or ')}, and ${asked.model} is at ` +
        `${factsOf(asked.provider).label}; name a model of that vendor, or of an endpoint with that API`,
    );
  return asked;
}

/** The gateway sends them to the server of the suite's model. */
function readFurtherModels(
  { tools, refuse }: SuiteFile,
  names: readonly string[] = [],
  model: AskedModel | null,
): string[] {
  return names.flatMap((name, index) => {
    const asked = askedModel(tools.settings, name);
    if (asked === null) refuse(['models', index], unknownAgentModel(name));
    else if (model !== null && placeOf(asked) !== placeOf(model))
      refuse(['models', index], `model: ${name} is not at ${placeOf(model)}`);
    return asked?.model ?? [];
  });
}

function unknownAgentModel(model: string): string {
  return (
    `model: no vendor has a model "${model}", and the settings have none under that name ` +
    `(models: { ${JSON.stringify(model)}: { provider: … } })`
  );
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
  const sources = [valueAt(document.value, ['tests', 'references_from']) ?? []].flat();
  for (const file of sources.map((source) => valueAt(source, ['file']))) {
    if (typeof file !== 'string') continue;
    const path = [join(folderOf(given.file), file), join('', file)].find(
      (each) => each !== null && files.absence(each) === null,
    );
    if (path !== undefined && path !== null) read.add(path);
  }
  return document;
}

type FoundAgent = Pick<AgentSpec, 'agent' | 'version' | 'command' | 'skillTool'>;

function readAgent(
  { refuse }: SuiteFile,
  written: z.infer<typeof agentSchema> | undefined,
): FoundAgent | null {
  if (written === undefined) return null;
  if (typeof written !== 'string') {
    const { skill_tool: skillTool } = written;
    const own = { version: null, ...(skillTool !== undefined && { skillTool }) };
    return 'acp' in written
      ? { agent: 'acp', command: written.acp, ...own }
      : { agent: 'command', command: written.command, ...own };
  }
  const [name = '', wanted] = written.split('@');
  const row = agentRow(name as AgentName);
  const fault = wanted === undefined ? null : versionFault(row, wanted);
  if (fault !== null) refuse(['agent'], `agent: ${fault}`);
  return { agent: row.name, version: wanted ?? row.version, command: [] };
}

interface WorkspaceContext {
  /** Files of the suite. */
  hidden: readonly string[];
  agent: FoundAgent | null;
  tasks: readonly ReadTask[];
}

function readWorkspace(suite: SuiteFile, context: WorkspaceContext): WorkspaceRules {
  const { document, tools, problems } = suite;
  const field = new Field(document, problems, ['workspace']);
  const written = field.isGiven ? checkMembers(field, workspaceShape) : {};
  const before = problems.length;
  const { file, rubrics } = tools.settings;
  const { setup = [], skills } = written;
  const { run, network = 'off' } = Array.isArray(setup) ? { run: setup } : setup;
  const rules: WorkspaceRules = {
    from: written.from === undefined ? '' : folderName(written.from),
    with: written.with ?? [],
    hide: written.hide ?? [],
    own: [...[...context.hidden, ...(file === null ? [] : [file])].map(literalPattern), ...rubrics],
    setup: { run, network },
    network: written.network ?? 'off',
    ...(skills !== undefined && { skills: placeSkills(suite, skills, context.agent) }),
  };
  checkPatterns(suite, rules);
  checkHosts(suite, rules);
  if (problems.length === before) checkPlaced(suite, rules, context);
  return rules;
}

/** Reports what will be missing in the workspace. */
function checkPlaced(
  { tools: { files }, refuse }: SuiteFile,
  rules: WorkspaceRules,
  { agent, tasks }: WorkspaceContext,
): void {
  const placed = placeFiles(files.below(''), rules);
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
}

function checkHosts({ document, refuse }: SuiteFile, { network, setup }: WorkspaceRules): void {
  const written = [
    { path: ['workspace', 'network'], hosts: networkHosts(network) },
    { path: ['workspace', 'setup', 'network'], hosts: networkHosts(setup.network) },
  ];
  for (const { path, hosts } of written)
    for (const host of hosts.filter(isPrivateHost))
      refuse(
        [...path, [valueAt(document.value, path)].flat().indexOf(host)],
        `${path.join('.')}: ${host} is not a public host; remove it, or put what the agent ` +
          'needs into the workspace',
      );
}

function folderName(written: string): string {
  return written.replace(/^\.(?:\/|$)/, '').replace(/\/$/, '');
}

const SHARED_SKILLS = '.agents/skills';

function placeSkills(
  { tools: { files }, refuse }: SuiteFile,
  skills: Readonly<Record<string, string>>,
  agent: FoundAgent | null,
): Record<string, string> {
  const at = agentRow(agent?.agent ?? 'command').skillFolders?.[0] ?? SHARED_SKILLS;
  const placed = Object.entries(skills).map(([name, written]) => {
    const path = ['workspace', 'skills', name];
    const folder = folderName(written);
    const file = join(folder, 'SKILL.md');
    if (!/^[a-z\d][\w.-]*$/i.test(name))
      refuse(path, `workspace.skills: "${name.slice(0, 100)}" is not the name of a skill`);
    else if (file === null || files.absence(file) !== null)
      refuse(path, `workspace.skills: ${name}: there is no ${file ?? written}, or git ignores it`);
    return [`${at}/${name}`, folder];
  });
  return Object.fromEntries(placed) as Record<string, string>;
}

function checkPatterns(
  { tools: { files }, refuse }: SuiteFile,
  { from, with: added, hide }: WorkspaceRules,
): void {
  const all = files.below('');
  if (from !== '' && (!isPlainRelative(from) || from.split('/').includes('..')))
    refuse(
      ['workspace', 'from'],
      `workspace.from: ${from.slice(0, 100)} must be a folder inside the repository`,
    );
  else if (files.below(from).length === 0)
    refuse(['workspace', 'from'], `workspace.from: there is no folder ${from}, or git ignores it`);
  const patternProblem = (pattern: string) =>
    globProblem(pattern) ??
    (all.some(matcherOf([pattern]))
      ? null
      : `${pattern} matches no file that git does not ignore; correct it or remove it`);
  for (const [key, patterns] of Object.entries({ with: added, hide }))
    for (const [index, pattern] of patterns.entries()) {
      const wrong = patternProblem(pattern);
      if (wrong !== null) refuse(['workspace', key, index], `workspace.${key}: ${wrong}`);
    }
}

function afterwardsOf({ value }: Document): readonly string[] {
  const metrics = writtenMetrics(value).map(({ metric }) => metric);
  const given = (uses: string, key: string) =>
    metrics.flatMap((metric) =>
      valueAt(metric, ['uses']) === uses ? (valueAt(metric, ['with', key]) ?? []) : [],
    );
  const texts = (values: readonly Json[]) => values.filter((each) => typeof each === 'string');
  const contained = given('files', 'contains').flatMap((by) => (isMap(by) ? Object.keys(by) : []));
  const watch = [...given('files', 'exist'), ...given('files', 'absent'), ...contained];
  return afterwardsWords(texts(given('runs', 'run')), texts(watch));
}

interface PromptParts {
  name: string;
  model: string;
  tasks: readonly ReadTask[];
  trigger: boolean;
  /** One of the suites owns the ids that no task has, and reports them. */
  isOwn: (id: string) => boolean;
}

/** Error positions in the result still refer to the suite's file. */
function promptDocument(
  document: Document,
  { name, model, tasks, trigger, isOwn }: PromptParts,
): Document {
  const written = valueAt(document.value, ['tests']);
  const tests: JsonMap = isMap(written) ? { ...written } : {};
  const rows = valueAt(tests, ['quarantine']);
  const quarantined = (Array.isArray(rows) ? rows : []).flatMap((row, index) =>
    isOwn(jsonText(valueAt(row, ['id']) ?? '')) ? [{ row, index }] : [],
  );
  tests['references'] = tasks.map(({ reference }) => reference);
  if (Array.isArray(rows)) tests['quarantine'] = quarantined.map(({ row }) => row);
  if (trigger) for (const key of ['metrics', 'gate', 'references_from']) delete tests[key];
  else tests['metrics'] = withRunValues(tests['metrics']);
  const value: JsonMap = {
    name,
    model,
    variables: [{ name: 'task' }],
    messages: [{ role: 'user', content: '{task}' }],
    tests,
  };
  const lists: Record<string, readonly { index: number }[]> = {
    references: tasks,
    quarantine: quarantined,
  };
  const placeOf: Document['placeOf'] = (path) => {
    const [first, second, index, ...rest] = path;
    if (first === 'messages' || first === 'variables' || first === undefined)
      return { file: document.file, line: 0 };
    const list = first === 'tests' ? ownEntry(lists, String(second)) : undefined;
    if (list === undefined || typeof index !== 'number') return document.placeOf(path);
    const at = list[index]?.index ?? index;
    return document.placeOf([...path.slice(0, 2), at, ...rest.filter((step) => step !== 'input')]);
  };
  return { file: document.file, value, placeOf, placeOfText: placeOf };
}

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
