import type { Result } from '../../kernel/result/result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { count, counted } from '../../text/amounts.ts';
import { brokenUnderRise, fallenMetric, isSilent } from '../../wording/figures.ts';
import { brokenInWords, metricInWords } from '../../wording/rates.ts';
import { text, type Line } from './document.ts';
import { suitesWorstFirst } from './order.ts';
import {
  differenceWords,
  preferredWords,
  rates,
  repeatedNames,
  size,
  suiteName,
} from './phrases.ts';

export interface HeadlineText {
  /** The worst suite with its rates; may be empty. */
  subject: Line;
  line: Line;
}

/** The worst suite with its numbers, and how many others share its verdict. */
export function several(
  { suites }: Result,
  chosen: readonly SuiteResult[],
  word: string,
): HeadlineText {
  const suite = worstSuite(chosen);
  const numbers = suite === undefined ? '' : suiteNumbers(suite);
  const rest =
    suites.length === 1
      ? ''
      : ` ${count(chosen.length)} of ${counted(suites.length, 'suite')} ${word}.`;
  const line = `${numbers === '' ? '' : `${numbers}.`}${rest}`.trim();
  return { subject: subjectOf(suite, suites), line: line === '' ? [] : [text(line)] };
}

export function suiteNumbers({ pass_rate: rate, compared }: SuiteResult): string {
  const moved = differenceWords(rate);
  return [
    ...(moved === null ? [] : [moved]),
    ...(compared.references === 0 ? [] : [size(compared)]),
  ].join('; ');
}

export function subjectOf(suite: SuiteResult | undefined, suites: readonly SuiteResult[]): Line {
  if (suite === undefined) return [];
  const name = suiteName(suite, repeatedNames(suites));
  // Equal rates would not explain a suite that is red because head has no answers.
  if (suite.verdict === 'regressed' && suite.reason?.by === 'unanswered') {
    const [silent, of] = [suite.reason.references.length, suite.evidence.of];
    const how = isSilent(suite) ? 'unanswered' : 'answered less often';
    return [...name, text(` ${count(silent)} of ${counted(of, 'reference')} ${how}`)];
  }
  const broke = brokenUnderRise(suite);
  if (broke !== null) return [...name, text(`: ${brokenInWords(broke, suite.pass_rate)}`)];
  const metric = fallenMetric(suite);
  if (metric !== null) return [...name, text(`: ${metricInWords(metric)}`)];
  const preferred = preferredWords(suite);
  if (preferred !== null) return [...name, text(`: ${preferred}`)];
  return [...name, text(` ${rates(suite.pass_rate.base, suite.pass_rate.head)}`)];
}

export function worstSuite(suites: readonly SuiteResult[]): SuiteResult | undefined {
  return suitesWorstFirst(suites)[0];
}

export function suitesThat({ suites }: Result, verdict: SuiteResult['verdict']): SuiteResult[] {
  return suitesWorstFirst(suites.filter((suite) => suite.verdict === verdict));
}
