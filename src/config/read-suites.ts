import { rowDocument } from '../documents/dataset.ts';
import { below, Field, type Document } from '../documents/document.ts';
import type { Files } from '../documents/files.ts';
import { stemOf } from '../documents/paths.ts';
import { problem } from '../errors.ts';
import { canonicalJson } from '../kernel/suite/canonical-json.ts';
import type { Prompt, Suite } from '../kernel/suite/suite.ts';
import type { BuiltInMetrics } from '../metrics/definition.ts';
import type { Settings } from '../project/settings.ts';
import { namesMeant } from '../text/patterns.ts';
import { didYouMean } from '../text/suggest.ts';
import { PROMPTFOO_PROGRAM } from '../types/model.ts';
import type { Json, Notice, Place, Problem } from '../types/plain.ts';
import { composePrompt, isInTests } from './compose-prompt.ts';
import { SETTINGS_FILE } from './file-names.ts';
import {
  detectFormat,
  isForeignPath,
  placesOf,
  unreadMessage,
  type ForeignFile,
  type ForeignSuite,
  type Formats,
  type FormatTools,
  type NamedFormat,
  type ReadFormat,
  type UnreadFormat,
} from './formats.ts';
import type { HostCall, HostSettings } from './host-call.ts';
import { withShownFiles } from './message-parts.ts';
import { entryOf } from './model-names.ts';
import type { Overrides } from './overrides.ts';
import { readPrompt, withInputs } from './prompt.ts';
import { readSettings } from './settings.ts';
import type { SuiteKey } from './suite-key.ts';
import { testKeys, readTests } from './tests.ts';

/** Problems and notices are reported only if the run wants a suite of the file. */
interface LoadedFile {
  suites: { suite: Suite | null; name: string }[];
  stem: string;
  problems: Problem[];
  notices: Notice[];
  imported: ForeignFile | null;
}

interface SuitesReader {
  files: Files;
  settings: Settings;
  options: {
    overrides: Overrides;
    configRequired: boolean;
    formats: Formats;
    suiteKeys?: readonly SuiteKey[];
  };
  tools: { builtInMetrics: BuiltInMetrics; hash(text: string): string; hostCall?: HostCall };
  /** Where the settings name a pattern. */
  places(pattern: string): Place;
  problems: Problem[];
  notices: Notice[];
}

export async function loadSuites(
  reader: SuitesReader,
): Promise<{ suites: Suite[]; settings: Settings; rubrics: string[] }> {
  const { options, problems, notices } = reader;
  const prompts = await promptFiles(reader);
  const loaded = await Promise.all(prompts.map((each) => loadFile(reader, each)));
  const wanted = options.overrides.prompts;
  const names = loaded.flatMap(({ suites, stem }) => suites.map(({ name }) => name || stem));
  const known = [...names, ...loaded.map(({ stem }) => stem)];
  const meant = new Map((wanted ?? []).map((pattern) => [pattern, namesMeant(pattern, known)]));
  const isWanted = (name: string, stem: string) =>
    wanted === null || [...meant.values()].some((each) => each.has(name) || each.has(stem));
  for (const [pattern, { size }] of options.configRequired ? meant : [])
    if (size === 0)
      problems.push(
        problem(null, `overrides: there is no prompt "${pattern}"${didYouMean(pattern, names)}`),
      );
  const chosen = loaded.filter(
    ({ suites, stem }) =>
      wanted === null || isWanted('', stem) || suites.some(({ name }) => isWanted(name, stem)),
  );
  for (const each of chosen) {
    problems.push(...each.problems);
    notices.push(...each.notices);
  }
  const imported = chosen.flatMap((each) => each.imported ?? []);
  nameApart(loaded);
  return {
    suites: chosen.flatMap(({ suites, stem }) =>
      suites.flatMap(({ suite, name }) => (suite === null || !isWanted(name, stem) ? [] : [suite])),
    ),
    settings: withImportedModels(reader, imported),
    rubrics: imported.flatMap(({ rubrics = [] }) => rubrics.map(({ file }) => file)),
  };
}

/** Adds its file to the name of an imported suite if an earlier file has a suite of that name. */
function nameApart(loaded: readonly LoadedFile[]): void {
  const taken = new Set<string>();
  for (const { suites, imported } of loaded) {
    for (const { suite } of suites) {
      if (imported === null || suite === null || !taken.has(suite.prompt.name)) continue;
      suite.prompt = {
        ...suite.prompt,
        name: `${suite.prompt.name} (${suite.prompt.file.replace(/\.\w+$/, '')})`,
      };
    }
    for (const { suite } of suites) if (suite !== null) taken.add(suite.prompt.name);
  }
}

interface PromptFile {
  file: string;
  root: string;
  format: NamedFormat<ReadFormat> | null;
}

interface FoundFile extends Omit<PromptFile, 'format'> {
  exact: boolean;
  format: NamedFormat<ReadFormat | UnreadFormat> | null;
}

/**
 * If `prompts` is not set, also finds files of other tools by name. If there are prompts in our own
 * format, other tools' files only cause a notice.
 */
async function promptFiles({
  files,
  settings,
  options: { formats },
  places,
  problems,
  notices,
}: SuitesReader): Promise<PromptFile[]> {
  const withFormats = <M extends { file: string }>(matches: readonly M[]) =>
    Promise.all(
      matches.map(async (match) => ({
        ...match,
        format: await detectFormat(match.file, files, formats),
      })),
    );
  const found = files.match(settings.prompts, places, problems);
  notices.push(...found.notices);
  // A pattern does not match test files (in a folder `tests`), because prompts name their tests.
  const matched = found.matches.filter(
    ({ file, root, exact }) =>
      exact || isForeignPath(file, formats) || !isInTests(file.slice(root.length)),
  );
  const readable = ({ file, root, exact, format }: FoundFile): PromptFile[] => {
    if (format === null || 'read' in format) return [{ file, root, format }];
    const unread = { place: { file, line: 0 }, message: unreadMessage(format) };
    if (exact) problems.push(unread);
    else notices.push({ kind: 'import', ...unread });
    return [];
  };
  const prompts = (await withFormats(matched)).flatMap(readable);
  if (!settings.prompts.every((pattern) => places(pattern).line === 0)) return prompts;
  const named = files
    .match(placesOf(formats), places, [])
    .matches.filter(({ file }) => !prompts.some((each) => each.file === file));
  const foreign = (await withFormats(named))
    .filter(({ format }) => format !== null)
    .flatMap((each) => readable({ ...each, exact: false }));
  if (prompts.every(({ format }) => format !== null)) return [...prompts, ...foreign];
  for (const { file } of foreign) {
    const message =
      'is not read, because this project has evaldiff prompts. To read it, list it under ' +
      'prompts in the settings';
    notices.push({ kind: 'import', message, place: { file, line: 0 } });
  }
  return prompts;
}

async function loadFile(
  reader: SuitesReader,
  { file, root, format }: PromptFile,
): Promise<LoadedFile> {
  const { files, settings, options, tools } = reader;
  const loaded: LoadedFile = {
    suites: [],
    stem: stemOf(file),
    problems: [],
    notices: [],
    imported: null,
  };
  if (format === null) {
    const document = await composePrompt(file, {
      files,
      root,
      testKeys: testKeys(options.suiteKeys ?? []),
      problems: loaded.problems,
    });
    loaded.suites.push(await loadSuite(reader, document, loaded));
    return loaded;
  }
  const given = await files.document(file, loaded.problems);
  const formatTools = {
    files,
    settings,
    builtIns: tools.builtInMetrics,
    hasGrader: settings.grader !== null,
    code: tools.hostCall ?? ('refused' as const),
    host: hostSettings(settings),
  };
  const own = given && (await format.read(given, formatTools, loaded.problems));
  const imported = own && (await withTasks(own, options.formats, formatTools, loaded.problems));
  loaded.notices.push(...(imported?.notices ?? []));
  if (imported === null || loaded.problems.length > 0) return loaded;
  loaded.imported = imported;
  for (const each of imported.prompts) {
    const { suite, name } = await loadSuite(reader, each.document, loaded);
    loaded.suites.push({
      suite: suite && withMade({ ...suite, tests: { ...suite.tests, tool: format.name } }, each),
      name,
    });
  }
  return loaded;
}

async function withTasks(
  file: ForeignFile,
  formats: Formats,
  tools: FormatTools,
  problems: Problem[],
): Promise<ForeignFile> {
  const { tasks } = file;
  if (tasks === undefined) return file;
  for (const format of Object.values(formats)) {
    const document =
      'read' in format ? (format.takes?.(tasks.document, tools.settings) ?? null) : null;
    if (document !== null && 'read' in format)
      return { ...(await format.read(document, tools, problems)), notices: tasks.notices };
  }
  return file;
}

export function hostSettings({ models }: Settings): HostSettings {
  return models.get(PROMPTFOO_PROGRAM) ?? { setup: [], files: [] };
}

function withMade(suite: Suite, { made, written }: ForeignSuite): Suite {
  const { prompt, tests } = suite;
  if (made === undefined) {
    const messages = prompt.messages.map((message, i) => {
      const text = written?.[i];
      return text === undefined ? message : { ...message, written: text };
    });
    return { ...suite, prompt: { ...prompt, messages } };
  }
  const entries = tests.references.flatMap(({ input }, index) => {
    const messages = made[index];
    return messages === undefined ? [] : [[canonicalJson(input), messages] as const];
  });
  return { ...suite, prompt: { ...prompt, made: new Map(entries) } };
}

async function loadSuite(
  { files, settings, options, tools }: SuitesReader,
  document: Document | null,
  loaded: LoadedFile,
): Promise<{ suite: Suite | null; name: string }> {
  const { problems, notices } = loaded;
  const isOwn = loaded.imported === null;
  if (document === null) return { suite: null, name: '' };
  const file = new Field(document, problems);
  const reading = readPrompt(file, isOwn);
  if (reading === null) return { suite: null, name: '' };
  const { name } = reading.prompt;
  notices.push(...reading.notices);
  if (!file.at('tests').isGiven) {
    const fix =
      '; add metrics and references to it, or write them into ' +
      `tests/${stemOf(document.file)}.yaml next to it`;
    const message = `the prompt "${name}" has no tests, so it is not evaluated${isOwn ? fix : ''}`;
    notices.push({ kind: 'unused', message, place: { file: document.file, line: 0 } });
    return { suite: null, name };
  }
  const variables = reading.prompt.variables.map((each) => each.name);
  const context = {
    variables,
    isInferred: reading.isInferred,
    builtIns: new Map([...tools.builtInMetrics, ...(loaded.imported?.metrics ?? [])]),
    suiteKeys: options.suiteKeys ?? [],
    grader: settings.grader,
    hash: tools.hash,
    load: files.data,
    notices,
  };
  const before = problems.length;
  const tests = await readTests(below(document, ['tests']), context, problems);
  if (tests === null) return { suite: null, name };
  // An unreadable reference may contain the input that seems to be missing.
  const inferred = withInputs(reading, problems.length > before ? [] : tests.references);
  notices.push(...inferred.notices);
  const prompt = overridePrompt(inferred.prompt, options.overrides);
  const suite = { prompt, tests };
  checkOwn(suite, context.suiteKeys, problems);
  return { suite: await withShownFiles(suite, file, files), name };
}

function checkOwn(suite: Suite, suiteKeys: readonly SuiteKey[], problems: Problem[]): void {
  const { own } = suite.tests;
  const suiteKey = suiteKeys.find(({ key }) => key === own?.kind.key);
  if (own !== null) suiteKey?.checkPrompt?.(own, suite, problems);
}

function withImportedModels(
  { settings, problems, notices }: SuitesReader,
  imported: readonly ForeignFile[],
): Settings {
  const models = new Map(settings.models);
  for (const { models: written } of imported) {
    const entries = Object.entries(written).filter(([name]) => entryOf({ models }, name) === null);
    const place = { file: settings.file ?? SETTINGS_FILE, line: 0 };
    const document = rowDocument(place, { models: Object.fromEntries(entries) });
    const read = readSettings(document, [], problems);
    for (const [name, model] of read.models) models.set(name, model);
  }
  for (const [name, model] of imported.flatMap(({ programs = [] }) => [...programs]))
    models.set(name, model);
  const graders = imported.flatMap((each) => each.grader ?? []);
  const [first] = graders;
  const grader = settings.grader ?? (first === undefined ? null : { ...first, parameters: {} });
  for (const { model, place } of graders)
    if (grader !== null && model !== grader.model)
      notices.push({
        kind: 'import',
        place,
        message:
          `the grader ${model} of this file is replaced by ${grader.model} of ` +
          `${grader.place.file}`,
      });
  return { ...settings, models, grader };
}

function overridePrompt(prompt: Prompt, { parameters }: Overrides): Prompt {
  const fixed: Record<string, Json> = {};
  let { model } = prompt;
  for (const [key, [value, ...more]] of parameters) {
    if (value === undefined || more.length > 0) continue;
    if (key === 'model') model = String(value);
    else fixed[key] = value;
  }
  return { ...prompt, model, parameters: { ...prompt.parameters, ...fixed } };
}
