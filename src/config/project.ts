import { deduplicate, Field } from '../documents/document.ts';
import { createFiles, caseTwins, type Files, type ParsedDocuments } from '../documents/files.ts';
import { folderOf } from '../documents/paths.ts';
import { problem } from '../errors.ts';
import type { Suite } from '../kernel/suite/suite.ts';
import type { BuiltInMetrics } from '../metrics/definition.ts';
import type { Project, OwnSettings } from '../project/settings.ts';
import type { Rubric } from '../types/metric.ts';
import type { Notice, Place, Problem } from '../types/plain.ts';
import type { SourceTree } from '../types/repository.ts';
import { checkPassports, type ModelEnds } from './check-models.ts';
import { checkGate, unreadFiles } from './check-settings.ts';
import {
  checkModels,
  checkPromptNames,
  checkRubrics,
  metricsOf,
  missingModels,
  nearlyCritical,
  withoutSilent,
} from './check-suites.ts';
import { SETTINGS_FILE } from './file-names.ts';
import type { Formats } from './formats.ts';
import type { HostCall } from './host-call.ts';
import type { Overrides } from './overrides.ts';
import { loadSettings, placeOfPattern } from './read-settings.ts';
import { loadSuites } from './read-suites.ts';
import { readRubrics } from './rubric.ts';
import { alreadyAt } from './schema.ts';
import type { SuiteKey } from './suite-key.ts';
import { sweepProblems, unknownKeys, withDistinctModels, withoutFixed } from './sweep.ts';

export interface ReadOptions {
  /** If the default file does not exist, `llmeval.yaml` is read instead. */
  config: string;
  /** False for base: if the settings file does not exist, the defaults apply. */
  configRequired: boolean;
  overrides: Overrides;
  allowedModels: readonly string[] | null;
  own: readonly OwnSettings[];
  formats: Formats;
  suiteKeys?: readonly SuiteKey[];
}

export type GivenReadOptions = Omit<ReadOptions, 'formats'>;

export interface ReadTools {
  builtInMetrics: BuiltInMetrics;
  builtInRubrics?: ReadonlyMap<string, Rubric>;
  hash(text: string): string;
  /** Runs code from other tools' files. If absent, no such code runs. */
  hostCall?: HostCall;
  ends?: ModelEnds;
  parsed?: ParsedDocuments;
}

export async function readProject(
  tree: SourceTree,
  options: ReadOptions,
  tools: ReadTools,
): Promise<{ project: Project; problems: Problem[] }> {
  const { builtInRubrics = new Map<string, Rubric>() } = tools;
  const problems: Problem[] = [];
  const files = createFiles(tree, tools.parsed);
  const read = await loadSettings(files, options, problems);
  const { settings: written, notices, field } = read;
  const places = (pattern: string) => placeOfPattern(field, pattern);
  const placeOfSweep = (key: string) =>
    options.overrides.parameters.has(key) ? null : field.at('sweep', key).place;
  const ours = withoutFixed(written, options.overrides);
  const ofSuites = { problems: [] as Problem[], notices: [] as Notice[] };
  const reader = { files, settings: ours, options, tools, places, ...ofSuites };
  const loaded = await loadSuites(reader);
  const { suites, settings } = loaded;
  const before = problems.length;
  const rubrics = await loadRubrics(
    files,
    [...ours.rubrics, ...loaded.rubrics],
    { builtInRubrics, places },
    problems,
    notices,
  );
  // Rubrics of an unreadable file also seem to be missing, but reporting them would hide the cause.
  const complete = problems.length === before;
  problems.push(...ofSuites.problems);
  notices.push(...ofSuites.notices);
  checkPromptNames(suites, problems);
  if (options.configRequired)
    problems.push(
      ...unknownKeys(options.overrides, suites, options.own),
      ...sweepProblems(settings.sweep, suites, placeOfSweep),
    );
  checkRubrics(suites, rubrics, complete, problems);
  checkGate(settings, { suites, rubrics, gate: field.at('gate') }, problems);
  if (read.known) problems.push(...missingModels(metricsOf(suites), settings));
  problems.push(...checkModels(settings, suites, options.allowedModels));
  if (options.configRequired)
    checkPassports(settings, suites, tools.ends ?? null, { problems, notices });
  const isWhole = problems.length === 0 && options.overrides.prompts === null;
  const gating = withoutSilent(suites, rubrics, isWhole);
  notices.push(...nearlyCritical(suites), ...caseTwins(tree, files.read));
  if (options.configRequired)
    notices.push(...(await unreadFiles(tree, files, { settings, own: options.own })));
  const isEmpty = settings.file === null && suites.length === 0 && problems.length === 0;
  if (options.configRequired && isEmpty)
    problems.push(...nothingToRunProblems(tree, options.config, ofSuites.notices));
  return {
    project: {
      settings: withDistinctModels(settings, placeOfSweep, notices),
      suites: gating.suites,
      rubrics: usedRubrics(rubrics, suites, builtInRubrics),
      notices: deduplicate([...notices, ...gating.notices]),
    },
    problems: deduplicate(problems),
  };
}

const SHOWN_FOLDERS = 3;

/** An error, because a run in the wrong folder would look like a run without changes. */
function nothingToRunProblems(
  { commit, files }: SourceTree,
  config: string,
  notices: readonly Notice[],
): Problem[] {
  const reasons = notices.filter(({ kind }) => kind === 'import' || kind === 'unused');
  if (reasons.length > 0) return reasons.map(({ place, message }) => problem(place, message));
  const where = commit === 'worktree' ? '' : ` at ${commit.slice(0, 7)}`;
  const others = [...files.keys()]
    .filter((path) => path.endsWith(`/${SETTINGS_FILE}`))
    .sort()
    .slice(0, SHOWN_FOLDERS)
    .map(folderOf);
  const there = others.length === 0 ? '' : `; ${SETTINGS_FILE} exists in ${others.join(', ')}`;
  return [
    problem(
      config,
      `does not exist${where}, and neither does any prompts/*.yaml; write prompts there ("npx ` +
        'evaldiff init" creates some), or name another folder (working-directory, --directory) ' +
        `or settings file (config, --config)${there}`,
    ),
  ];
}

async function loadRubrics(
  files: Files,
  patterns: readonly string[],
  {
    builtInRubrics,
    places,
  }: {
    builtInRubrics: ReadonlyMap<string, Rubric>;
    places: (pattern: string) => Place;
  },
  problems: Problem[],
  notices: Notice[],
): Promise<Map<string, Rubric>> {
  const rubrics = new Map(builtInRubrics);
  const found = files.match(patterns, places, problems);
  notices.push(...found.notices);
  for (const { file } of found.matches) {
    const document = await files.document(file, problems);
    if (document === null) continue;
    const field = new Field(document, problems);
    for (const rubric of await readRubrics(field, { load: files.data, notices })) {
      const earlier = rubrics.get(rubric.name);
      if (earlier !== undefined && earlier !== builtInRubrics.get(rubric.name)) {
        const where = alreadyAt(earlier.place, rubric.place);
        problems.push(problem(rubric.place, `the rubric "${rubric.name}" is already ${where}`));
      } else {
        rubrics.set(rubric.name, rubric);
      }
    }
  }
  return rubrics;
}

function usedRubrics(
  rubrics: ReadonlyMap<string, Rubric>,
  suites: readonly Suite[],
  builtIns: ReadonlyMap<string, Rubric>,
): Map<string, Rubric> {
  const named = new Set(
    metricsOf(suites).flatMap(({ source }) => (source.kind === 'rubric' ? [source.rubric] : [])),
  );
  return new Map(
    [...rubrics].filter(([name, rubric]) => named.has(name) || builtIns.get(name) !== rubric),
  );
}
