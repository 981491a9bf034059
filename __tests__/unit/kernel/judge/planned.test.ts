import { plannedFacts } from '../../../../src/kernel/judge/planned.ts';
import { suiteComparison } from '../../../../src/kernel/plan/suite-run.ts';
import { gate, reference, startedSuite, suite, suiteSide } from '../../app/run/builders.ts';

test('a reference that is both newly skipped and newly quarantined is listed as removed once', () => {
  const tests = { references: [reference('a', { skip: true }), reference('b')] };
  const [base, head] = [suiteSide('base'), suiteSide('head', suite({ tests }))];
  const run = startedSuite(base, head);
  const before = { ...reference('a'), skip: false };
  const references = run.suite.references.map((of) => ({ ...of, baseReference: before }));
  const started = { ...run, suite: { ...run.suite, references } };
  const gates = { run: gate(), own: {} };
  const planned = suiteComparison(started, { kind: 'adaptive' }, gates, () => false, ['a', 'b']);
  expect(plannedFacts([planned]).removed).toEqual(['prompts/p.yaml: a', 'prompts/p.yaml: b']);
});
