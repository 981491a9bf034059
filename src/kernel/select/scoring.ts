import type { Metric, Rubric } from '../../types/metric.ts';
import { type Grader, targetIdentity } from '../../types/model.ts';
import type { Json, Side } from '../../types/plain.ts';
import type { Because } from '../result/suite-result.ts';
import { canonicalJson } from '../suite/canonical-json.ts';
import {
  comparesEmbeddings,
  everyMetric,
  isModelGraded,
  metricIdentity,
  metricsFor,
  namedModels,
  type MetricModels,
} from '../suite/metrics.ts';
import type { Answerer } from '../suite/own-suite.ts';
import type { Reference, Tests } from '../suite/suite.ts';

/**
 * Everything that judges the answers. If some of it changes, the scoring counts as changed, not the
 * prompt.
 */
export interface Scoring extends MetricModels {
  side: Side;
  tests: Tests;
  rubrics: ReadonlyMap<string, Rubric>;
  /** The feature that produces the answers, such as dialogues. Null for single requests. */
  answerer: Answerer | null;
  settingsFile: string;
}

export function scoreNames(tests: Tests): string[] {
  return [
    ...new Set([...(tests.own?.kind.scores ?? []), ...everyMetric(tests).map(({ name }) => name)]),
  ];
}

export function scoreCount(tests: Tests, reference: Reference): number {
  return (tests.own?.kind.scores.length ?? 0) + metricsFor(tests, reference).length;
}

function sharedParts(scoring: Scoring) {
  const { tests, rubrics } = scoring;
  const parts = new Map<string, { file: string; value: string }>();
  const put = (key: string, file: string, value: Json) =>
    void parts.set(key, { file, value: canonicalJson(value) });
  for (const metric of tests.metrics) {
    const { name, source, threshold, level, depends_on, skip, graders } = metric;
    const { better, min, max, pass, every } = metric;
    put(`metrics.${name}`, metric.place.file, {
      source: { ...source } as Json,
      threshold,
      ...withoutAbsent({ better, min, max, pass, every }),
      level,
      skip,
      ...(graders !== undefined && {
        graders: graders.map(({ model, parameters }) => ({ model, parameters })),
      }),
      depends_on: depends_on.map(({ place: _, ...rest }) => rest as unknown as Json),
    });
    const rubric = source.kind === 'rubric' ? rubrics.get(source.rubric) : undefined;
    if (rubric !== undefined)
      put(`rubrics.${rubric.name}`, rubric.place.file, rubricIdentity(rubric));
  }
  for (const [key, value] of modelParts(scoring)) put(key, scoring.settingsFile, value);
  const { answerer } = scoring;
  for (const [key, value] of Object.entries(answerer?.parts ?? {}))
    if (answerer !== null) put(`${answerer.own.kind.key}.${key}`, answerer.own.place.file, value);
  put('metrics_rollup', testsFile(tests), rollupIdentity(tests));
  if (tests.skip) put('skip', testsFile(tests), true);
  return parts;
}

function modelParts({ tests, graders, embedder, named }: Scoring): [string, Json][] {
  const all = everyMetric(tests);
  const left = all.filter((metric) => namedModels(metric).length === 0);
  const own = (asks: (metric: Metric) => boolean) => [
    ...new Set(
      all
        .filter(asks)
        .flatMap(namedModels)
        .map(({ model }) => model),
    ),
  ];
  const targets = (part: string, names: string[]): [string, Json][] =>
    names.flatMap((name): [string, Json][] => {
      const target = named?.get(name);
      return target === undefined ? [] : [[`${part}.${name}`, targetIdentity(target)]];
    });
  return [
    ...(graders.length > 0 && left.some(isModelGraded)
      ? [['grader', gradersIdentity(graders)] as [string, Json]]
      : []),
    ...(embedder !== undefined && left.some(comparesEmbeddings)
      ? [['embeddings', gradersIdentity([embedder])] as [string, Json]]
      : []),
    ...targets('grader', own(isModelGraded)),
    ...targets('embeddings', own(comparesEmbeddings)),
  ];
}

export function scoringIdentity(scoring: Scoring): string {
  const parts = [...sharedParts(scoring)].filter(
    ([key]) => key !== 'metrics_rollup' && key !== 'skip',
  );
  return canonicalJson(parts.map(([key, { value }]) => [key, value]));
}

/** Omits examples, because they do not affect grades. */
export function rubricIdentity(rubric: Rubric): Json {
  const { prompt, choice_scores, eval_type, better, pass } = rubric;
  return {
    prompt,
    eval_type,
    choice_scores: [...choice_scores].map(([label, score]) => [label, score]),
    ...withoutAbsent({ better, pass: pass === undefined ? undefined : [...pass] }),
  };
}

/** Omits absent keys, so that a new key of evaldiff does not change older fingerprints. */
function withoutAbsent(keys: Record<string, Json | undefined>): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(keys).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}

export function gradersIdentity(graders: readonly Grader[]): Json {
  return graders.map(({ target, parameters }) => ({ target: targetIdentity(target), parameters }));
}

function testsFile({ rollup, metrics, references, own, file }: Tests): string {
  const place =
    rollup.kind === 'code'
      ? rollup.place
      : (metrics[0]?.place ?? own?.place ?? references[0]?.place);
  return place?.file ?? file;
}

const SCORING_KEYS = ['metrics.', 'rubrics.', 'grader', 'embeddings', 'metrics_rollup', 'skip'];

export function isScoringKey(
  key: string,
  { base, head }: Record<Side, { scoring: Pick<Scoring, 'tests'> } | null>,
): boolean {
  const own = [base, head].flatMap((side) => side?.scoring.tests.own?.kind.key ?? []);
  return [...SCORING_KEYS, ...own.map((name) => `${name}.`)].some((start) => key.startsWith(start));
}

function rollupIdentity({ rollup }: Tests): Json {
  if (rollup.kind !== 'code') return { ...rollup };
  const { kind, language, code } = rollup;
  return { kind, language, code };
}

/** Keys whose values `say` different things. */
export function changedKeys<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  say: (value: T | undefined) => unknown,
): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (key) => say(before.get(key)) !== say(after.get(key)),
  );
}

export function scoringChanges(base: Scoring, head: Scoring): Because[] {
  const before = sharedParts(base);
  const after = sharedParts(head);
  // The grader and the embedding model count only if both sides use one. A metric's own model is
  // part of the metric.
  const isCounted = (key: string) =>
    !/^(?:grader|embeddings)(?:\.|$)/.test(key) || (before.has(key) && after.has(key));
  return changedKeys(before, after, (part) => part?.value)
    .filter(isCounted)
    .map((key) => ({
      key,
      file: (after.get(key) ?? before.get(key))?.file ?? testsFile(head.tests),
    }));
}

export function referenceScoringDiffers(base: Reference, head: Reference): boolean {
  return (
    base.skip !== head.skip ||
    ownIdentity(base) !== ownIdentity(head) ||
    expectedIdentity(base) !== expectedIdentity(head) ||
    canonicalJson(base.metadata ?? null) !== canonicalJson(head.metadata ?? null) ||
    (base.expected === undefined) !== (head.expected === undefined)
  );
}

export function onlySkipDiffers(base: Reference, head: Reference): boolean {
  return (
    base.skip !== head.skip &&
    !referenceScoringDiffers({ ...base, skip: head.skip }, head) &&
    canonicalJson(base.input) === canonicalJson(head.input)
  );
}

function expectedIdentity({ expected = null, values, script = {} }: Reference): string {
  return canonicalJson([expected, values?.expected ?? null, { ...values?.input }, script]);
}

function ownIdentity({ metrics = [] }: Reference): string {
  return metrics.map(metricIdentity).join('\n');
}
