import { expect, test } from '@jest/globals';
import { findUnderBase } from '../../../../src/app/run/confirm-under-base.ts';
import type { Confirm } from '../../../../src/app/run/confirm.ts';
import { confirmationOf } from '../../../../src/confirm/steps.ts';
import { judgeSuites } from '../../../../src/kernel/judge/verdict.ts';
import { suiteComparison, type SuiteComparison } from '../../../../src/kernel/plan/suite-run.ts';
import type { Outcome } from '../../../../src/types/metric.ts';
import {
  gate,
  prompt,
  reference,
  scoring,
  startedSuite,
  suite,
  suiteSide,
  tryResult,
} from './builders.ts';

const settings = gate({ scoring: 'fail' });

/** Head's scoring passes all; base's fails the first reference on head, or does not. */
function variant(model: string, first: Outcome): SuiteComparison {
  const references = ['r0', 'r1', 'r2'].map((id) => reference(id));
  const [before, after] = ['Say {q}', 'Tell {q}'].map((content) =>
    suite({
      prompt: { model, messages: [{ ...prompt().messages[0]!, content }] },
      tests: { references },
    }),
  );
  const started = startedSuite(suiteSide('base', before!), suiteSide('head', after!));
  const tries = (byBase: Outcome, isStored: boolean) =>
    [0, 1, 2].map((index) => ({
      byHead: { ...tryResult('pass', index), ...(isStored ? { stored: true as const } : {}) },
      byBase: tryResult(byBase, index),
    }));
  const runs = started.runs.map((run, i) => ({
    ...run,
    base: tries('pass', true),
    head: tries(i === 0 ? first : 'pass', false),
  }));
  return suiteComparison(
    { ...started, runs, baseScoring: scoring(before!.tests, { side: 'base' }) },
    { kind: 'fixed', tries: 3 },
    { run: settings, own: {} },
    () => false,
  );
}

test('a variant without a fall asks for nothing and hides no fall of another one', async () => {
  const comparisons = [variant('gpt-4o', 'fail'), variant('claude', 'pass')];
  const { suites } = judgeSuites(comparisons, settings);
  const asked: string[] = [];
  const confirm: Confirm = async (claim) => {
    const model = claim.suites[0]!.suite.run.suite.variant.model!;
    asked.push(model);
    const step =
      model === 'gpt-4o'
        ? ({ kind: 'confirmed', by: 'references' } as const)
        : ({ kind: 'refuted' } as const);
    return confirmationOf(claim, new Map(), step, null);
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
