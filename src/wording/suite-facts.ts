import { failingMetrics, onlyScoringChanged } from '../kernel/result/counts.ts';
import type { OutcomeKind } from '../kernel/result/outcome.ts';
import type { Result } from '../kernel/result/result.ts';
import type { SuiteResult, Verdict } from '../kernel/result/suite-result.ts';
import { GONE, pullRequestFacts } from './facts.ts';
import { hasComparison, isOfPrompt, numberInWords } from './figures.ts';
import { suiteRow } from './headlines.ts';
import { outcomeLook } from './outcomes.ts';
import { scoringEffect } from './scoring.ts';
import { suiteSentence } from './verdicts.ts';
import type { Words } from './words.ts';

interface SuiteFact {
  /** For example `Regressed`. */
  word: string;
  words: Words;
}

const FACT_WORDS: Partial<Record<Verdict, string>> = {
  regressed: 'Regressed',
  inconclusive: 'Inconclusive',
  improved: 'Improved',
};

const CALM_OUTCOMES: ReadonlySet<OutcomeKind> = new Set([
  'cancelled',
  'ended-early',
  'no-verdict',
  'not-evaluated',
  'not-judged',
  'waiting',
]);

/**
 * What happened to a suite, the worst first, in the words of the comment's headline. Reports that
 * show suites one by one take their words from here.
 */
export function suiteFacts(suite: SuiteResult, result: Result): SuiteFact[] {
  const { suites, scoring, reasons } = result;
  const isOnly = suites.filter(({ verdict }) => verdict === suite.verdict).length === 1;
  const sentence = suiteRow(suite, suites, suiteSentence(suite, { isOnly }));
  const of: Words = suites.length === 1 ? [] : [' of ', { name: suite.name }];
  const rescorings = scoring.filter(isOfPrompt(suite));
  const rescored =
    onlyScoringChanged({ suites: [suite], scoring: rescorings })[0] ??
    rescorings.find(({ flipped }) => flipped.length > 0);
  const own = pullRequestFacts({ suites: [suite], reasons, scoring: [] }).filter(
    ({ word }) => word !== GONE,
  );
  const isFixed = suite.verdict === 'improved' && own.some(({ word }) => word === 'Fixed');
  const verdict = isFixed ? undefined : FACT_WORDS[suite.verdict];
  const metrics = suite.reason?.by === 'values' ? [] : failingMetrics(suite);
  const facts: SuiteFact[] = [
    ...(verdict === undefined ? [] : [{ word: verdict, words: sentence }]),
    ...metrics.map(({ name, values }) => ({
      word: 'Got worse',
      words: [numberInWords(name, values)],
    })),
    ...(rescored === undefined
      ? []
      : [{ word: 'Scoring changed', words: scoringEffect(rescored, of) }]),
    ...own,
  ];
  return facts.length > 0 ? facts : [{ word: calmWord(suite, result), words: sentence }];
}

function calmWord(suite: SuiteResult, result: Result): string {
  if (result.suites.length === 1 || CALM_OUTCOMES.has(result.outcome.kind))
    return outcomeLook(result).outcome;
  return hasComparison(suite) ? 'No regression' : 'Not compared';
}
