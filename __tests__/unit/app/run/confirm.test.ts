import { confirmFalls, type Confirm } from '../../../../src/app/run/confirm.ts';
import { suiteClaims } from '../../../../src/confirm/claims.ts';
import {
  createConfirmation,
  newTriesOf,
  nextConfirmationStep,
  type Claim,
  type NewTries,
} from '../../../../src/confirm/steps.ts';
import { compareSuite } from '../../../../src/kernel/judge/compare.ts';
import { decide } from '../../../../src/kernel/judge/gate.ts';
import { judgeMeasured, measureSuites } from '../../../../src/kernel/judge/verdict.ts';
import {
  suiteComparison,
  type ReferenceRun,
  type SuiteComparison,
  type Try,
} from '../../../../src/kernel/plan/suite-run.ts';
import type { GateSettings } from '../../../../src/kernel/suite/gate-settings.ts';
import type { Outcome } from '../../../../src/types/metric.ts';
import type { Side } from '../../../../src/types/plain.ts';
import {
  comparedSuite,
  gate,
  gateInput,
  metric,
  prompt,
  reference,
  startedSuite,
  suite,
  suiteSide,
  tryResult,
} from './builders.ts';

const TRIES = 3;

/** The outcome of a try, and the number of words in its answer. */
interface Given {
  outcome: Outcome;
  words?: number;
}
type GivenAt = (index: number, made: number) => Given;

function madeTry({ outcome, words = 10 }: Given, index: number, isStored = false): Try {
  const result = tryResult(outcome, index);
  const score = {
    metric: 'words',
    status: 'pass',
    value: words,
    reason: null,
    skip: true,
  } as const;
  return {
    byHead: {
      ...result,
      scores: [...result.scores, score],
      ...(isStored ? { stored: true } : {}),
    },
    byBase: null,
  };
}

interface Answers {
  stored: GivenAt;
  head: GivenAt;
  today: GivenAt;
}

interface Made {
  comparison: SuiteComparison;
  answers: Answers;
}

function made(
  name: string,
  size: number,
  answers: Answers,
  { own = {}, isStored = true }: { own?: Partial<GateSettings>; isStored?: boolean } = {},
): Made {
  const references = Array.from({ length: size }, (_, i) => reference(`${name} ${i}`));
  const source = { kind: 'built-in', uses: 'word_count', with: {} } as const;
  const metrics = [metric('has'), metric('words', { source, skip: true, better: 'lower' })];
  const side = (at: GivenAt, i: number, stored: boolean): Try[] =>
    Array.from({ length: TRIES }, (_, k) => madeTry(at(i, k), k, stored));
  return {
    comparison: comparedSuite(
      { references, metrics },
      (index, of) =>
        of === 'base' ? side(answers.stored, index, isStored) : side(answers.head, index, false),
      { name, policy: { kind: 'fixed', tries: TRIES }, gate: gate(own), ownGate: own },
    ),
    answers,
  };
}

/** Confirms or refutes a claim with today's answers. */
function confirmWith(all: readonly Made[]): Confirm {
  const tries = new Map<ReferenceRun, NewTries>();
  const at = (suite: SuiteComparison, run: ReferenceRun, side: Side, index: number) => {
    const { answers } = all.find(({ comparison }) => comparison === suite)!;
    const given = side === 'base' ? answers.today : answers.head;
    return given(suite.compared.indexOf(run), index);
  };
  return async (claim) => {
    for (;;) {
      const step = nextConfirmationStep(claim, tries);
      if (step.kind !== 'ask') return createConfirmation(claim, tries, step, null);
      for (const wanted of step.tries) {
        const { suite: of, run, side, try: index } = wanted;
        const result = madeTry(at(of, run, side, index), index);
        tries.set(run, newTriesOf(tries.get(run), wanted, result));
      }
    }
  };
}

async function judge(all: readonly Made[], own: Partial<GateSettings> = {}) {
  const settings = gate(own);
  const suites = all.map(({ comparison }) => comparison);
  const confirm = confirmWith(all);
  const claims: Claim[] = [];
  const verdict = await confirmFalls(measureSuites(suites, settings), settings, async (claim) => {
    claims.push(claim);
    return confirm(claim);
  });
  const rows = suites.map((each) => verdict.suites.get(each)!);
  const results = suites.map((each, i) => compareSuite(each, rows[i]!, new Map()));
  const { outcome } = decide(
    gateInput({ suites: results, settings, affected: 9, counted: 9, pool: verdict.pool }),
  );
  return { ...verdict, outcome, rows, claims };
}

const pass: GivenAt = () => ({ outcome: 'pass' });

describe('a drop that only all suites together show', () => {
  test('is not reported if new answers show that the model caused it, and neither is the drop of a metric', async () => {
    const own = { metrics: { words: 'fail' } } as const;
    // The model became wordier and lost 3 points. The changed prompt is harmless.
    const drifted: GivenAt = (i, k) => ({
      outcome: i < 3 && k === 0 ? 'fail' : 'pass',
      words: 30 + (i % 5),
    });
    const stored: GivenAt = (i) => ({ outcome: 'pass', words: 10 + (i % 5) });
    const suites = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) =>
      made(name, 30, { stored, head: drifted, today: drifted }, { own }),
    );
    const { outcome, rows, pool } = await judge(suites, own);
    expect(rows.map(({ reason }) => reason.by)).toEqual(Array(7).fill('model'));
    expect(rows.flatMap(({ moves }) => moves.map(({ moved }) => moved))).not.toContain('worse');
    expect(outcome).toMatchObject({ kind: 'model-changed', fails: false });
    expect(pool).toBeNull();
  });

  // The drop is too small to detect in one suite, but not in all suites together.
  const loses: GivenAt = (i, k) => ({ outcome: i < 3 && k !== 1 ? 'fail' : 'pass' });
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

  test("makes the run red if base's new answers are as good as its stored ones", async () => {
    const suites = names.map((name) => made(name, 30, { stored: pass, head: loses, today: pass }));
    const { outcome, confirmedPool, rows } = await judge(suites);
    expect(outcome).toMatchObject({ kind: 'regressed', fails: true });
    expect(confirmedPool).toMatchObject({ status: 'confirmed', by: 'all' });
    expect(rows.map(({ verdict }) => verdict)).not.toContain('regressed');
  });

  test("does not make the run red if base's new answers drop too, but a suite without stored answers can still regress", async () => {
    const broken: GivenAt = (i) => ({ outcome: i < 15 ? 'fail' : 'pass' });
    const fresh = made('h', 30, { stored: pass, head: broken, today: pass }, { isStored: false });
    const suites = names.map((name) => made(name, 30, { stored: pass, head: loses, today: loses }));
    const { outcome, confirmedPool, rows, pool } = await judge([...suites, fresh]);
    expect(rows.map(({ reason }) => reason.by)).toEqual([...Array(7).fill('model'), 'fall']);
    expect(rows.at(-1)).toMatchObject({ verdict: 'regressed', confirmation: null });
    expect([outcome.kind, pool, confirmedPool]).toEqual(['regressed', null, null]);
  });
});

test('the confirmations of one run share its false-alarm rate alpha', async () => {
  const broken: GivenAt = (i) => ({ outcome: i < 15 ? 'fail' : 'pass' });
  const loses: GivenAt = (i, k) => ({ outcome: i < 3 && k !== 1 ? 'fail' : 'pass' });
  const suites = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name, i) =>
    made(name, 30, { stored: pass, head: i === 0 ? broken : loses, today: pass }),
  );
  const { claims } = await judge(suites);
  expect(claims.map((claim) => claim.suites.length)).toEqual([1, 6]);
  expect(claims.reduce((sum, { level }) => sum + level, 0)).toBeCloseTo(0.05, 9);
});

test('a drop in two metrics is confirmed with new outcomes of both metrics', () => {
  const own = { metrics: [metric('a'), metric('b')] };
  const references = Array.from({ length: 30 }, (_, i) => reference(`r${i}`));
  const sides = ['Say {q}', 'Tell {q}'].map((content) =>
    suite({
      prompt: { messages: [{ ...prompt().messages[0]!, content }] },
      tests: { ...own, references },
    }),
  );
  const started = startedSuite(suiteSide('base', sides[0]!), suiteSide('head', sides[1]!));
  const tryOf = (failed: 'a' | 'b' | null, index: number): Try => {
    const scores = ['a', 'b'].map((name) => {
      const status = name === failed ? ('fail' as const) : ('pass' as const);
      return { metric: name, status, value: status === 'pass', reason: null, skip: false };
    });
    const outcome = failed === null ? 'pass' : 'fail';
    return { byHead: { ...tryResult(outcome, index), scores, stored: true }, byBase: null };
  };
  const runs = started.runs.map((run, i) => ({
    ...run,
    base: [0, 1, 2].map((k) => tryOf(null, k)),
    head: [0, 1, 2].map((k) => tryOf(i < 6 ? 'a' : i < 12 ? 'b' : null, k)),
  }));
  const policy = { kind: 'fixed', tries: TRIES } as const;
  const comparison = suiteComparison(
    { ...started, runs },
    policy,
    { run: gate(), own: {} },
    () => false,
  );
  const [claim] = suiteClaims(judgeMeasured(measureSuites([comparison], gate())), gate());
  const says = (['a', 'b', null] as const).map((failed) =>
    claim!.measure.outcome!(tryOf(failed, 0)),
  );
  expect(says).toEqual(['fail', 'fail', 'pass']);
});

describe('a drop compared with stored answers', () => {
  // Base falls today too, but in five other references than head.
  const head: GivenAt = (i) => ({ outcome: i < 5 || (i >= 20 && i < 26) ? 'fail' : 'pass' });
  const today: GivenAt = (i) => ({ outcome: i >= 15 && i < 26 ? 'fail' : 'pass' });

  test('is not confirmed by broken references if the gate lets an equal number of fixed references offset them', async () => {
    const churn = { churn: 'accept' } as const;
    const suites = [made('a', 50, { stored: pass, head, today }, { own: churn })];
    const { outcome, rows } = await judge(suites, churn);
    expect(rows[0]).toMatchObject({ reason: { by: 'model' }, confirmation: { suspects: [] } });
    expect(outcome).toMatchObject({ kind: 'model-changed', fails: false });
  });

  test("is not confirmed if head is less than min_drop below base's new answers", async () => {
    const own = { min_drop: 0.05 };
    const failing =
      (below: number): GivenAt =>
      (i) => ({ outcome: i < below ? 'fail' : 'pass' });
    const suites = [
      made('b', 200, { stored: pass, head: failing(16), today: failing(12) }, { own }),
    ];
    const { outcome, rows } = await judge(suites, { ...own, gate_on: 'suite' });
    expect(rows[0]?.reason.by).toBe('model');
    expect(outcome).toMatchObject({ kind: 'model-changed', fails: false });
  });

  test('that the model caused still makes the suite red if head leaves references unanswered', async () => {
    const drifted: GivenAt = (i) => ({ outcome: i >= 20 ? 'fail' : 'pass' });
    const silent: GivenAt = (i, k) => (i < 5 ? { outcome: 'error' } : drifted(i, k));
    const suites = [made('a', 30, { stored: pass, head: silent, today: drifted })];
    const { outcome, rows, claims } = await judge(suites);
    expect(claims).toHaveLength(2);
    expect(rows[0]).toMatchObject({
      verdict: 'regressed',
      reason: { by: 'unanswered' },
      confirmation: { status: 'confirmed' },
    });
    expect(outcome).toMatchObject({ kind: 'regressed', fails: true });
  });
});
