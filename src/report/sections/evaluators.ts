import type { EvaluatorGrade, EvaluatorResult, Result, YesShare } from '../../types.ts';
import { percent } from '../../text/amounts.ts';
import { code, group, joined, paragraph, text, type Block, type Line } from './document.ts';
import type { Detail } from './detail.ts';
import { andMore, count, counted } from './phrases.ts';

/**
 * How well evaluators tell accepted answers from rejected ones, base → head, where a change touches
 * them.
 */
export function evaluators({ evaluators: results = [] }: Result, { items }: Detail): Block[] {
  return group(
    [text('Evaluators on labelled answers')],
    results.length === 0 ? [] : evaluatorTables(results, items),
  );
}

/**
 * One table per suite, in the order of the results; a row for every evaluator and combination,
 * base's above head's. At most `items` rows.
 */
export function evaluatorTables(results: readonly EvaluatorResult[], items: number): Block[] {
  const paths = [...new Set(results.map(({ path }) => path))];
  return paths.flatMap((path) =>
    tableOf(
      results.filter((one) => one.path === path),
      items,
    ),
  );
}

interface Row {
  result: EvaluatorResult;
  grade: EvaluatorGrade;
}

function tableOf(results: readonly EvaluatorResult[], items: number): Block[] {
  const first = results.at(-1);
  if (first === undefined) return [];
  const criteria = [...new Set(results.flatMap((result) => result.criteria))];
  const compares = results.length > 1;
  const rows = paired(results);
  const shown = rows.slice(0, items);
  const more = andMore(rows.length, shown.length);
  const title = paragraph([
    code(first.name),
    text(
      `: share of yes on accepted vs rejected answers, ${counted(first.examples, 'labelled answer')}`,
    ),
  ]);
  const head: Line[] = [
    [text('Evaluators')],
    ...(compares ? [[text('Side')]] : []),
    ...criteria.map((name): Line => [code(name)]),
    [text('All criteria')],
    [text('95 % intervals')],
    [text('Balanced accuracy')],
    [text('Unread')],
  ];
  return [
    title,
    ...(shown.length === 0
      ? []
      : [
          {
            kind: 'table' as const,
            head,
            rows: shown.map((row) => cellsOf(row, criteria, compares)),
          },
        ]),
    ...(more === null ? [] : [paragraph([text(`${more}.`)])]),
  ];
}

/** Rows of the same evaluators stand together, in head's order, then what only base has. */
function paired(results: readonly EvaluatorResult[]): Row[] {
  const all = results.flatMap((result) => result.grades.map((grade): Row => ({ result, grade })));
  const keyOf = ({ grade }: Row): string => JSON.stringify(grade.evaluators);
  const keys = [
    ...new Set([...all.filter(({ result }) => result.side === 'head'), ...all].map(keyOf)),
  ];
  return keys.flatMap((key) => all.filter((row) => keyOf(row) === key));
}

function cellsOf({ result, grade }: Row, criteria: readonly string[], compares: boolean): Line[] {
  const { accepted, rejected, balanced_accuracy: balanced, unread } = grade;
  return [
    joined(
      grade.evaluators.map((name): Line => [code(name)]),
      ' + ',
    ),
    ...(compares ? [[text(result.side)]] : []),
    ...criteria.map((name): Line => [text(both(accepted.criteria[name], rejected.criteria[name]))]),
    [text(both(accepted.all, rejected.all))],
    [text(`${interval(accepted.all)} vs ${interval(rejected.all)}`)],
    [
      text(
        balanced === null
          ? '–'
          : `${percent(balanced.value)} (${bounds(balanced.low, balanced.high)})`,
      ),
    ],
    [text(count(unread))],
  ];
}

function both(accepted: YesShare | undefined, rejected: YesShare | undefined): string {
  return `${percent(accepted?.share ?? null)} vs ${percent(rejected?.share ?? null)}`;
}

function interval({ low, high }: YesShare): string {
  return low === null || high === null ? '–' : bounds(low, high);
}

function bounds(low: number, high: number): string {
  return `${(low * 100).toFixed(1)}–${(high * 100).toFixed(1)}`;
}
