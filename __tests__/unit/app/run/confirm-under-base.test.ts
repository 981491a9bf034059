import { type Confirm, findUnderBase } from '../../../../src/app/run/confirm.ts';
import { createConfirmation } from '../../../../src/confirm/steps.ts';
import { judgeMeasured, measureSuites } from '../../../../src/kernel/judge/verdict.ts';
import type { Outcome } from '../../../../src/types/metric.ts';
import { comparedSuite, gate, reference, tryResult } from './builders.ts';

interface UnderBase {
  base: Outcome;
  head: Outcome;
}

/** Head's scoring passes everything; `underBase` has the outcomes by base's scoring. */
function comparisonOf(
  underBase: readonly UnderBase[],
  { model = 'gpt-4o', tries: count = 3, settings = gate({ scoring: 'fail' }) } = {},
) {
  const references = underBase.map((_, i) => reference(`r${i}`));
  const tries = (byBase: Outcome, isStored: boolean) =>
    Array.from({ length: count }, (_, index) => ({
      byHead: { ...tryResult('pass', index), ...(isStored ? { stored: true as const } : {}) },
      byBase: tryResult(byBase, index),
    }));
  return comparedSuite(
    { references },
    (index, side) => tries(underBase[index]![side], side === 'base'),
    { model, policy: { kind: 'fixed', tries: count }, gate: settings, isRescored: true },
  );
}

test("under base's scoring, only the model variant that got worse is confirmed and reported", async () => {
  const settings = gate({ scoring: 'fail' });
  const calm: UnderBase = { base: 'pass', head: 'pass' };
  const broken: UnderBase = { base: 'pass', head: 'fail' };
  const comparisons = [
    comparisonOf([broken, calm, calm]),
    comparisonOf([calm, calm, calm], { model: 'claude' }),
  ];
  const { suites } = judgeMeasured(measureSuites(comparisons, settings));
  const asked: string[] = [];
  const confirm: Confirm = async (claim) => {
    const model = claim.suites[0]!.suite.run.suite.variant.model!;
    asked.push(model);
    const step =
      model === 'gpt-4o'
        ? ({ kind: 'confirmed', by: 'references' } as const)
        : ({ kind: 'refuted' } as const);
    return createConfirmation(claim, new Map(), step, null);
  };
  const { findings, unconfirmed } = await findUnderBase(
    comparisons.map((comparison) => ({ comparison, verdict: suites.get(comparison)! })),
    settings,
    { confirm, words: { confirmationWords: () => 'refuted' } },
  );
  expect(asked).toEqual(['gpt-4o']);
  expect(findings).toEqual([
    {
      failOn: 'regression',
      reason: {
        code: 'worse-under-base',
        references: [{ reference: 'prompts/p.yaml: r0', base: 3, head: 3 }],
        fails: false,
      },
    },
  ]);
  expect(unconfirmed).toEqual([]);
});

test("under base's scoring, fixed references offset an equal number of broken ones if the gate allows it", async () => {
  const underBase = Array.from({ length: 50 }, (_, i): UnderBase => ({
    base: i >= 5 && i < 10 ? 'fail' : 'pass',
    head: i < 5 ? 'fail' : 'pass',
  }));
  const found = async (settings = gate({ scoring: 'fail' })) => {
    const comparison = comparisonOf(underBase, { tries: 5, settings });
    const verdict = judgeMeasured(measureSuites([comparison], settings)).suites.get(comparison)!;
    const suites = [{ comparison, verdict }];
    const words = { confirmationWords: () => '' };
    const { findings } = await findUnderBase(suites, settings, { confirm: null, words });
    return { underBase: verdict.underBase, findings };
  };
  expect((await found()).underBase).not.toBeNull();
  const accepted = await found(gate({ scoring: 'fail', churn: 'accept' }));
  expect(accepted).toEqual({ underBase: null, findings: [] });
});
