import { countsForVerdict, isNew } from '../../kernel/result/counts.ts';
import type { ReferenceResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { count, counted } from '../../text/amounts.ts';
import type { Detail } from './detail.ts';
import { group, paragraph, table, type Block } from './document.ts';
import { testNames } from './faces.ts';
import { metricRates } from './phrases.ts';

const OUTCOMES = ['pass', 'fail'] as const;

interface OutcomeChange {
  words: string;
  isChange: boolean;
  tests: ReferenceResult[];
}

/** Groups tests that are not new and have an outcome on both sides. The roll-up decides a test's outcome. */
function outcomeChanges(suite: SuiteResult): OutcomeChange[] {
  return OUTCOMES.flatMap((before) =>
    OUTCOMES.map((after) => ({
      words: `${before} → ${after}`,
      isChange: before !== after,
      tests: suite.references.filter(
        (reference) =>
          countsForVerdict(reference) &&
          !isNew(reference, suite) &&
          reference.base?.rollup === before &&
          reference.head?.rollup === after,
      ),
    })),
  );
}

/** For example `14 pass → pass` and `6 pass → fail`. */
export function changeCounts(suite: SuiteResult): string[] {
  return outcomeChanges(suite).flatMap(({ words, tests }) =>
    tests.length === 0 ? [] : [`${count(tests.length)} ${words}`],
  );
}

const MOST_CHANGED_NAMES = 5;

/** The passes and fails of a run's only suite. */
export function passTable(
  suite: SuiteResult,
  { scoring }: Pick<Result, 'scoring'>,
  { collapsedItems }: Detail,
): Block[] {
  const changes = outcomeChanges(suite);
  const all = changes.flatMap(({ tests }) => tests).length;
  if (all === 0) return [];
  const moved = changes
    .filter(({ isChange, tests }) => isChange && tests.length > 0 && suite.verdict !== 'unchanged')
    .map(({ words, tests }) => `${count(tests.length)} ${words}`);
  const metrics = metricRates(suite);
  const most = Math.min(MOST_CHANGED_NAMES, collapsedItems);
  const { policy } = suite.rollups;
  return group(
    [counted(all, 'test'), ...(moved.length === 0 ? [] : [moved.join(', ')])].join(': '),
    [
      ...table(
        ['Base → head', 'Tests'],
        changes.map(({ words, isChange, tests }) => [
          words,
          [
            count(tests.length),
            ...(isChange && tests.length > 0 ? [': ', ...testNames(tests, most)] : []),
          ],
        ]),
      ),
      paragraph([
        policy === 'all' ? 'A test passes if all its tries pass.' : `Roll-up: ${policy}.`,
        scoring.length === 0 ? '' : " Head's scoring judges both sides.",
        ...(metrics === null ? [] : [` By metric: ${metrics}.`]),
      ]),
    ],
  );
}
