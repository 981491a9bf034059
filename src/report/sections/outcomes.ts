import { failingMetrics } from '../../kernel/result/counts.ts';
import type { Result } from '../../kernel/result/result.ts';
import { andMore, count, wholePercent } from '../../text/amounts.ts';
import { brokenIn, suitesWorstFirst } from '../../wording/figures.ts';
import { headlineOf, type OutcomeLook } from '../../wording/outcomes.ts';
import { variantWords } from '../../wording/variants.ts';
import { code, joinLines, strong, wordsLine, type Line } from './document.ts';
import type { Reports } from './feature-report.ts';
import { rankedPrompts } from './tables.ts';

interface Headline extends OutcomeLook {
  subject: Line;
  rows: Line[];
  note: Line;
}

export function headline(result: Result, reports: Reports): Headline {
  const { subject, rows, note, ...look } = headlineOf(result);
  const [worst, ...others] = rows.map(wordsLine);
  const place = inOnePlace(result, reports);
  return {
    ...look,
    subject: wordsLine(subject),
    rows: worst === undefined ? [] : [[...worst, ...place], ...others],
    note: [
      ...wordsLine(note),
      ...(worst === undefined ? place : []),
      ...(result.mode === 'sweep' ? highestVariants(result) : []),
    ],
  };
}

/** An attribute is named if at least this share of broken tests has it. */
const MIN_SHARED_ATTRIBUTE = 0.6;

function inOnePlace(result: Result, reports: Reports): Line {
  const [worst] = suitesWorstFirst(result.suites).filter(
    (suite) => suite.verdict === 'regressed' || failingMetrics(suite).length > 0,
  );
  if (worst === undefined) return [];
  const broken = brokenIn(worst).map(({ id }) => id);
  const [most] = reports.flatMap(({ inCommon }) => inCommon?.(result, worst, broken) ?? []);
  if (most === undefined) return [];
  const { shared, places } = most;
  if (shared !== null && (broken.length < 2 || shared < MIN_SHARED_ATTRIBUTE * broken.length))
    return [];
  const how = shared === null ? '' : shared === broken.length ? 'all ' : `${count(shared)} `;
  const named = places.map(({ name, words }) => [strong(name), ` (${words})`]);
  return [`, ${how}in `, ...joinLines(named, ' and ')];
}

const MOST_PROMPTS = 3;

function highestVariants(result: Result): Line {
  const prompts = rankedPrompts(result).filter(
    ({ ranked: [first, second] }) =>
      typeof first?.rate === 'number' && first.rate > (second?.rate ?? -1),
  );
  const shown = prompts
    .slice(0, MOST_PROMPTS)
    .flatMap(({ name, ranked: [first] }, index) =>
      first === undefined
        ? []
        : [
            index === 0 ? ' Highest: ' : '; ',
            code(name),
            ` ${wholePercent(first.rate)} with `,
            code(variantWords(first.suite.variant)),
          ],
    );
  return shown.length === 0 ? [] : [...shown, `${andMore(prompts.length, MOST_PROMPTS)}.`];
}
