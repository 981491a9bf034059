import type {
  MetricObjects,
  MetricResult,
  MetricValues,
} from '../../kernel/result/metric-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import { OBJECT_WORDS } from '../../metrics/objects.ts';
import {
  count,
  counted,
  meansInWords,
  pValue,
  points,
  pointsBetween,
  scaleOf,
  signed,
  signedValue,
  wholeRates,
} from '../../text/amounts.ts';
import { suitesWorstFirst } from '../../wording/figures.ts';
import type { Detail } from './detail.ts';
import { code, group, joinLines, lineBreak, table, type Block, type Line } from './document.ts';
import { suiteName } from './phrases.ts';

export function metricValues(
  { suites, mode }: Result,
  { collapsedItems: items, showsUnmovedMetrics: unmoved }: Detail,
): Block[] {
  const found = suitesWorstFirst(suites).flatMap((suite) =>
    suite.metrics
      .filter(
        ({ values, labels, objects }) =>
          values !== undefined || labels !== undefined || objects !== undefined,
      )
      .filter((metric) => unmoved || mode === 'sweep' || hasMoved(metric))
      .map((metric) => ({ suite, metric })),
  );
  const moved = found.filter(({ metric }) => metric.values?.moved === 'worse').length;
  const labelled = found.some(({ metric: { labels = [] } }) => labels.length > 0);
  const columns = (mode === 'sweep' ? SWEEP : DIFF).slice(0, labelled ? undefined : -1);
  const title = `Metric values${moved === 0 ? '' : `: ${count(moved)} worse`}`;
  return group(
    title,
    table(
      columns,
      found.map(({ suite, metric }) =>
        [
          [...suiteName(suite, suites), ' › ', code(metric.name), ...remarks(metric)],
          ...metricCells(metric, mode),
        ].slice(0, columns.length),
      ),
      items,
    ),
  );
}

function hasMoved({ values, labels = [], objects }: MetricResult): boolean {
  if ((values?.moved ?? null) !== null || values?.exploded !== undefined) return true;
  if ((objects?.difference ?? 0) !== 0) return true;
  return labels.some(({ base, head }) => base !== head);
}

const DIFF = ['Metric', 'Mean', 'Difference', 'Labels'];

const SWEEP = ['Metric', 'Mean', 'Labels'];

/** A rubric whose scores are 0 and 1 has no values. Its mean is the share that passes. */
function metricCells({ values, base, head, labels = [] }: MetricResult, mode: Result['mode']) {
  const mean = [values === undefined ? wholeRates(base, head) : meanOf(values)];
  const labelCell = labelLine(labels, mode);
  if (mode === 'sweep') return [mean, labelCell];
  if (values === undefined) return [mean, pointsBetween(base, head), labelCell];
  const { difference, share } = values;
  const moved =
    difference === null || share !== undefined
      ? points(difference)
      : signedValue(difference, scaleOf(values.base, values.head));
  return [mean, moved, labelCell];
}

const MOVED = {
  worse: '✗ worse',
  better: '↑ better',
  higher: 'higher; neither direction is better',
  lower: 'lower; neither direction is better',
};

function remarks({ gates, values, objects }: MetricResult): Line {
  const words = [
    ...(objects === undefined ? [] : [objectWords(objects)]),
    ...(values === undefined || values.moved === null ? [] : [MOVED[values.moved]]),
    ...(values?.exploded ?? []).map(
      ({ reference, base, head }) => `${reference}: ${meansInWords(base, head)}`,
    ),
    ...gateWords(gates, values),
  ];
  return words.length === 0 ? [] : [lineBreak, words.join('; ')];
}

function gateWords(gates: boolean, values: MetricValues | undefined): string[] {
  if (values?.gate === 'fail') return values.share === undefined ? ['can fail the run'] : [];
  return gates ? [] : ['shown, does not gate'];
}

function objectWords({ level, base, head, difference, low, high }: MetricObjects): string {
  const of = (side: MetricObjects['base']) =>
    side === null ? '–' : `${count(side.passes)} of ${count(side.judged)}`;
  const counts = base === null ? of(head) : `${of(base)} → ${of(head)}`;
  const range = low === null || high === null ? '' : ` (${signed(low)} to ${signed(high)})`;
  const moved = difference === null ? '' : `, ${points(difference)}${range} by dialogue`;
  return `${OBJECT_WORDS[level]}s that pass: ${counts}${moved}`;
}

function meanOf({ base, head, share }: MetricValues): string {
  return share === undefined ? meansInWords(base, head) : wholeRates(base, head);
}

export function valueFigures({ suites }: Result): Line[] {
  return suitesWorstFirst(suites).flatMap((suite) =>
    suite.metrics.flatMap(({ name, values }): Line[] => {
      if (values === undefined || values.references === 0) return [];
      if (values.moved === null && !values.decides) return [];
      const { base, head, low, high, p, references, share } = values;
      const scale = scaleOf(base, head);
      const end = (of: number) => (share === undefined ? signedValue(of, scale) : signed(of));
      const range =
        low === null || high === null
          ? ''
          : `; 90 % sure to move between ${end(low)} and ${end(high)}`;
      const chance = p === null || values.moved === 'better' ? '' : ` (${pValue(p)})`;
      const words = ` ${meanOf(values)} over ${counted(references, 'test')}`;
      return [[...suiteName(suite, suites), ' › ', code(name), `${words}${range}${chance}`]];
    }),
  );
}

function labelLine(labels: NonNullable<MetricResult['labels']>, mode: Result['mode']): Line {
  const counts = labels.map(({ label, base, head }) => [
    code(label),
    mode === 'sweep' ? ` ${count(head)}` : ` ${count(base)} → ${count(head)}`,
  ]);
  return joinLines(counts, ', ');
}
