import type {
  ConversationOutcome,
  ConversationSummary,
  PairedMean,
  Result,
  SuiteResult,
} from '../../types.ts';
import { percent, signed } from '../../text/amounts.ts';
import { code, group, paragraph, text, type Block, type Line } from './document.ts';
import type { Detail } from './detail.ts';
import { suitesWorstFirst } from './order.ts';
import { andMore, change as changeOf, count, counted } from './phrases.ts';

/**
 * What conversations took on both sides: completed share, turns, turns to each criterion, and how
 * they ended.
 */
export function conversations({ suites, mode }: Result, { items }: Detail): Block[] {
  const found = suitesWorstFirst(suites).flatMap((suite) =>
    suite.conversation ? [{ suite, summary: suite.conversation }] : [],
  );
  const shown = found.slice(0, items);
  const more = andMore(found.length, shown.length);
  return group(
    [text(`Conversations in ${counted(found.length, 'suite')}`)],
    found.length === 0
      ? []
      : [
          ...shown.flatMap(({ suite, summary }) => blocksOf(suite, summary, mode)),
          ...(more === null ? [] : [paragraph([text(`${more}.`)])]),
        ],
  );
}

function blocksOf(
  { name }: SuiteResult,
  summary: ConversationSummary,
  mode: Result['mode'],
): Block[] {
  const rows: [Line, PairedMean, Kind][] = [
    [[text('Completed')], summary.completed, 'share'],
    [[text('Turns, where completed')], summary.turns, 'turns'],
    ...summary.turns_to.flatMap(({ criterion, turns, reached }): typeof rows => [
      [[code(criterion), text(' met at the end')], reached, 'share'],
      [[text('Turns to '), code(criterion)], turns, 'turns'],
    ]),
  ];
  const head =
    mode === 'sweep'
      ? ['', 'Mean', 'References']
      : ['', 'Base', 'Head', 'Difference, 90 % interval', 'References'];
  return [
    paragraph([
      code(name),
      text(`: up to ${counted(summary.max_steps, 'step')}, judged by `),
      ...summary.evaluators.flatMap((evaluator, index): Line => [
        text(index === 0 ? '' : ', '),
        code(evaluator),
      ]),
    ]),
    {
      kind: 'table',
      head: head.map((title) => [text(title)]),
      rows: rows.map(([title, mean, kind]) => [title, ...cells(mean, kind, mode)]),
    },
    paragraph(
      [
        text(
          `${mode === 'sweep' ? '' : 'Turns are compared on the references that reach them on both sides. '}${endings(summary)}`,
        ),
      ],
      'small',
    ),
  ];
}

type Kind = 'share' | 'turns';

function cells(
  { base, head, difference, low, high, n }: PairedMean,
  kind: Kind,
  mode: Result['mode'],
): Line[] {
  const value = (mean: number | null): string =>
    kind === 'share' ? percent(mean) : mean === null ? '–' : mean.toFixed(2);
  if (mode === 'sweep') return [[text(value(head))], [text(count(n))]];
  const change = (by: number): string =>
    kind === 'share' ? changeOf({ base, head, difference: by }) : signedTurns(by);
  const interval =
    low === null || high === null
      ? ''
      : `, ${kind === 'share' ? signed(low) : signedTurns(low)} to ${kind === 'share' ? signed(high) : signedTurns(high)}`;
  return [
    [text(value(base))],
    [text(value(head))],
    [text(difference === null ? '–' : `${change(difference)}${interval}`)],
    [text(count(n))],
  ];
}

/** A difference of turns with a real minus sign. */
function signedTurns(difference: number): string {
  const size = Math.abs(difference).toFixed(2);
  return Number(size) === 0 ? '0.00' : `${difference < 0 ? '−' : '+'}${size}`;
}

function endings({ outcomes: { base, head } }: ConversationSummary): string {
  const words = (counts: Record<ConversationOutcome, number> | null): string =>
    counts === null
      ? 'not run'
      : Object.entries(counts)
          .filter(([, number]) => number > 0)
          .map(([outcome, number]) => `${outcome} ${count(number)}`)
          .join(', ') || 'none';
  return base === null
    ? `How tries ended: ${words(head)}.`
    : `How tries ended: base ${words(base)}; head ${words(head)}.`;
}
