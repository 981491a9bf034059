import type { Result } from '../../kernel/result/result.ts';
import { count, wholePercent, wholeRates } from '../../text/amounts.ts';
import { brokenIn, suitesWorstFirst } from '../../wording/figures.ts';
import { headlineOf, type OutcomeLook } from '../../wording/outcomes.ts';
import { variantWords } from '../../wording/variants.ts';
import { code, joinLines, strong, text, wordsLine, type Line } from './document.ts';
import type { Reports } from './feature-report.ts';
import { andMore } from './phrases.ts';
import { rankedPrompts } from './tables.ts';

interface Headline extends OutcomeLook {
  subject: Line;
  rows: Line[];
  note: Line;
}

export function headline(result: Result, reports: Reports): Headline {
  const { subject, rows, note, ...look } = headlineOf(result);
  const [worst, ...others] = rows.map(wordsLine);
  return {
    ...look,
    subject: wordsLine(subject),
    rows: worst === undefined ? [] : [[...worst, ...inOnePlace(result, reports)], ...others],
    note: [...wordsLine(note), ...(result.mode === 'sweep' ? highestVariants(result) : [])],
  };
}

/** An attribute is named if at least this share of broken tests has it. */
const MIN_SHARED_ATTRIBUTE = 0.6;

function inOnePlace(result: Result, reports: Reports): Line {
  const [worst] = suitesWorstFirst(result.suites);
  if (worst?.verdict !== 'regressed') return [];
  const broken = brokenIn(worst).map(({ id }) => id);
  const [most] = reports.flatMap(({ inCommon }) => inCommon?.(result, worst, broken) ?? []);
  if (most === undefined || broken.length < 2 || most.shared < MIN_SHARED_ATTRIBUTE * broken.length)
    return [];
  const how = most.shared === broken.length ? 'all' : count(most.shared);
  const places = most.places.map(({ name, base, head }): Line => [
    strong(name),
    text(` (${wholeRates(base, head)})`),
  ]);
  return [text(`, ${how} in `), ...joinLines(places, ' and ')];
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
            text(index === 0 ? ' Highest: ' : '; '),
            code(name),
            text(` ${wholePercent(first.rate)} with `),
            code(variantWords(first.suite.variant)),
          ],
    );
  const more = andMore(prompts.length, MOST_PROMPTS);
  return shown.length === 0 ? [] : [...shown, text(more === null ? '.' : ` ${more}.`)];
}
