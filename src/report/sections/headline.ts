import { ungradedInAll, worseAlone } from '../../result/counts.ts';
import type { Result } from '../../result/result.ts';
import type { SuiteResult } from '../../result/suite-result.ts';
import { inSize, percent } from '../../text/amounts.ts';
import { shorten } from '../../text/visible.ts';
import { code, text, type Inline, type Line } from './document.ts';
import { casesOf, suitesWorstFirst } from './order.ts';
import { count, counted, difference, rates, size } from './phrases.ts';

/** A sentence from elsewhere is cut here, in UTF-16 units. */
export const SENTENCE = 400;

/** The one line at which a reviewer can stop. */
export interface Headline {
  /** A sign and the outcome in words. */
  sign: string;
  outcome: string;
  /** The numbers behind it. */
  line: Line;
}

/** The verdict with its numbers, interval and size, from the result alone. */
export function headline(result: Result): Headline {
  const found = outcomeOf(result);
  const ungraded = result.conclusion === 'error' ? null : ungradedInAll(result.suites);
  const last = found.line.at(-1);
  const begun = last !== undefined && 'text' in last && !last.text.endsWith('.') ? ';' : '';
  return ungraded === null
    ? found
    : { ...found, line: [...found.line, text(`${begun} ${ungraded}.`)] };
}

function outcomeOf(result: Result): Headline {
  if (result.conclusion === 'error')
    return { sign: '!', outcome: 'Not judged', line: unjudged(result) };
  const regressed = result.suites.filter(({ verdict }) => verdict === 'regressed');
  if (result.override !== null) return overridden(result, regressed);
  if (regressed.length > 0)
    return { sign: '✗', outcome: 'Regressed', line: regression(result, regressed) };
  if (result.conclusion === 'failure')
    return { sign: '✗', outcome: 'Failed', line: [sentence(result.reasons[0] ?? result.title)] };
  const open = result.suites.filter(({ verdict }) => verdict === 'inconclusive');
  if (open.length > 0)
    return {
      sign: '?',
      outcome: 'Cannot tell',
      line: [...inconclusive(result, open), ...alone(result)],
    };
  if (result.suites.length === 0) return withoutSuites(result);
  if (result.mode === 'sweep') return { sign: '✓', outcome: 'Evaluated', line: evaluated(result) };
  const better = result.suites.filter(({ verdict }) => verdict === 'improved');
  if (better.length > 0)
    return {
      sign: '✓',
      outcome: 'Improved',
      line: [...several(result, better, 'improved'), ...alone(result)],
    };
  return {
    sign: '✓',
    outcome: worseAlone(result.suites) === 0 ? 'No regression' : 'No suite regressed',
    line: [...nothingWorse(result), ...alone(result)],
  };
}

/** What was red stays to be seen; why it is not is the first of the reasons. */
function overridden(result: Result, regressed: readonly SuiteResult[]): Headline {
  if (regressed.length > 0)
    return { sign: '✗', outcome: 'Regressed, overridden', line: regression(result, regressed) };
  return {
    sign: '✗',
    outcome: 'Failed, overridden',
    line: [sentence(result.reasons[1] ?? result.title)],
  };
}

function unjudged({ problems, reasons, title, usage }: Result): Line {
  const sent = usage.calls === 0 ? ' Nothing was sent to a model.' : '';
  if (problems.length > 0) return [text(`${counted(problems.length, 'problem')} to mend.${sent}`)];
  return [sentence(reasons[0] ?? title)];
}

function sentence(words: string): Inline {
  return text(shorten(words, SENTENCE));
}

function withoutSuites({ conclusion, reasons, title }: Result): Headline {
  const line = [sentence(reasons[0] ?? title)];
  if (conclusion === 'neutral') return { sign: '·', outcome: 'Not evaluated', line };
  return {
    sign: '✓',
    outcome: 'Nothing affected',
    line: [sentence(reasons[0] ?? 'No prompt, rubric or test changed: nothing to run.')],
  };
}

function regression(result: Result, regressed: readonly SuiteResult[]): Line {
  const broken = casesOf(result, 'regressed').length;
  const line = several(result, regressed, 'regressed');
  return broken === 0
    ? line
    : [...line, text(` ${counted(broken, 'reference')} clearly got worse.`)];
}

/**
 * Single references that got worse while their suites are not called regressed, so that their list
 * contradicts nothing.
 */
function alone({ suites }: Result): Line {
  const worse = worseAlone(suites);
  return worse === 0
    ? []
    : [
        text(
          ` ${counted(worse, 'reference')} got worse, which is not enough to call a suite regressed.`,
        ),
      ];
}

function inconclusive(result: Result, open: readonly SuiteResult[]): Line {
  const low = worstOf(open)?.pass_rate.low ?? null;
  const line = several(result, open, 'cannot be told');
  return low === null || low >= 0
    ? line
    : [...line, text(` A drop of up to ${inSize(low)} points is not ruled out.`)];
}

function nothingWorse(result: Result): Line {
  const compared = result.suites.filter(({ pass_rate }) => pass_rate.difference !== null);
  if (compared.length > 0) return several(result, compared, 'compared');
  const fresh = result.suites.filter(({ verdict }) => verdict === 'new');
  if (fresh.length === 0) return [sentence(result.title)];
  return [
    ...numbers(fresh),
    text(`; ${counted(fresh.length, 'new suite')}, nothing to compare with.`),
  ];
}

function evaluated({ suites }: Result): Line {
  if (suites.length === 1) return [...numbers(suites), text('.')];
  const heads = suites.map(({ pass_rate }) => pass_rate.head).filter((rate) => rate !== null);
  const range =
    heads.length === 0
      ? 'nothing could be judged'
      : `pass rates from ${percent(Math.min(...heads))} to ${percent(Math.max(...heads))}`;
  return [text(`${counted(suites.length, 'result')}, ${range}.`)];
}

/** The worst of the suites with its numbers, and how many there are of how many. */
function several({ suites }: Result, chosen: readonly SuiteResult[], word: string): Line {
  const rest =
    suites.length === 1
      ? '.'
      : `; ${count(chosen.length)} of ${counted(suites.length, 'suite')} ${word}.`;
  return [...numbers(chosen), text(rest)];
}

function numbers(suites: readonly SuiteResult[]): Line {
  const suite = worstOf(suites);
  if (suite === undefined) return [];
  const change = difference(suite.pass_rate);
  const compared = suite.compared.references > 0 ? `; ${size(suite.compared)}` : '';
  return [
    code(suite.name),
    text(
      ` ${rates(suite.pass_rate.base, suite.pass_rate.head)}${change === null ? '' : ` (${change})`}${compared}`,
    ),
  ];
}

function worstOf(suites: readonly SuiteResult[]): SuiteResult | undefined {
  return suitesWorstFirst(suites)[0];
}
