import type { Result } from '../../kernel/result/result.ts';
import type { Detail } from '../../report/sections/detail.ts';
import {
  code,
  group,
  joinLines,
  lineBreak,
  paragraph,
  table,
  type Block,
  type Cell,
  type Line,
} from '../../report/sections/document.ts';
import { change as changeOf, rateInterval, suiteGroup } from '../../report/sections/phrases.ts';
import { percent, signed, count, counted } from '../../text/amounts.ts';
import type {
  ConversationSummary,
  EvaluatorGrade,
  EvaluatorResult,
  PairedMean,
  YesShare,
} from './result.ts';

export function conversations(
  { suites, mode }: Result,
  { collapsedItems: items }: Detail,
): Block[] {
  return suiteGroup('Conversations', suites, items, ({ conversation }, name) =>
    conversation ? summaryBlocks(name, conversation, mode) : [],
  );
}

function summaryBlocks(name: Line, summary: ConversationSummary, mode: Result['mode']): Block[] {
  const rows: [Line, PairedMean, MeanUnit][] = [
    [['Completed'], summary.completed, 'share'],
    [['Turns, where completed'], summary.turns, 'turns'],
    ...summary.turns_to.flatMap(({ criterion, turns, reached }): typeof rows => [
      [[code(criterion), ' met at the end'], reached, 'share'],
      [['Turns to ', code(criterion)], turns, 'turns'],
    ]),
  ];
  const head = mode === 'sweep' ? ['', 'Mean', 'References'] : ['', 'Base → head', 'Difference'];
  const compared =
    mode === 'sweep'
      ? ''
      : 'Turns are compared only on references that complete, or meet the criterion, ' +
        'on both sides. ';
  return [
    paragraph([
      ...name,
      `: up to ${counted(summary.max_steps, 'step')}, judged by `,
      ...joinLines(
        summary.evaluators.map((evaluator) => code(evaluator)),
        ', ',
      ),
    ]),
    ...table(
      head,
      rows.map(([title, mean, kind]) => [title, ...cells(mean, kind, mode)]),
    ),
    paragraph(`${compared}${endings(summary)}`, 'small'),
  ];
}

type MeanUnit = 'share' | 'turns';

function cells(
  { base, head, difference, low, high, n }: PairedMean,
  kind: MeanUnit,
  mode: Result['mode'],
): Cell[] {
  const value = (mean: number | null) =>
    kind === 'share' ? percent(mean) : mean === null ? '–' : mean.toFixed(2);
  if (mode === 'sweep') return [value(head), count(n)];
  const change = (by: number) =>
    kind === 'share' ? changeOf({ base, head, difference: by }) : signedTurns(by);
  const end = kind === 'share' ? signed : signedTurns;
  const interval = low === null || high === null ? '' : `${end(low)} to ${end(high)}, `;
  return [
    [`${value(base)} →`, lineBreak, value(head)],
    difference === null
      ? ['–']
      : [change(difference), lineBreak, `${interval}${counted(n, 'test')}`],
  ];
}

function signedTurns(difference: number): string {
  const size = Math.abs(difference).toFixed(2);
  return Number(size) === 0 ? '0.00' : `${difference < 0 ? '−' : '+'}${size}`;
}

function endings({ outcomes: { base, head } }: ConversationSummary): string {
  const words = (counts: ConversationSummary['outcomes']['base']) =>
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

export function evaluators(
  { evaluators: results = [] }: Result,
  { collapsedItems: items }: Detail,
): Block[] {
  return group(
    'Evaluators on labelled answers',
    results.length === 0 ? [] : evaluatorTables(results, items),
  );
}

export function evaluatorTables(results: readonly EvaluatorResult[], items: number): Block[] {
  const paths = [...new Set(results.map(({ path }) => path))];
  return paths.flatMap((path) =>
    evaluatorTable(
      results.filter((result) => result.path === path),
      items,
    ),
  );
}

interface EvaluatorRow {
  result: EvaluatorResult;
  grade: EvaluatorGrade;
}

function evaluatorTable(results: readonly EvaluatorResult[], items: number): Block[] {
  const first = results.at(-1);
  if (first === undefined) return [];
  const criteria = [...new Set(results.flatMap((result) => result.criteria))];
  const compares = results.length > 1;
  const rows = groupByEvaluators(results);
  const title = paragraph([
    code(first.name),
    `: share of yes on accepted vs rejected answers, ${counted(first.examples, 'labelled answer')}`,
  ]);
  const head = [
    'Evaluators',
    ...(compares ? ['Side'] : []),
    ...criteria.map((name) => [code(name)]),
    'All criteria',
    '95 % intervals',
    'Balanced accuracy',
    'Unread',
  ];
  return [
    title,
    ...table(
      head,
      rows.map((row) => cellsOf(row, criteria, compares)),
      items,
    ),
  ];
}

function groupByEvaluators(results: readonly EvaluatorResult[]): EvaluatorRow[] {
  const all = results.flatMap((result) =>
    result.grades.map((grade): EvaluatorRow => ({ result, grade })),
  );
  const keyOf = ({ grade }: EvaluatorRow) => JSON.stringify(grade.evaluators);
  const keys = [
    ...new Set([...all.filter(({ result }) => result.side === 'head'), ...all].map(keyOf)),
  ];
  return keys.flatMap((key) => all.filter((row) => keyOf(row) === key));
}

function cellsOf(
  { result, grade }: EvaluatorRow,
  criteria: readonly string[],
  compares: boolean,
): Cell[] {
  const { accepted, rejected, balanced_accuracy: balanced, unread } = grade;
  return [
    joinLines(
      grade.evaluators.map((name) => code(name)),
      ' + ',
    ),
    ...(compares ? [result.side] : []),
    ...criteria.map((name): Line => [both(accepted.criteria[name], rejected.criteria[name])]),
    both(accepted.all, rejected.all),
    `${interval(accepted.all)} vs ${interval(rejected.all)}`,
    balanced === null ? '–' : `${percent(balanced.value)} (${rateInterval(balanced)})`,
    count(unread),
  ];
}

function both(accepted: YesShare | undefined, rejected: YesShare | undefined): string {
  return `${percent(accepted?.share ?? null)} vs ${percent(rejected?.share ?? null)}`;
}

function interval({ low, high }: YesShare): string {
  return low === null || high === null ? '–' : rateInterval({ low, high });
}
