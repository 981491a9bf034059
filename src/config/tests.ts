import { z } from 'zod';
import { Field, type Document } from '../documents/document.ts';
import { isKnownParameter } from '../documents/parameters.ts';
import { problem } from '../errors.ts';
import { dependencies } from '../kernel/ask/conditions.ts';
import type { OwnSuite } from '../kernel/suite/own-suite.ts';
import type { Reference, Tests } from '../kernel/suite/suite.ts';
import { asksNothing } from '../kernel/suite/template.ts';
import type { BuiltInMetrics } from '../metrics/definition.ts';
import { OBJECT_WORDS, countObjects } from '../metrics/objects.ts';
import { didYouMean } from '../text/suggest.ts';
import type { Metric, DependsOn, MetricLevel } from '../types/metric.ts';
import { isMap, type Notice, type Problem } from '../types/plain.ts';
import { metricsSchema } from './metric-schema.ts';
import { readMetrics } from './metric.ts';
import { referenceSchema, type WrittenReference } from './reference.ts';
import { readReferences, referencesFromSchema } from './references.ts';
import { readRollup, rollupSchema } from './roll-up.ts';
import {
  anything,
  checkMembers,
  closed,
  filled,
  flag,
  listOf,
  optional,
  anyText,
} from './schema.ts';
import { checkScripts } from './script.ts';
import { suiteGateMembers, tries } from './settings-schema.ts';
import type { OwnContext, SuiteKey } from './suite-key.ts';

interface TestFileContext extends OwnContext {
  variables: readonly string[];
  isInferred?: boolean;
  builtIns: BuiltInMetrics;
  suiteKeys: readonly SuiteKey[];
  notices: Notice[];
}

const day = () => anyText().refine(isDay, { error: 'must be a date like 2026-01-31' });

const quarantineSchema = closed({
  id: filled().describe('Id of the reference.'),
  reason: filled().describe('Why it is in quarantine.'),
  until: day().describe('Last day of the quarantine, like 2026-01-31.'),
});

/** The keys that are read together. Metrics, roll-ups and keys of features are read on their own. */
const fileMembers = optional({
  n_tries: tries().describe(
    'Tries of each reference on each side. Default: n_tries in the settings.',
  ),
  skip: flag().describe('The suite runs and is shown, but does not affect the verdict.'),
  do_completion: flag().describe(
    'Whether the model writes a new last answer in recorded dialogues. Default: only in ' +
      'those that end with a question.',
  ),
  gate: closed(suiteGateMembers).describe('Settings of the gate for this suite only.'),
  references: listOf(referenceSchema).describe('The test cases.'),
  references_from: referencesFromSchema.describe('Data files with further references.'),
  quarantine: listOf(quarantineSchema).describe(
    'References in quarantine. They run and are shown, but do not affect the verdict until ' +
      'the given day.',
  ),
});

const defaults = z
  .union([filled(), listOf(filled())], { error: 'must be a list of paths' })
  .describe('Files whose keys apply if this file does not set them.')
  .optional();

export function testKeys(suiteKeys: readonly { key: string }[]): string[] {
  const own = suiteKeys.map(({ key }) => key);
  return [...Object.keys(fileMembers), 'metrics', 'metrics_rollup', ...own];
}

export function testsSchema(suiteKeys: readonly SuiteKey[]) {
  return closed({
    ...fileMembers,
    defaults,
    metrics: metricsSchema
      .describe('The metrics that judge the answers to every reference.')
      .optional(),
    metrics_rollup: rollupSchema.describe(
      'How the tries of a reference are combined into one result: all must pass (default), ' +
        'any, majority, at_least, pass_rate, or code.',
    ),
    ...Object.fromEntries(suiteKeys.map(({ key, schema }) => [key, schema.optional()])),
  });
}

const MODEL_KEYS_HINT =
  "write a model and its parameters into the prompt's file, or under sweep in the settings file";

function modelKeyHint({ path: [key, ...below] }: Field): string | null {
  const isOfModel = key === 'model' || isKnownParameter(String(key));
  return isOfModel && below.length === 0 ? MODEL_KEYS_HINT : null;
}

/**
 * An error in one reference becomes its `problem`. Only errors of the whole file go to `problems`.
 */
export async function readTests(
  document: Document,
  context: TestFileContext,
  problems: Problem[],
): Promise<Tests | null> {
  const field = new Field(document, problems);
  if (!isMap(document.value)) {
    field.refuse('must be a map with metrics and references');
    return null;
  }
  const before = problems.length;
  const left = Object.fromEntries(
    testKeys(context.suiteKeys).map((key) => [key, anything().optional()]),
  );
  const written = checkMembers(field, { ...left, defaults, ...fileMembers }, modelKeyHint);
  const metrics = readMetrics(field, context.builtIns);
  const own = await readOwn(field, context);
  const rollup = readRollup(field);
  const isUnread = (['references', 'references_from'] as const).some(
    (key) => field.at(key).isGiven && written[key] === undefined,
  );
  if (isUnread) return null;
  const isJudged = metrics.length > 0 || own !== null;
  const { gate, n_tries = null, skip = false } = written;
  if (!isJudged && problems.length === before) requireMetrics(field, written.references);
  checkTakenNames(metrics, own, problems);
  checkDependencies(metrics, problems);
  const { references, empty } = await readReferences(field, written, {
    ...context,
    doCompletion: written.do_completion ?? null,
    metrics,
    isJudged: isJudged || problems.length > before,
    isLed: own !== null,
  });
  checkEvery(metrics, references, own !== null, context.builtIns, problems);
  return {
    file: document.file,
    n_tries,
    skip,
    metrics,
    rollup,
    references: scripted(references, own, context, problems),
    empty,
    own,
    quarantine: readQuarantine(field.at('quarantine'), written.quarantine, references),
    ...(gate && { gate, gatePlace: field.at('gate').place }),
  };
}

function requireMetrics(field: Field, references: readonly WrittenReference[] = []): void {
  if (references.every(({ metrics }) => metrics === undefined))
    field.refuse(
      'needs at least one metric, because nothing is judged otherwise',
      field.document.file,
    );
}

function scripted(
  references: Reference[],
  own: OwnSuite | null,
  { suiteKeys }: TestFileContext,
  problems: Problem[],
): Reference[] {
  checkScripts(references, own, problems);
  const suiteKey = suiteKeys.find(({ key }) => key === own?.kind.key);
  return (own && suiteKey?.scripted?.(own, references, problems)) ?? references;
}

async function readOwn(tests: Field, context: TestFileContext): Promise<OwnSuite | null> {
  const [first, ...others] = context.suiteKeys.filter(({ key }) => tests.at(key).isGiven);
  if (first === undefined) return null;
  for (const { key } of others)
    tests.at(key).refuse(`a suite has ${first.key} or ${key}; keep one`);
  return await first.read(tests.at(first.key), context);
}

function checkTakenNames(
  metrics: readonly Metric[],
  own: OwnSuite | null,
  problems: Problem[],
): void {
  const taken = metrics.find(({ name }) => own?.kind.scores.includes(name));
  if (taken !== undefined) {
    const message =
      `metric "${taken.name}": ${own?.kind.key ?? ''} already uses this name for one of its results; give ` +
      'the metric another name';
    problems.push(problem(taken.place, message));
  }
}

function checkEvery(
  metrics: readonly Metric[],
  references: readonly Reference[],
  leads: boolean,
  builtIns: BuiltInMetrics,
  problems: Problem[],
): void {
  const judges = [
    ...metrics.map((metric) => ({ metric, of: references })),
    ...references.flatMap((reference) =>
      (reference.metrics ?? []).map((metric) => ({ metric, of: [reference] })),
    ),
  ].filter(({ metric, of }) => metric.every !== undefined && of.length > 0);
  for (const { metric, of } of judges) {
    const refuse = (message: string) => {
      problems.push(problem(metric.place, `metric "${metric.name}": ${message}`));
    };
    const { source, level } = metric;
    const threads = of.flatMap(({ thread }) => (thread === null ? [] : [thread]));
    if (source.kind === 'built-in' && builtIns.get(source.uses)?.whole === true)
      refuse(`${source.uses} judges the whole answer, so every cannot be used with it`);
    else if (leads) continue;
    else if (threads.length === 0)
      refuse(
        `every judges each ${OBJECT_WORDS[level]} of a dialogue, but the references have ` +
          'only one answer each; remove `every`, use recorded dialogues (input: a list of ' +
          'messages), or add conversation to the suite',
      );
    else if (
      level === 'ToolCall' &&
      threads.length === of.length &&
      threads.every((thread) => asksNothing(thread) && countObjects(thread, { level }) === 0)
    )
      refuse(
        'it judges tool calls, but no recorded dialogue has any (the key tool_calls: [{ ' +
          'name, arguments }] of a message)',
      );
  }
}

function readQuarantine(
  list: Field,
  written: z.output<typeof quarantineSchema>[] = [],
  references: readonly Reference[],
): Tests['quarantine'] {
  const ids = references.map(({ id }) => id);
  return written.map((value, index) => {
    const field = list.at(index);
    if (!ids.includes(value.id))
      field.refuse(
        `${field.name}: there is no reference "${value.id}"${didYouMean(value.id, ids)}`,
      );
    return { ...value, place: field.place };
  });
}

function isDay(word: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(word) ? Date.parse(`${word}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(word);
}

const COARSENESS: Readonly<Record<MetricLevel, number>> = {
  ToolCall: 0,
  Message: 1,
  Turn: 2,
  Thread: 3,
};

function checkDependencies(metrics: readonly Metric[], problems: Problem[]): void {
  const edges = new Map<Metric, { to: Metric; entry: DependsOn }[]>();
  for (const metric of metrics) {
    edges.set(
      metric,
      metric.depends_on.flatMap((entry) => {
        const found = dependencies(entry, metrics);
        const [to] = found;
        const message = entryProblem(metric, entry, found, metrics);
        if (message !== null)
          problems.push(problem(entry.place, `metric "${metric.name}": ${message}`));
        return message === null && to !== undefined ? [{ to, entry }] : [];
      }),
    );
  }
  const circle = findCircle(metrics, edges);
  if (circle !== null) {
    problems.push(
      problem(circle.entry.place, `depends_on forms a cycle: ${circle.names.join(' -> ')}`),
    );
  }
}

function entryProblem(
  metric: Metric,
  entry: DependsOn,
  found: readonly Metric[],
  metrics: readonly Metric[],
): string | null {
  const [only] = found;
  if (only === undefined) {
    const names = metrics.map(({ name }) => name).filter((name) => name !== metric.name);
    const exists = names.includes(entry.name);
    const why = exists ? ' of that type, level and kwargs' : didYouMean(entry.name, names);
    return `depends_on "${entry.name}" matches no metric of this file${why}`;
  }
  if (found.length > 1) {
    return (
      `depends_on "${entry.name}" matches ${found.length} metrics ` +
      `(${found.map(({ name }) => name).join(', ')}); write the name of one, ` +
      'or add kwargs, type or metric_level'
    );
  }
  if (COARSENESS[only.level] < COARSENESS[metric.level]) {
    return (
      `depends_on "${entry.name}" judges at level ${only.level}, which is a smaller part than ` +
      `this metric's ${metric.level}`
    );
  }
  const isOther = only.of !== metric.of && only.of !== 'both' && only.level !== 'Thread';
  if (isOther && entry.relative_object_position === 0) {
    return (
      `depends_on "${entry.name}" judges the ${only.of ?? 'assistant'}'s turns, and this metric ` +
      'others; add relative_object_position: -1 for the turn before'
    );
  }
  return null;
}

function findCircle(
  metrics: readonly Metric[],
  edges: ReadonlyMap<Metric, readonly { to: Metric; entry: DependsOn }[]>,
) {
  const open = new Set(metrics);
  const openEdge = (metric: Metric) => edges.get(metric)?.find(({ to }) => open.has(to));
  for (let before = 0; before !== open.size;) {
    before = open.size;
    for (const metric of open) if (openEdge(metric) === undefined) open.delete(metric);
  }
  // Each metric that is left depends on another one that is left.
  const trail: Metric[] = [];
  for (let [metric] = open; metric !== undefined;) {
    trail.push(metric);
    const edge = openEdge(metric);
    const from = trail.findIndex((each) => each === edge?.to);
    if (edge !== undefined && from !== -1)
      return {
        names: [...trail.slice(from), edge.to].map(({ name }) => name),
        entry: edge.entry,
      };
    metric = edge?.to;
  }
  return null;
}
