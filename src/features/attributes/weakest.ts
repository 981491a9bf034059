import type { Result } from '../../kernel/result/result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { answerLine } from '../../report/sections/answers.ts';
import {
  code,
  joinLines,
  list,
  strong,
  text,
  type Block,
  type Line,
} from '../../report/sections/document.ts';
import { shortFace } from '../../report/sections/faces.ts';
import { wilson } from '../../report/sections/intervals.ts';
import { counted, wholePercent } from '../../text/amounts.ts';
import { suitesWorstFirst } from '../../wording/figures.ts';
import { explainedSuites, type ExplainedSuite } from './explained-suites.ts';
import { suiteAttributes, type AttributeResult, type Insight } from './result.ts';
import { FEWEST_UNITS } from './verdicts.ts';

/** Of a suite, and of suites in a report. */
const MOST_WEAK = 3;

/** The attributes that pass less often than their suite, beyond chance, the weakest first. */
export function weakInsights(
  suite: SuiteResult,
  attributes: readonly AttributeResult[],
): Insight[] {
  const { path, name, variant, pass_rate, references } = suite;
  return suiteAttributes(suite, attributes)
    .filter(({ head, n }) => {
      const range = head === null ? null : wilson({ passes: head * n, tries: n });
      return n >= FEWEST_UNITS && range !== null && range.high < (pass_rate.head ?? 0);
    })
    .sort((a, b) => (a.head ?? 0) - (b.head ?? 0))
    .slice(0, MOST_WEAK)
    .map(({ id, references: own }) => ({
      ...{ path, suite: name, variant, attribute: id, fix: null },
      references: references.flatMap((each) =>
        each.status === 'fail' && own.includes(each.id) ? [each.id] : [],
      ),
    }));
}

/** A sweep's insights: what each suite or model is weak in, with a failing answer. */
export function weakBlocks(result: Result, { characters }: { characters: number }): Block[] {
  const weak = explainedSuites(result, suitesWorstFirst(result.suites)).filter(
    ({ insights }) => result.mode === 'sweep' && insights.length > 0,
  );
  return list(weak.slice(0, MOST_WEAK).map((of) => weakLine(of, characters)));
}

function weakLine({ name, suite, attributes, insights }: ExplainedSuite, characters: number): Line {
  const named = insights.flatMap(({ attribute: id }) =>
    attributes
      .filter((attribute) => attribute.id === id)
      .map(({ name: words, head, n }): Line => [
        strong(words),
        text(` (${wholePercent(head)} of ${counted(n, 'test')} pass)`),
      ]),
  );
  const failing = suite?.references.find(({ id }) => insights[0]?.references.includes(id));
  const answer = failing?.head?.tries.find(({ outcome }) => outcome === 'fail') ?? null;
  return [
    ...[code(name), text(' is weak in '), ...joinLines(named, ', ')],
    ...(failing === undefined
      ? [text('.')]
      : [
          ...[text('. For example, '), code(shortFace(failing)), text(': ')],
          ...answerLine(answer, characters),
        ]),
  ];
}
