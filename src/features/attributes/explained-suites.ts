import type { Result } from '../../kernel/result/result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { rates } from '../../report/sections/phrases.ts';
import { count, counted, meansInWords } from '../../text/amounts.ts';
import { suitesWorstFirst } from '../../wording/figures.ts';
import { ownVariant } from '../../wording/variants.ts';
import { suiteKey, type AttributeResult, type Insight } from './result.ts';

export interface ExplainedSuite {
  suite: SuiteResult;
  name: string;
  attributes: AttributeResult[];
  insights: Insight[];
}

/** The suites that have attributes or insights, the worst first. */
export function explainedSuites({ attributes, insights, suites }: Result): ExplainedSuite[] {
  return suitesWorstFirst(suites)
    .map((suite) => {
      const key = suiteKey(suite);
      return {
        suite,
        name: [suite.name, ownVariant(suite, suites)].filter(Boolean).join(', '),
        attributes: attributes.filter((own) => suiteKey(own) === key),
        insights: insights.filter((own) => suiteKey(own) === key),
      };
    })
    .filter((own) => own.attributes.length + own.insights.length > 0);
}

export const KIND_WORDS: Readonly<Record<AttributeResult['kind'], string>> = {
  domain: 'domain',
  subtask: 'sub-task',
};

export function movedCounts(attributes: readonly AttributeResult[]): string {
  const words = (['regressed', 'improved'] as const).flatMap((verdict) => {
    const { length } = attributes.filter((attribute) => attribute.verdict === verdict);
    return length === 0 ? [] : [`${count(length)} ${verdict}`];
  });
  return `Attributes: ${words.length === 0 ? 'none is named' : words.join(', ')}`;
}

export function didMove({ verdict }: AttributeResult): boolean {
  return verdict === 'regressed' || verdict === 'improved';
}

export const GENERATED_WORDS =
  'A model wrote these changes. Each was tested before it was shown. It does not affect the verdict.';

export function insightsTitle(insights: readonly Insight[]): string {
  const shown = insights.filter(({ no_fix }) => no_fix === undefined).length;
  return shown === 0 ? 'no insight' : counted(shown, 'insight');
}

/** Pass rates, or means of the value that was compared instead. */
export function attributeWords({ base, head, values }: AttributeResult): string {
  return values?.tested
    ? `${values.metric} ${meansInWords(values.base, values.head)}`
    : rates(base, head);
}

export function figureHead(attributes: readonly AttributeResult[]): string {
  return attributes.every(({ values }) => values?.tested) ? 'Value' : 'Pass rate';
}

export function attributeNames(ids: readonly string[], { attributes }: ExplainedSuite): string[] {
  return ids.map((id) => attributes.find((attribute) => attribute.id === id)?.name ?? id);
}

export function sharedTestWords({ alternatives }: AttributeResult): string {
  const most = alternatives.toSorted((a, b) => b.shared / b.of - a.shared / a.of)[0];
  return most === undefined
    ? ''
    : `they share ${count(most.shared)} of ${counted(most.of, 'test')}`;
}
