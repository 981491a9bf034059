import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { NAME_LIMIT } from '../../report/sections/document.ts';
import { wilson } from '../../report/sections/intervals.ts';
import { percent, counted, pointsBetween } from '../../text/amounts.ts';
import { shorten } from '../../text/visible.ts';
import type { ProposalQuestion } from '../../trials/proposals.ts';
import type { ReferenceGroup } from '../../types/reference-group.ts';
import { KIND_WORDS, attributeWords } from './explained-suites.ts';
import { suiteAttributes, type AttributeResult, type Insight } from './result.ts';
import { FEWEST_UNITS } from './verdicts.ts';

/** The model's proposals for an attribute are tried until one passes. */
export function insightQuestion(attribute: AttributeResult): ProposalQuestion {
  return {
    name: 'insights',
    role: 'You find out why a change of a prompt made one kind of test case worse.',
    about: 'Explain this kind of test cases:\n{{attribute}}',
    materials: { attribute: rateSentence(attribute) },
  };
}

export function rateSentence(attribute: AttributeResult): string {
  const { name, kind, verdict, difference } = attribute;
  const what = difference === null ? '' : ` ${verdict}`;
  return `${shorten(name, NAME_LIMIT)} (${KIND_WORDS[kind]})${what}: ${rateWords(attribute)}.`;
}

export function referenceGroup(attribute: AttributeResult): ReferenceGroup {
  const { id, verdict, references, ratings = [] } = attribute;
  const reasons = new Map(ratings.map(({ reference, evidence }) => [reference, evidence]));
  return {
    id,
    words: `${id}: ${rateSentence(attribute)}`,
    isWorse: verdict === 'regressed',
    members: references.map((member) => ({ id: member, reason: reasons.get(member) ?? '' })),
  };
}

export function rateWords(attribute: AttributeResult): string {
  const { n, base, head, difference, values } = attribute;
  const over = `over ${counted(n, 'test')}`;
  if (values?.tested) return `${attributeWords(attribute)} ${over}`;
  if (difference === null) return `pass rate ${percent(head ?? base)} ${over}`;
  return `pass rate ${percent(base)} → ${percent(head)} (${pointsBetween(base, head)}) ${over}`;
}

/** Of a suite. */
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
