import type { ReferenceRun } from '../../kernel/plan/suite-run.ts';
import type { Tests } from '../../kernel/suite/suite.ts';
import { exactLabelOf } from '../../metrics/measures/normalise.ts';
import { answerText } from '../../report/answers/text.ts';
import type { Side } from '../../types/plain.ts';
import type { ClassificationSummary } from './result.ts';

/** If a suite expects more different labels, its answers count as free text. */
const MAX_CLASSES = 20;

interface Item {
  label: string;
  answered: Record<Side, (string | null)[]>;
}

/**
 * Null unless the suite uses `exact_match` and expects 2 to 20 labels, each at least twice on
 * average.
 */
export function classificationOf(
  tests: Tests,
  runs: readonly ReferenceRun[],
  tries: number,
): ClassificationSummary | null {
  const metric = tests.metrics.find(
    ({ source, skip }) => source.kind === 'built-in' && source.uses === 'exact_match' && !skip,
  );
  if (
    metric?.source.kind !== 'built-in' ||
    metric.source.with['value'] !== undefined ||
    metric.source.with['negate'] === true
  )
    return null;
  const expected = runs.map(({ affected: { reference } }) => reference.expected);
  if (
    !expected.every(
      (value) =>
        typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean',
    )
  )
    return null;
  const labels = [...new Set(expected.map(String))];
  if (labels.length < 2 || labels.length > MAX_CLASSES || runs.length < 2 * labels.length)
    return null;
  const read = exactLabelOf(labels, metric.source.with);
  const items = runs.map((run, index): Item => ({
    label: String(expected[index]),
    answered: {
      base: answers(run, 'base', tries).map(read),
      head: answers(run, 'head', tries).map(read),
    },
  }));
  const rates = {
    base: labelRates(items, labels, 'base'),
    head: labelRates(items, labels, 'head'),
  };
  const both = (pick: (side: ClassRates) => number | null) => ({
    base: pick(rates.base),
    head: pick(rates.head),
  });
  return {
    metric: metric.name,
    accuracy: both(({ accuracy }) => accuracy),
    macro_f1: both(({ macroF1 }) => macroF1),
    other: both(({ other }) => other),
    labels: labels.map((label, index) => ({
      label,
      references: items.filter((item) => item.label === label).length,
      precision: both(({ labels: all }) => all[index]?.precision ?? null),
      recall: both(({ labels: all }) => all[index]?.recall ?? null),
    })),
  };
}

function answers(run: ReferenceRun, side: Side, tries: number): string[] {
  return run[side].slice(0, tries).flatMap(({ byHead }) => answerText(byHead) ?? []);
}

interface ClassRates {
  accuracy: number | null;
  macroF1: number | null;
  other: number | null;
  labels: { precision: number | null; recall: number | null }[];
}

function labelRates(items: readonly Item[], labels: readonly string[], side: Side): ClassRates {
  const pairs = items.flatMap(({ label, answered }) =>
    answered[side].map((given) => ({ label, given })),
  );
  const count = (fits: (pair: { label: string; given: string | null }) => boolean) =>
    pairs.filter(fits).length;
  const share = (part: number, whole: number) => (whole === 0 ? null : part / whole);
  const each = labels.map((label) => {
    const [right, given, wanted] = [
      count((pair) => pair.label === label && pair.given === label),
      count((pair) => pair.given === label),
      count((pair) => pair.label === label),
    ];
    return {
      precision: share(right, given),
      recall: share(right, wanted),
      f1: given + wanted === 0 ? 0 : (2 * right) / (given + wanted),
    };
  });
  return {
    accuracy: share(
      count(({ label, given }) => label === given),
      pairs.length,
    ),
    macroF1: pairs.length === 0 ? null : each.reduce((sum, { f1 }) => sum + f1, 0) / labels.length,
    other: share(
      count(({ given }) => given === null),
      pairs.length,
    ),
    labels: each,
  };
}
