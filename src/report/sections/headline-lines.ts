import { worseAlone } from '../../result/counts.ts';
import type { Result } from '../../result/result.ts';
import type { SuiteResult } from '../../result/suite-result.ts';
import { count, counted, inSize, percent } from '../../text/amounts.ts';
import { shorten } from '../../text/visible.ts';
import { SENTENCE, code, text, type Inline, type Line } from './document.ts';
import { casesOf, suitesWorstFirst } from './order.ts';
import { difference, rates, size } from './phrases.ts';

function sentence(words: string): Inline {
  return text(shorten(words, SENTENCE));
}

/** The first of the reasons. */
export function firstReason({ reasons, title }: Result): Line {
  return [sentence(reasons[0] ?? title)];
}

/** The same; an override's own reason stands before it. */
export function failedLine({ reasons, title, override }: Result): Line {
  return [sentence(reasons[override === null ? 0 : 1] ?? title)];
}

export function problemsLine({ problems, usage }: Result): Line {
  const sent = usage.calls === 0 ? ' Nothing was sent to a model.' : '';
  return [text(`${counted(problems.length, 'problem')} to fix.${sent}`)];
}

export function regressionLine(result: Result): Line {
  const silent = suitesThat(result, 'regressed').flatMap(({ reason }) =>
    reason?.by === 'unanswered' ? reason.references : [],
  ).length;
  const broken = casesOf(result, 'regressed').length - silent;
  const fell = casesOf(result, 'fell').length;
  const line = several(result, suitesThat(result, 'regressed'), 'regressed');
  const clearly = broken === 0 ? [] : [`${counted(broken, 'reference')} clearly got worse`];
  const also =
    fell === 0
      ? []
      : [broken === 0 ? `${counted(fell, 'reference')} fell` : `${count(fell)} more fell`];
  const unanswered =
    silent === 0
      ? []
      : [`head does not answer in ${counted(silent, 'reference')} that base answers`];
  const words = [...unanswered, ...clearly, ...also].join(', ');
  return words === '' ? line : [...line, text(` ${words}.`)];
}

export function improvedLine(result: Result): Line {
  return [...several(result, suitesThat(result, 'improved'), 'improved'), ...alone(result)];
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

export function inconclusiveLine(result: Result): Line {
  const open = suitesThat(result, 'inconclusive');
  const low = worstOf(open)?.pass_rate.low ?? null;
  const drop =
    low === null || low >= 0
      ? []
      : [text(` A drop of up to ${inSize(low)} points is not ruled out.`)];
  return [...several(result, open, 'inconclusive'), ...drop, ...alone(result)];
}

export function nothingWorseLine(result: Result): Line {
  return [...comparedNumbers(result), ...alone(result)];
}

function comparedNumbers(result: Result): Line {
  const compared = result.suites.filter(({ pass_rate }) => pass_rate.difference !== null);
  if (compared.length > 0) return several(result, compared, 'compared');
  const fresh = result.suites.filter(({ verdict }) => verdict === 'new');
  if (fresh.length === 0) return [sentence(result.title)];
  return [
    ...numbers(fresh),
    text(`; ${counted(fresh.length, 'new suite')}, nothing to compare with.`),
  ];
}

export function evaluatedLine({ suites }: Result): Line {
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

function suitesThat({ suites }: Result, verdict: SuiteResult['verdict']): SuiteResult[] {
  return suites.filter((suite) => suite.verdict === verdict);
}
