import {
  countsForVerdict,
  fixedReferences,
  isNew,
  isNewUnproven,
  newFailing,
  referencesThat,
  sideCounts,
  type NamedReference,
} from '../kernel/result/counts.ts';
import type { Reason, ReasonOf } from '../kernel/result/reason.ts';
import type { ReferenceResult } from '../kernel/result/reference-result.ts';
import type { ScoringResult } from '../kernel/result/scoring-result.ts';
import type { SuiteResult } from '../kernel/result/suite-result.ts';
import { count, counted } from '../text/amounts.ts';
import { scoringEffect } from './scoring.ts';
import { firstOf, joinWords, namedIds, type Words } from './words.ts';

export interface Fact {
  word: 'Fixed' | 'New' | 'Scoring changed' | 'Deleted' | 'Skipped' | 'Quarantined' | typeof GONE;
  words: Words;
}

/** Used if the result lacks the suite, so that the exact word is unknown. */
export const GONE = 'Deleted, skipped or quarantined';

const MAX_FACT_NAMES = 5;

interface Ran {
  suites: readonly SuiteResult[];
  reasons: readonly Reason[];
  scoring: readonly ScoringResult[];
}

export function pullRequestFacts(ran: Ran): Fact[] {
  return [
    ...fixedFact(ran.suites),
    ...newFact(ran),
    ...goneFacts(ran),
    ...scoringFact(ran.scoring),
  ];
}

function scoringFact(scoring: readonly ScoringResult[]): Fact[] {
  const parts = scoring.flatMap((change) => {
    const { pass_fail, fail_pass } = change.same_answers;
    const isFlipping = pass_fail + fail_pass > 0;
    return isFlipping ? [scoringEffect(change, [' of ', { name: change.name }])] : [];
  });
  return parts.length === 0 ? [] : [{ word: 'Scoring changed', words: firstOf(parts) }];
}

function fixedFact(suites: readonly SuiteResult[]): Fact[] {
  const parts = suites.flatMap((suite): Words[] => {
    const ids = new Set(fixedReferences([suite]).map(({ id }) => id));
    const fixed = suite.references.filter(({ id }) => ids.has(id));
    if (fixed.length === 0) return [];
    const of = counted(
      suite.references.filter(
        (reference) => countsForVerdict(reference) && reference.status !== 'removed',
      ).length,
      'test',
    );
    return [
      [
        `${count(fixed.length)} of ${of} of `,
        { name: suite.name },
        ' (',
        ...namedIds([...ids], MAX_FACT_NAMES),
        `): ${passedOf(fixed, 'base')} → ${passedOf(fixed, 'head')} answers pass`,
      ],
    ];
  });
  return parts.length === 0 ? [] : [{ word: 'Fixed', words: joinWords(parts, '; ') }];
}

/** For example `0 of 6`, counting all tries on one side. */
export function passedOf(references: readonly ReferenceResult[], side: 'base' | 'head'): string {
  const { passes, tries } = references
    .map((reference) => sideCounts(reference[side]))
    .reduce((sum, each) => ({
      passes: sum.passes + each.passes,
      tries: sum.tries + each.tries,
    }));
  return `${count(passes)} of ${count(tries)}`;
}

function newFact({ suites, reasons }: Ran): Fact[] {
  // Variants of a suite have the same references, so each counts once.
  const all = distinct(referencesThat(suites, isNew));
  const failing = distinct(newFailing(suites));
  const unproven = distinct(referencesThat(suites, isNewUnproven));
  if (all.length === 0) return [];
  const passing = referencesThat(
    suites,
    (reference, suite) => isNew(reference, suite) && reference.head?.rollup === 'pass',
  );
  const canFail = all.length === distinct(passing).length;
  const pass = canFail ? (all.length === 1 ? 'it passes' : 'all pass') : '';
  const fail = failing.length === 1 ? 'fails' : 'fail';
  const gate = reasons.some(({ code }) => code === 'new-failed') ? gateFails('gate.new') : [];
  const parts = [
    [counted(all.length, 'test')],
    pass === '' ? [] : [pass],
    namedPart(failing, all.length, fail),
    namedPart(unproven, all.length, failedOnce(suites) ? 'failed once' : 'failed some tries'),
  ];
  const words = joinWords(
    parts.filter(({ length }) => length > 0),
    ', ',
  );
  return [{ word: 'New', words: [...words, ...gate] }];
}

/** Whether each new test that may not fail by itself failed exactly one try. */
function failedOnce(suites: readonly SuiteResult[]): boolean {
  return suites.every((suite) =>
    suite.references
      .filter((reference) => isNewUnproven(reference, suite))
      .map(({ head }) => sideCounts(head))
      .every(({ passes, tries }) => tries - passes === 1),
  );
}

/** For example `2 fail (new1, new2)`. */
function namedPart(tests: readonly NamedReference[], of: number, verb: string): Words {
  if (tests.length === 0) return [];
  const which = of === 1 ? 'it' : tests.length === of ? 'all' : count(tests.length);
  const ids = tests.map(({ id }) => id);
  return [`${which} ${verb} (`, ...namedIds(ids, MAX_FACT_NAMES), ')'];
}

function distinct(references: readonly NamedReference[]): typeof references {
  return [...new Map(references.map((each) => [JSON.stringify(each), each])).values()];
}

function gateFails(setting: string): Words {
  return [', and ', { name: setting }, ' is ', { name: 'fail' }];
}

function goneFacts({ suites, reasons }: Ran): Fact[] {
  const reason = reasons.find((each): each is ReasonOf<'removed'> => each.code === 'removed');
  if (reason === undefined) return [];
  const named = new Set(reason.named);
  const found = suites.flatMap(({ path, references }) =>
    references.map((reference) => [`${path}: ${reference.id}`, reference] as const),
  );
  const byName = new Map<string, ReferenceResult>(found.filter(([name]) => named.has(name)));
  const gone = [...byName.values()];
  const deleted = gone.filter(({ status }) => status === 'removed');
  const left = gone.filter(({ status }) => status !== 'removed');
  const quarantined = left.filter((reference) => reference.quarantined === true);
  const skipped = left.filter((reference) => reference.quarantined !== true);
  return [
    ...goneFact('Deleted', deleted, reason.fails),
    ...goneFact('Skipped', skipped, reason.fails),
    ...goneFact('Quarantined', quarantined, reason.fails),
    ...unknownFact(reason, (name) => byName.has(name)),
  ];
}

function unknownFact(
  { named, fails }: ReasonOf<'removed'>,
  isKnown: (name: string) => boolean,
): Fact[] {
  const names = named.filter((name) => !isKnown(name));
  if (names.length === 0) return [];
  const gate = fails ? gateFails('gate.removed') : [];
  const ids = namedIds(names, MAX_FACT_NAMES);
  return [{ word: GONE, words: [`${counted(names.length, 'test')} (`, ...ids, ')', ...gate] }];
}

function goneFact(word: Fact['word'], gone: readonly ReferenceResult[], fails: boolean): Fact[] {
  if (gone.length === 0) return [];
  const critical = gone.filter(({ tags }) => tags.includes('critical'));
  const how =
    critical.length === 0
      ? ''
      : `, ${critical.length === gone.length ? 'all' : `${count(critical.length)} of them`} critical`;
  const names = namedIds(
    (critical.length === 0 ? gone : critical).map(({ id }) => id),
    MAX_FACT_NAMES,
  );
  const gate = fails ? gateFails('gate.removed') : [];
  return [{ word, words: [`${counted(gone.length, 'test')}${how} (`, ...names, ')', ...gate] }];
}
