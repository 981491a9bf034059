import type { Because, Json, Metric, Reference, Rubric, Side, Target, Tests } from '../types.ts';
import { canonicalJson } from './canonical.ts';
import { targetIdentity } from './generation.ts';
import { metrics as builtIn } from '../metrics/index.ts';

/** Everything that scores: a change of any part of it is a change of the yardstick, not of the prompt. */
export interface Yardstick {
  side: Side;
  tests: Tests;
  rubrics: ReadonlyMap<string, Rubric>;
  grader: { target: Target; parameters: Record<string, Json> } | null;
  /** The file the grader is named in. */
  settingsFile: string;
}

/** Whether a metric asks the grader. */
export function isModelGraded(metric: Metric): boolean {
  if (metric.source.kind === 'rubric') return true;
  return metric.source.kind === 'built-in' && builtIn.get(metric.source.uses)?.needs.model === true;
}

/** The parts of a yardstick that every reference of the suite shares, by key, each with the file it stands in. */
function sharedParts(yardstick: Yardstick): Map<string, { file: string; value: string }> {
  const { tests, rubrics, grader } = yardstick;
  const parts = new Map<string, { file: string; value: string }>();
  const put = (key: string, file: string, value: Json): void => void parts.set(key, { file, value: canonicalJson(value) });
  for (const metric of tests.metrics) {
    const { name, source, threshold, level, depends_on, skip } = metric;
    put(`metrics.${name}`, metric.place.file, {
      source: { ...source } as Json, threshold, level, skip,
      depends_on: depends_on.map(({ place: _, ...rest }) => rest as unknown as Json),
    });
    const rubric = source.kind === 'rubric' ? rubrics.get(source.rubric) : undefined;
    if (rubric !== undefined) {
      const { prompt, choice_scores, eval_type } = rubric;
      put(`rubrics.${rubric.name}`, rubric.place.file, { prompt, eval_type, choice_scores: [...choice_scores].map(([label, score]) => [label, score]) });
    }
  }
  if (grader !== null && tests.metrics.some(isModelGraded)) {
    put('grader', yardstick.settingsFile, { target: targetIdentity(grader.target), parameters: grader.parameters });
  }
  put('metrics_rollup', fileOf(tests), rollupIdentity(tests));
  if (tests.skip) put('skip', fileOf(tests), true);
  return parts;
}

/** The file the tests are written in, which `defaults` may have brought under the prompt. */
export function fileOf({ rollup, metrics, references, file }: Tests): string {
  const place = rollup.kind === 'code' ? rollup.place : metrics[0]?.place ?? references[0]?.place;
  return place?.file ?? file;
}

const YARDSTICK_KEYS = ['metrics.', 'rubrics.', 'grader', 'metrics_rollup', 'skip'];

/** Whether a changed key belongs to the yardstick rather than to what is asked. */
export function isYardstickKey(key: string): boolean {
  return YARDSTICK_KEYS.some((start) => key.startsWith(start));
}

function rollupIdentity({ rollup }: Tests): Json {
  if (rollup.kind !== 'code') return { ...rollup };
  const { kind, language, code } = rollup;
  return { kind, language, code };
}

/** The keys of the shared yardstick that differ between the sides; empty when it is the same. */
export function yardstickChanges(base: Yardstick, head: Yardstick): Because[] {
  const before = sharedParts(base);
  const after = sharedParts(head);
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys]
    .filter((key) => before.get(key)?.value !== after.get(key)?.value)
    .map((key) => ({ key, file: (after.get(key) ?? before.get(key))?.file ?? fileOf(head.tests) }));
}

/** Whether a reference is judged by another expected value, or gates differently, than its counterpart. */
export function referenceYardstickDiffers(base: Reference, head: Reference): boolean {
  return base.skip !== head.skip || canonicalJson(base.expected) !== canonicalJson(head.expected) || (base.expected === undefined) !== (head.expected === undefined);
}
