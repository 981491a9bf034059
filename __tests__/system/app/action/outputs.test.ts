import { outputsOf } from '../../../../src/app/action/publish.ts';
import { REPORTS } from '../../../stand-ins/reports.ts';
import { referenceOf, resultOf, sideOf, suiteOf } from '../../../unit/report/results.ts';

const NO_IDS = { commentId: null, checkRunId: null };
const answers = (passes: number, tries: number) =>
  sideOf(
    Array.from({ length: tries }, (_, index) => ({
      outcome: index < passes ? ('pass' as const) : ('fail' as const),
      actual: 'x',
    })),
  );
const RATE = { difference: null, low: null, high: null, p: null };

test("the outputs have the suite's pass rates, without skipped references and without the extra tries of suspicious ones", () => {
  const references = [
    referenceOf('suspect', 'flaky', { base: answers(7, 7), head: answers(2, 7) }),
    referenceOf('sound', 'unchanged', { base: answers(2, 2), head: answers(2, 2) }),
    referenceOf('skipped', 'unchanged', { base: answers(0, 2), head: answers(0, 2), skip: true }),
  ];
  const suite = suiteOf('capitals', references, {
    pass_rate: { base: 1, head: 0.75, difference: -0.25, low: -0.5, high: 0.1, p: 0.2 },
    compared: { references: 2, tries: 2 },
  });
  expect(outputsOf(resultOf({ suites: [suite] }), NO_IDS, 'report', REPORTS)).toMatchObject({
    'pass-rate-base': '1.0000',
    'pass-rate-head': '0.7500',
  });
});

test('the pass rates in the outputs weight suites by their references and ignore suites without a verdict', () => {
  const two = suiteOf(
    'two',
    [
      referenceOf('a', 'pass', { head: answers(1, 1) }),
      referenceOf('b', 'pass', { head: answers(1, 1) }),
    ],
    { pass_rate: { ...RATE, base: null, head: 1 }, compared: { references: 0, tries: 0 } },
  );
  const one = suiteOf('one', [referenceOf('a', 'fail', { head: answers(0, 1) })], {
    pass_rate: { ...RATE, base: null, head: 0 },
    compared: { references: 0, tries: 0 },
  });
  const none = suiteOf('none', [], {
    pass_rate: { ...RATE, base: null, head: null },
    compared: { references: 0, tries: 0 },
  });
  expect(
    outputsOf(resultOf({ mode: 'sweep', suites: [two, one, none] }), NO_IDS, 'report', REPORTS),
  ).toMatchObject({ 'pass-rate-base': '', 'pass-rate-head': '0.6667' });
});
