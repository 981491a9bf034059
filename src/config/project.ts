import { distinct } from '../documents/document.ts';
import { filesOf, twins, type Files, type ParsedDocuments } from '../documents/files.ts';
import type { Limits } from '../documents/limits.ts';
import { KNOWN_PARAMETERS, isKnownParameter } from '../documents/parameters.ts';
import { problem } from '../errors.ts';
import { everyMetric, type BuiltInMetrics } from '../suite/metrics.ts';
import type { Project, Settings, Suite } from '../suite/suite.ts';
import { nearest } from '../text/suggest.ts';
import type { Rubric } from '../types/metric.ts';
import type { Notice, Place, Problem } from '../types/plain.ts';
import type { SourceTree } from '../types/repository.ts';
import { checkGate } from './check-gate.ts';
import { checkPassports, type ModelEnds } from './check-passports.ts';
import {
  checkGraders,
  checkModels,
  checkNames,
  checkRubrics,
  withoutSilent,
} from './check-suites.ts';
import type { HostCall } from './imports/host-code.ts';
import { NAMES, type Overrides } from './overrides.ts';
import { loadSettings } from './read-settings.ts';
import { loadSuites } from './read-suites.ts';
import { readRubrics } from './rubric.ts';
import { checkUnread } from './unread-files.ts';

/**
 * What is swept, by key: the values of the settings' `sweep` and of overrides with several values.
 */
type Sweep = Settings['sweep'];

/**
 * `2 × 3 = 6 combinations`: how large the product is, said before anything runs; null where nothing
 * is swept.
 */
export function sweepExtent(sweep: Sweep): { combinations: number; words: string } | null {
  const keys = Object.entries(sweep);
  if (keys.length === 0) return null;
  const combinations = keys.reduce((product, [, values]) => product * values.length, 1);
  const factors = keys.map(([key, values]) => `${String(values.length)} ${key}`).join(' × ');
  return {
    combinations,
    words: `${factors} = ${combinations.toLocaleString('en-US')} ${combinations === 1 ? 'combination' : 'combinations'}`,
  };
}

/**
 * A sweep that is too large, or over a key that neither a prompt has nor a vendor knows, or that
 * has a value twice: it would send the same request many times.
 */
export function sweepProblems(
  sweep: Sweep,
  suites: readonly Suite[],
  limit: number,
  placeOf: (key: string) => Place | null,
): Problem[] {
  const used = new Set(suites.flatMap(({ prompt }) => Object.keys(prompt.parameters)));
  const unknown = Object.keys(sweep).filter(
    (key) => key !== 'model' && !used.has(key) && !isKnownParameter(key),
  );
  const problems = unknown.map((key) =>
    problem(
      placeOf(key),
      `sweep over "${key.slice(0, 100)}": no prompt has this key, and no vendor takes it${meant(key, ['model', ...used, ...KNOWN_PARAMETERS])}`,
    ),
  );
  for (const [key, values] of Object.entries(sweep)) {
    const repeated = values.find((value, index) => values.indexOf(value) < index);
    if (repeated !== undefined)
      problems.push(
        problem(
          placeOf(key),
          `sweep over "${key.slice(0, 100)}": the value ${JSON.stringify(repeated).slice(0, 100)} is there more than once; each would ask the same again`,
        ),
      );
  }
  const size = sweepExtent(sweep);
  const [first = ''] = Object.keys(sweep);
  if (size !== null && size.combinations > limit)
    problems.push(
      problem(
        placeOf(first),
        `the sweep has ${size.words}; the limit is ${limit.toLocaleString('en-US')}. Sweep fewer values at a time`,
      ),
    );
  return problems;
}

/**
 * A line that fixes a key which no prompt writes and no vendor is known to take: sent on, it would
 * only be refused there, once for each call.
 */
function unknownKeys({ parameters, insisted }: Overrides, suites: readonly Suite[]): Problem[] {
  const written = new Set(suites.flatMap(({ prompt }) => Object.keys(prompt.lines)));
  return [...parameters]
    .filter(
      ([key, values]) =>
        values.length === 1 &&
        key !== 'model' &&
        !insisted.has(key) &&
        !written.has(key) &&
        !isKnownParameter(key),
    )
    .map(([key]) =>
      problem(
        null,
        `overrides: unknown key "${key.slice(0, 100)}": evaldiff does not have it, no prompt writes it, and no vendor is known to take it${meant(key, [...NAMES, ...written, ...KNOWN_PARAMETERS]) || `; to send it all the same, write prompts.${key.slice(0, 100)}=…`}`,
      ),
    );
}

function meant(key: string, known: readonly string[]): string {
  const near = nearest(key, known);
  return near === null ? '' : `; did you mean "${near}"?`;
}

/** The size in a notice, where more than one variant runs. */
export function sweepNotice(sweep: Sweep, suites: readonly Suite[]): Notice[] {
  const size = sweepExtent(sweep);
  if (size === null || size.combinations < 2 || suites.length === 0) return [];
  const prompts = suites.length === 1 ? '1 prompt' : `${String(suites.length)} prompts`;
  return [{ kind: 'settings', place: null, message: `sweep: ${size.words}, each for ${prompts}` }];
}

/** How a commit is read; the same for both sides except `configRequired`. */
export interface ReadOptions {
  /**
   * Settings file asked for, relative to the working directory. `llmeval.yaml` stands in for an
   * absent `evaldiff.yaml`.
   */
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
  /** Runs another tool's code of this commit; absent: it is not run. */
  hostCall?: HostCall;
  /** For models that end; absent: ends are not looked at. */
  ends?: ModelEnds;
  /**
   * Documents by path and object id: given to both sides, a file that did not change is parsed
   * once.
   */
  parsed?: ParsedDocuments;
}

/**
 * Reads everything of one commit. Never throws for a user's mistake: all problems of all files come
 * back at once, each told once, in order of the files; the project holds what could be read and is
 * meant to be run only without problems.
 */
export async function readProject(
  tree: SourceTree,
  options: ReadOptions,
  tools: ReadTools,
): Promise<{ project: Project; problems: Problem[] }> {
  const builtInRubrics = tools.builtInRubrics ?? new Map<string, Rubric>();
  const problems: Problem[] = [];
  const files = filesOf(tree, options.limits, tools.parsed);
  const { settings: written, notices, places } = await loadSettings(files, options, problems);
  const ours = withoutFixed(written, options.overrides);
  const ofSuites = { problems: [] as Problem[], notices: [] as Notice[] };
  const reader = { files, settings: ours, options, tools };
  const loaded = await loadSuites(reader, places, ofSuites.problems, ofSuites.notices);
  const { suites, settings } = loaded;
  const before = problems.length;
  const rubrics = await loadRubrics(
    files,
    [...ours.rubrics, ...loaded.rubrics],
    { limits: options.limits, builtInRubrics, places },
    problems,
    notices,
  );
  // A rubric that cannot be read is missing too; told a second time, it would hide what is to fix.
  const complete = problems.length === before;
  problems.push(...ofSuites.problems);
  notices.push(...ofSuites.notices);
  checkNames(suites, problems);
  if (options.configRequired)
    problems.push(
      ...unknownKeys(options.overrides, suites),
      ...sweepProblems(settings.sweep, suites, options.limits.combinations, places.sweep),
    );
  checkRubrics(suites, rubrics, complete, problems);
  checkGate(settings, { suites, rubrics, tools, placeOf: places.gate }, problems);
  checkGraders(suites, settings, problems);
  problems.push(...checkModels(settings, suites, options.allowedModels));
  if (options.configRequired)
    checkPassports(settings, suites, tools.ends ?? null, { problems, notices });
  const gating = withoutSilent(suites, rubrics);
  notices.push(...twins(tree, files.read));
  if (options.configRequired) checkUnread(tree, files.read, settings, problems, notices);
  if (
    options.configRequired &&
    settings.file === null &&
    suites.length === 0 &&
    problems.length === 0
  )
    problems.push(...nothingToRun(tree, options.config, ofSuites.notices));
  return {
    project: {
      settings,
      suites: gating.suites,
      rubrics: used(rubrics, suites, builtInRubrics),
      notices: distinct([...notices, ...gating.notices]),
    },
    problems: distinct(problems),
  };
}

/**
 * A run on the wrong folder must not look like one in which nothing changed. Files that were found
 * and came to nothing say why.
 */
function nothingToRun(
  { commit }: SourceTree,
  config: string,
  notices: readonly Notice[],
): Problem[] {
  const reasons = notices.filter(({ kind }) => kind === 'import' || kind === 'unused');
  if (reasons.length > 0) return reasons.map(({ place, message }) => problem(place, message));
  const where = commit === 'worktree' ? '' : ` at ${commit.slice(0, 7)}`;
  return [
    problem(
      { file: config, line: 0 },
      `does not exist${where}, and neither does any prompts/*.yaml; write prompts there ("evaldiff init" begins with some), or name the folder (working-directory, --directory) or the file (config, --config) that has them`,
    ),
  ];
}

/** A parameter that a line fixes is swept no more; one with several values is swept instead. */
function withoutFixed(settings: Settings, { parameters }: Overrides): Settings {
  const sweep = Object.fromEntries(
    Object.entries(settings.sweep).filter(([key]) => !parameters.has(key)),
  );
  for (const [key, values] of parameters) if (values.length > 1) sweep[key] = values;
  return { ...settings, sweep };
}

async function loadRubrics(
  files: Files,
  patterns: readonly string[],
  {
    limits,
    builtInRubrics,
    places,
  }: {
    limits: Limits;
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
    const read = await readRubrics(document, { limits, load: files.data }, problems);
    notices.push(...read.notices);
    for (const rubric of read.rubrics) {
      const earlier = rubrics.get(rubric.name);
      if (earlier !== undefined && earlier !== builtInRubrics.get(rubric.name)) {
        problems.push(
          problem(
            rubric.place,
            `the rubric "${rubric.name}" is already in ${earlier.place.file}, line ${earlier.place.line}`,
          ),
        );
      } else {
        rubrics.set(rubric.name, rubric);
      }
    }
  }
  return rubrics;
}

/** The user's rubrics, and of the built-in ones those that a metric names. */
function used(
  rubrics: ReadonlyMap<string, Rubric>,
  suites: readonly Suite[],
  builtIns: ReadonlyMap<string, Rubric>,
): Map<string, Rubric> {
  const named = new Set(
    suites.flatMap(({ tests }) =>
      everyMetric(tests).flatMap(({ source }) => (source.kind === 'rubric' ? [source.rubric] : [])),
    ),
  );
  return new Map(
    [...rubrics].filter(([name, rubric]) => named.has(name) || builtIns.get(name) !== rubric),
  );
}
