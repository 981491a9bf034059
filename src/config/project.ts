import { everyMetric } from '../core/trial/own-metrics.ts';
import { problem } from '../errors.ts';
import type { Json, Notice, Place, Problem, Project, Prompt, Rubric, Settings, SourceTree, Suite } from '../types.ts';
import { checkModels } from './allowed-models.ts';
import { checkGraders, checkNames, checkRubricNames } from './check-suites.ts';
import { composePrompt } from './defaults.ts';
import { below, valueAt } from './document.ts';
import type { Document } from './document.ts';
import { distinct } from './distinct.ts';
import { filesOf, twins } from './files.ts';
import type { Files, ParsedDocuments } from './files.ts';
import { documentOf, formatOf, IMPORTED_BY_NAME, importFormat, readImport, type Imported } from './imports/index.ts';
import type { Limits } from './limits.ts';
import type { BuiltInMetrics } from './metric.ts';
import type { Overrides } from './overrides.ts';
import { stemOf } from './paths.ts';
import { readPrompt } from './prompt.ts';
import { loadSettings } from './read-settings.ts';
import { readRubrics } from './rubric.ts';
import { readSettings, SETTINGS_FILE } from './settings.ts';
import { suggestion } from './suggest.ts';
import { sweepProblems } from './sweep.ts';
import { readTests } from './tests.ts';

/** How a commit is read; the same for both sides except `configRequired`. */
export interface ReadOptions {
  /** Settings file asked for, relative to the working directory. `llmeval.yaml` stands in for an absent `evaldiff.yaml`. */
  config: string;
  /** A missing settings file is a problem. Otherwise (base, say) the defaults are read. */
  configRequired: boolean;
  overrides: Overrides;
  /** Models that may be named; null: any. */
  allowedModels: readonly string[] | null;
  limits: Limits;
}

/** What reading takes from elsewhere in the product. */
export interface ReadTools {
  builtInMetrics: BuiltInMetrics;
  /** Rubrics that test files may name without defining them; none by default. */
  builtInRubrics?: ReadonlyMap<string, Rubric>;
  /** Any collision-resistant hash as hexadecimal text. */
  hash(text: string): string;
  /** Documents by path and object id: given to both sides, a file that did not change is parsed once. */
  parsed?: ParsedDocuments;
}

/**
 * Reads everything of one commit. Never throws for a user's mistake: all problems of all files come back at once, each
 * told once, in order of the files; the project holds what could be read and is meant to be run only without problems.
 */
export async function readProject(tree: SourceTree, options: ReadOptions, tools: ReadTools): Promise<{ project: Project; problems: Problem[] }> {
  const builtInRubrics = tools.builtInRubrics ?? new Map<string, Rubric>();
  const problems: Problem[] = [];
  const files = filesOf(tree, options.limits, tools.parsed);
  const { settings: written, notices, places } = await loadSettings(files, options, problems);
  const ours = withoutFixed(written, options.overrides);
  const ofSuites = { problems: [] as Problem[], notices: [] as Notice[] };
  const { suites, settings, rubrics: brought } = await loadSuites({ files, settings: ours, options, tools }, places, ofSuites.problems, ofSuites.notices);
  const before = problems.length;
  const rubrics = await loadRubrics(files, [...ours.rubrics, ...brought], { limits: options.limits, builtInRubrics, places }, problems, notices);
  // A rubric that cannot be read is missing too; told a second time, it would hide what is to mend.
  const complete = problems.length === before;
  problems.push(...ofSuites.problems);
  notices.push(...ofSuites.notices);
  checkNames(suites, problems);
  if (options.configRequired) problems.push(...sweepProblems(settings.sweep, suites, options.limits.combinations, places.sweep));
  if (complete) checkRubricNames(suites, rubrics, problems);
  checkGraders(suites, settings, problems);
  if (options.allowedModels !== null) problems.push(...checkModels(settings, suites, options.allowedModels));
  notices.push(...twins(tree, files.read));
  if (options.configRequired && settings.file === null && suites.length === 0 && problems.length === 0) problems.push(...nothingToRun(tree, options.config, ofSuites.notices));
  return { project: { settings, suites, rubrics: used(rubrics, suites, builtInRubrics), notices: distinct(notices) }, problems: distinct(problems) };
}

/** A run on the wrong folder must not look like one in which nothing changed. Files that were found and came to nothing say why. */
function nothingToRun({ commit }: SourceTree, config: string, notices: readonly Notice[]): Problem[] {
  const reasons = notices.filter(({ kind }) => kind === 'import' || kind === 'unused');
  if (reasons.length > 0) return reasons.map(({ place, message }) => problem(place, message));
  const where = commit === 'worktree' ? '' : ` at ${commit.slice(0, 7)}`;
  return [problem({ file: config, line: 0 }, `does not exist${where}, and neither does any prompts/*.yaml; write prompts there ("evaldiff init" begins with some), or name the folder (working-directory, --directory) or the file (config, --config) that has them`)];
}

/** A parameter that a line fixes is swept no more; one with several values is swept instead. */
function withoutFixed(settings: Settings, { parameters }: Overrides): Settings {
  const sweep = Object.fromEntries(Object.entries(settings.sweep).filter(([key]) => !parameters.has(key)));
  for (const [key, values] of parameters) if (values.length > 1) sweep[key] = values;
  return { ...settings, sweep };
}

async function loadRubrics(
  files: Files, patterns: readonly string[],
  { limits, builtInRubrics, places }: { limits: Limits; builtInRubrics: ReadonlyMap<string, Rubric>; places: (pattern: string) => Place },
  problems: Problem[], notices: Notice[],
): Promise<Map<string, Rubric>> {
  const rubrics = new Map(builtInRubrics);
  const found = files.match(patterns, places, problems);
  notices.push(...found.notices);
  for (const { file } of found.matches) {
    const document = await files.document(file, problems);
    if (document === null) continue;
    const read = await readRubrics(document, { limits, load: files.data }, problems);
    notices.push(...read.notices);
    for (const rubric of read.rubrics) {
      const earlier = rubrics.get(rubric.name);
      if (earlier !== undefined && earlier !== builtInRubrics.get(rubric.name)) {
        problems.push(problem(rubric.place, `the rubric "${rubric.name}" is already in ${earlier.place.file}, line ${earlier.place.line}`));
      } else {
        rubrics.set(rubric.name, rubric);
      }
    }
  }
  return rubrics;
}

/** One file's suites: one of ours, or what another tool's file comes to, with the models that it brings along. */
interface LoadedFile { suites: { suite: Suite | null; name: string }[]; stem: string; problems: Problem[]; notices: Notice[]; imported: Imported | null }

/** What a suite is read with. */
interface Reader { files: Files; settings: Settings; options: ReadOptions; tools: ReadTools }

async function loadSuites(
  reader: Reader, places: (pattern: string) => Place, problems: Problem[], notices: Notice[],
): Promise<{ suites: Suite[]; settings: Settings; rubrics: string[] }> {
  const { settings, options } = reader;
  const prompts = promptFiles(reader, places, problems, notices);
  const loaded = await Promise.all(prompts.map(({ file, root }) => loadFile(reader, file, root)));
  const wanted = options.overrides.prompts;
  const isWanted = (name: string, stem: string): boolean => wanted === null || wanted.includes(name) || wanted.includes(stem);
  const names = loaded.flatMap(({ suites, stem }) => suites.map(({ name }) => name || stem));
  for (const name of options.configRequired ? wanted ?? [] : []) {
    if (loaded.some(({ suites, stem }) => stem === name || suites.some((each) => each.name === name))) continue;
    problems.push(problem(null, `overrides: there is no prompt "${name}"${suggestion(name, names)}`));
  }
  const chosen = loaded.filter(({ suites, stem }) => wanted === null || isWanted('', stem) || suites.some(({ name }) => isWanted(name, stem)));
  for (const each of chosen) {
    problems.push(...each.problems);
    notices.push(...each.notices);
  }
  const imported = chosen.flatMap((each) => each.imported ?? []);
  return {
    suites: chosen.flatMap(({ suites, stem }) => suites.flatMap(({ suite, name }) => (suite === null || !isWanted(name, stem) ? [] : [suite]))),
    settings: withImported(settings, imported, options.limits, problems),
    rubrics: imported.flatMap(({ rubrics = [] }) => rubrics.map(({ file }) => file)),
  };
}

/**
 * The files that `prompts` names. Where the settings name none, another tool's files are found by their names; beside prompts
 * of ours, which say that the project is set up, they are only told of.
 */
function promptFiles({ files, settings }: Reader, places: (pattern: string) => Place, problems: Problem[], notices: Notice[]): { file: string; root: string }[] {
  const found = files.match(settings.prompts, places, problems);
  notices.push(...found.notices);
  // Test files are reached through the prompts that name them, so a pattern that takes in their folder means none of them.
  const prompts = found.matches.filter(({ file, root, exact }) => exact || importFormat(file) !== null || !inTests(file, root));
  if (!settings.prompts.every((pattern) => places(pattern).line === 0)) return prompts;
  const foreign = files.match(IMPORTED_BY_NAME, places, []).matches.filter(({ file }) => !prompts.some((each) => each.file === file));
  if (prompts.every(({ file }) => importFormat(file) !== null)) return [...prompts, ...foreign];
  for (const { file } of foreign) notices.push({ kind: 'import', message: 'could be read too, and is not: this project has prompts of its own. List it under prompts: in the settings', place: { file, line: 0 } });
  return prompts;
}

function inTests(file: string, root: string): boolean {
  return file.slice(root === '' ? 0 : root.length + 1).split('/').slice(0, -1).includes('tests');
}

async function loadFile(reader: Reader, file: string, root: string): Promise<LoadedFile> {
  const loaded: LoadedFile = { suites: [], stem: stemOf(file), problems: [], notices: [], imported: null };
  const format = await formatOf(file, reader.files);
  if (format === null) {
    const document = await composePrompt(file, root, reader.files, loaded.problems);
    loaded.suites.push(await loadSuite(reader, document, loaded));
    return loaded;
  }
  const { files, options: { limits }, tools } = reader;
  const imported = await readImport(file, format, { files, limits, builtIns: tools.builtInMetrics }, loaded.problems);
  if (imported === null || loaded.problems.length > 0) return loaded;
  loaded.imported = imported;
  loaded.notices.push(...imported.left);
  for (const each of imported.prompts) loaded.suites.push(await loadSuite(reader, documentOf(file, each), loaded));
  return loaded;
}

async function loadSuite({ files, settings, options, tools }: Reader, document: Document | null, loaded: LoadedFile): Promise<{ suite: Suite | null; name: string }> {
  const { problems, notices } = loaded;
  const reading = document === null ? null : readPrompt(document, problems);
  if (document === null || reading === null) return { suite: null, name: '' };
  const { name } = reading.prompt;
  notices.push(...reading.notices);
  if (valueAt(document.value, ['tests']) === undefined) {
    notices.push({ kind: 'unused', message: `the prompt "${name}" has no tests, so it is not evaluated`, place: { file: document.file, line: 0 } });
    return { suite: null, name };
  }
  const variables = reading.prompt.variables.map((each) => each.name);
  const context = {
    limits: options.limits, variables, builtIns: tools.builtInMetrics, grader: settings.grader, hash: tools.hash, load: files.data,
  };
  const tests = await readTests(below(document, ['tests']), context, problems);
  return { suite: tests === null ? null : { prompt: overridden(reading.prompt, options.overrides), tests }, name };
}

/** The settings with the models that imported files speak of, and their grading model; what the settings themselves say goes first. */
function withImported(settings: Settings, imported: readonly Imported[], limits: Limits, problems: Problem[]): Settings {
  const models = new Map(settings.models);
  for (const { models: written } of imported) {
    const entries = Object.entries(written).filter(([name]) => !models.has(name));
    const place = { file: settings.file ?? SETTINGS_FILE, line: 0 };
    const document: Document = { file: place.file, value: { models: Object.fromEntries(entries) }, placeOf: () => place, placeOfText: () => place };
    for (const [name, model] of entries.length === 0 ? [] : readSettings(document, limits, problems).settings.models) models.set(name, model);
  }
  const grader = imported.map((each) => each.grader).find((each) => each !== null) ?? null;
  return { ...settings, models, grader: settings.grader ?? (grader === null ? null : { model: grader.model, parameters: {}, place: grader.place }) };
}

/** The prompt with the parameters that a line fixes to one value. */
function overridden(prompt: Prompt, { parameters }: Overrides): Prompt {
  const fixed: Record<string, Json> = {};
  let { model } = prompt;
  for (const [key, [value, ...more]] of parameters) {
    if (value === undefined || more.length > 0) continue;
    if (key === 'model') model = String(value);
    else fixed[key] = value;
  }
  return { ...prompt, model, parameters: { ...prompt.parameters, ...fixed } };
}

/** The user's rubrics, and of the built-in ones those that a metric names. */
function used(rubrics: ReadonlyMap<string, Rubric>, suites: readonly Suite[], builtIns: ReadonlyMap<string, Rubric>): Map<string, Rubric> {
  const named = new Set(suites.flatMap(({ tests }) => everyMetric(tests).flatMap(({ source }) => (source.kind === 'rubric' ? [source.rubric] : []))));
  return new Map([...rubrics].filter(([name, rubric]) => named.has(name) || builtIns.get(name) !== rubric));
}
