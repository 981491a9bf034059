import { countEvidence } from '../../../../src/kernel/judge/evidence.ts';
import {
  COMPARED_RULES,
  ruleSuite,
  ruleUncompared,
  UNCOMPARED_RULES,
  type SuiteFacts,
} from '../../../../src/kernel/judge/suite-rules.ts';
import type { FallUnderBase } from '../../../../src/kernel/judge/under-base-scoring.ts';
import { suiteComparison, type ReferenceRun } from '../../../../src/kernel/plan/suite-run.ts';
import type { AffectedReference } from '../../../../src/kernel/select/affected-suite.ts';
import {
  gate,
  reference,
  startedSuite,
  suite,
  suiteSide,
  tryResult,
} from '../../app/run/builders.ts';

/** Three references with identical requests on both sides, which are not compared. */
function uncompared(changes: Partial<AffectedReference>[] = [], quarantined: string[] = []) {
  const ids = ['a', 'b', 'c'];
  const sides = (['base', 'head'] as const).map((side) =>
    suiteSide(side, suite({ tests: { references: ids.map((id) => reference(id)) } })),
  );
  const started = startedSuite(sides[0]!, sides[1]!);
  const made = [{ byHead: tryResult('pass'), byBase: null }];
  const runs = started.runs.map((run, at): ReferenceRun => {
    const affected = { ...run.affected, ...changes[at] };
    return { affected, base: affected.base === null ? [] : made, head: made };
  });
  const suiteOf = { ...started.suite, references: runs.map(({ affected }) => affected) };
  const run = { ...started, suite: suiteOf, runs };
  const policy = { kind: 'fixed', tries: 1 } as const;
  return suiteComparison(run, policy, { run: gate(), own: {} }, (id) => quarantined.includes(id));
}

const skipped = (id: string) => ({ reference: reference(id, { skip: true }) });
const unaskable = { base: null };
const added = { base: null, baseReference: null, change: 'added' } as const;

describe('suite without compared references', () => {
  test.each([
    ['is unchanged if both sides have the same requests', uncompared(), 'unchanged'],
    ['is not compared if it is skipped', uncompared(['a', 'b', 'c'].map(skipped)), 'not_compared'],
    ['is not compared if it is quarantined', uncompared([], ['a', 'b', 'c']), 'not_compared'],
    [
      'is unchanged if its only active reference has the same requests',
      uncompared([skipped('a')], ['b']),
      'unchanged',
    ],
    [
      'is not compared if base cannot run one of its references',
      uncompared([unaskable]),
      'not_compared',
    ],
    [
      'is unchanged if it has a new reference beside unchanged ones',
      uncompared([added]),
      'unchanged',
    ],
    [
      'is not compared if all references are new',
      uncompared([added, added, added]),
      'not_compared',
    ],
  ])('gets the expected verdict: it %s', (_, comparison, verdict) => {
    expect(comparison.compared).toEqual([]);
    expect(ruleUncompared(comparison)).toBe(verdict);
  });
});

test('a reference that base cannot run is counted as missing from the comparison', () => {
  expect(countEvidence(uncompared([unaskable]), new Map())).toMatchObject({
    references: 2,
    missing: ['a'],
  });
  expect(countEvidence(uncompared([added]), new Map()).missing).toEqual([]);
});

const nothing: SuiteFacts = {
  confirmation: null,
  fall: null,
  broken: null,
  unanswered: null,
  missing: null,
  named: [],
  fallenMetrics: [],
  suspicious: [],
  endings: new Set(),
  underBase: null,
  worseValues: null,
  betterValues: null,
  rise: null,
  interval: null,
  isBound: false,
  isNotLower: false,
  isBoundTogether: false,
};
const found = { p: 0.001, references: [] };
const interval = { difference: 0, low: -0.1, high: 0.1 };
const underBase: FallUnderBase = { base: 1, head: 0.5, references: ['a'], excusedBy: 'none' };
const excused: FallUnderBase = { ...underBase, excusedBy: 'passes' };

describe('compared suite', () => {
  test.each<[string, Partial<SuiteFacts>, string]>([
    ['dropped', { fall: found, broken: found }, 'regressed fall'],
    ['lost references', { broken: found, unanswered: found }, 'regressed references'],
    ['lost answers', { unanswered: found, named: ['a'] }, 'regressed unanswered'],
    ['has no evidence', { missing: ['a'], named: ['a'] }, 'inconclusive uncompared'],
    ['has worse references', { missing: ['a'], interval, named: ['b'] }, 'inconclusive named'],
    ['has a worse metric', { fallenMetrics: ['m'], isBound: true }, 'inconclusive metric'],
    ['has suspicious references', { suspicious: ['a'], rise: found }, 'inconclusive suspicious'],
    [
      'is green without evidence',
      { missing: [], interval, isBound: true },
      'inconclusive uncompared',
    ],
    ['is open without evidence', { missing: [], interval }, 'inconclusive unsettled'],
    [
      'is green only because of truncated answers',
      { endings: new Set(['unchanged']), isNotLower: true },
      'inconclusive endings',
    ],
    [
      'rose although some answers were refused',
      { endings: new Set(['unchanged']), rise: found },
      'improved rise',
    ],
    ["dropped under base's scoring", { underBase, isBound: true }, 'inconclusive scoring'],
    ["dropped under base's scoring and is undecided", { underBase }, 'inconclusive scoring'],
    [
      "dropped under base's scoring with an excuse",
      { underBase: excused, rise: found },
      'unchanged not-lower',
    ],
    [
      'rose because its own scoring passes refusals',
      { endings: new Set(['unchanged']), rise: found, underBase: excused },
      'inconclusive endings',
    ],
    ['rose', { rise: found, isBound: true }, 'improved rise'],
    ['rules out a drop', { isBound: true, isNotLower: true }, 'unchanged bound'],
    ['is not lower', { isNotLower: true, isBoundTogether: true }, 'unchanged not-lower'],
    ['is green because of all suites', { isBoundTogether: true }, 'unchanged run'],
    ['is undecided', {}, 'inconclusive unsettled'],
  ])('has the expected verdict if it %s', (_, facts, expected) => {
    const { verdict, by } = ruleSuite({ ...nothing, ...facts });
    expect(`${verdict} ${by}`).toBe(expected);
  });

  test.each(['model', 'unconfirmed'])(
    'is inconclusive if new tries did not confirm its drop: %s',
    (status) => {
      const confirmation = { status } as SuiteFacts['confirmation'];
      const { verdict, by } = ruleSuite({ ...nothing, confirmation, fall: found });
      expect([verdict, by]).toEqual(['inconclusive', status]);
    },
  );
});

test('every rule has different words in the report', () => {
  const words = [...UNCOMPARED_RULES, ...COMPARED_RULES].map((rule) => rule.words);
  expect(new Set(words).size).toBe(words.length);
});
