import type { RunPlan } from '../../app/run/feature.ts';
import { plannedSuite } from '../../app/session/evaluate.ts';
import type { SideResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { median } from '../../kernel/statistics/exploded.ts';
import { sum } from '../../kernel/statistics/sums.ts';
import {
  code,
  paragraph,
  place,
  strong,
  table,
  type Block,
} from '../../report/sections/document.ts';
import { cost, count } from '../../text/amounts.ts';
import type { Side } from '../../types/plain.ts';
import type { LineEdit } from './edits.ts';

/** Cost and latency of each suite under both models, and the edits to make. */
export function migrationBlocks(
  { suites }: Pick<Result, 'suites'>,
  plan: RunPlan | null,
  edits: readonly LineEdit[],
): Block[] {
  const rows = suites.map((suite) => [
    [code(suite.name)],
    [onSides((side) => cost(costPerThousand(suite, side, plan)))],
    [onSides((side) => latencyWords(suite, side))],
  ]);
  return [
    ...table(['suite', 'cost of 1,000 answers', 'median latency'], rows),
    ...edits.flatMap(({ file, line, was, becomes }): Block[] => [
      paragraph([strong('Edit'), ' ', place(file, line)]),
      {
        kind: 'diff',
        lines: [
          { sign: 'removed', text: was },
          ...(becomes === null ? [] : [{ sign: 'added' as const, text: becomes }]),
        ],
      },
    ]),
  ];
}

function onSides(words: (side: Side) => string): string {
  return `${words('base')} → ${words('head')}`;
}

function triesOf({ references }: SuiteResult, side: Side): SideResult['tries'] {
  return references.flatMap((reference) => reference[side]?.tries ?? []);
}

/** Null if the price is unknown. */
function costPerThousand(suite: SuiteResult, side: Side, plan: RunPlan | null): number | null {
  const target = plannedSuite(plan, suite)?.suite[side]?.variant.target ?? null;
  const costs = triesOf(suite, side).map(({ usage }) =>
    usage === null || target === null ? null : (plan?.price(target, usage) ?? null),
  );
  const known = costs.filter((each) => each !== null);
  return known.length === 0 || known.length < costs.length
    ? null
    : (1000 * sum(known)) / known.length;
}

function latencyWords(suite: SuiteResult, side: Side): string {
  const middle = median(triesOf(suite, side).map(({ latency_ms }) => latency_ms));
  return middle === null ? 'unknown' : `${count(Math.round(middle))} ms`;
}
