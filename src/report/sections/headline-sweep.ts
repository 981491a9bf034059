import { countsForVerdict } from '../../kernel/result/counts.ts';
import type { ReferenceResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import { count, counted, percent } from '../../text/amounts.ts';
import { rateRange } from '../../wording/rates.ts';
import { variantWords } from '../../wording/variants.ts';
import { code, text, type Line } from './document.ts';
import { subjectOf, type HeadlineText } from './headline-suite.ts';
import { andMore } from './phrases.ts';
import { rankedPrompts } from './tables.ts';

export function withoutSubject(line: Line): HeadlineText {
  return { subject: [], line };
}

/** In place of rates. */
export const NO_RATE = 'nothing could be judged';

const MAX_HEADLINE_PROMPTS = 3;

export function evaluatedLine(result: Result): HeadlineText {
  const { suites } = result;
  const [only] = suites;
  const failed = text(failedOf(suites.flatMap(({ references }) => references)));
  if (suites.length === 1 && only !== undefined)
    return { subject: subjectOf(only, suites), line: [failed] };
  return withoutSubject([
    text(`${counted(suites.length, 'result')}, ${rateRange(suites) ?? NO_RATE}. `),
    failed,
    ...highestVariants(result),
  ]);
}

function failedOf(references: readonly ReferenceResult[]): string {
  const counting = references.filter(countsForVerdict);
  const failed = counting.filter(({ status }) => status === 'fail').length;
  const all = counted(failed === 0 ? references.length : counting.length, 'reference');
  return failed === 0 ? `${all}.` : `${count(failed)} of ${all} failed.`;
}

/** ` Highest: capitals 100.0 % with local; …`: unless variants tie. */
function highestVariants(result: Result): Line {
  const prompts = rankedPrompts(result).filter(
    ({ ranked: [first, second] }) =>
      typeof first?.rate === 'number' && first.rate > (second?.rate ?? -1),
  );
  const shown = prompts
    .slice(0, MAX_HEADLINE_PROMPTS)
    .flatMap(({ name, ranked: [first] }, index) =>
      first === undefined
        ? []
        : [
            text(index === 0 ? ' Highest: ' : '; '),
            code(name),
            text(` ${percent(first.rate)} with `),
            code(variantWords(first.suite.variant)),
          ],
    );
  const more = andMore(prompts.length, MAX_HEADLINE_PROMPTS);
  return shown.length === 0 ? [] : [...shown, text(more === null ? '.' : ` ${more}.`)];
}
