import {
  confirmedAttributes,
  regressedAttributes,
} from '../../../../src/features/attributes/explain-run.ts';
import type { AttributeResult } from '../../../../src/features/attributes/result.ts';
import type { Confirmation } from '../../../../src/kernel/judge/confirmation.ts';
import type { SuiteRow } from '../../../../src/kernel/judge/suite-row.ts';
import type { Verdict } from '../../../../src/kernel/result/suite-result.ts';
import { gate, suiteResult } from '../../app/run/builders.ts';
import { attributeResult } from './builders.ts';

describe('regressed attributes', () => {
  const suite = suiteResult();
  const { name, variant } = suite;
  const attribute = attributeResult('domain-late-parcels', {
    name: 'late parcels',
    path: 'prompts/p.yaml',
    suite: name,
    variant,
    n: 15,
    head: 0.2,
    difference: -0.75,
    low: -0.9,
    high: -0.6,
  });
  const textsOf = (word: 'fail' | 'advise', found: AttributeResult) =>
    regressedAttributes(suite, gate({ attributes: word }), [found]).map(({ text }) => text);

  test('fail the gate only if gate.attributes is fail', () => {
    expect(textsOf('fail', attribute)).toEqual([
      'p: the domain "late parcels" regressed: pass rate 95.0 % → 20.0 % (−75.0 points) over 15 tests; gate.attributes is fail',
    ]);
    expect(textsOf('advise', attribute)).toEqual([]);
  });

  test.each<Partial<AttributeResult>>([
    { verdict: 'no change found' },
    { path: 'other.yaml' },
    { suite: 'another prompt of the file' },
    { variant: { model: 'x', parameters: {} } },
  ])('do not fail the gate of a suite if the attribute has %j', (other) => {
    expect(textsOf('fail', { ...attribute, ...other })).toEqual([]);
  });
});

describe("regressed attributes when base's answers are stored", () => {
  const suite = suiteResult();
  const attribute = attributeResult('domain-late-parcels', {
    name: 'late parcels',
    path: 'prompts/p.yaml',
    suite: suite.name,
    n: 15,
    variant: suite.variant,
  });
  const confirmed = (status: Confirmation['status'] | null, verdict: Verdict = 'unchanged') =>
    confirmedAttributes(
      {
        gate: gate({ attributes: 'fail' }),
        rows: [{ result: { ...suite, verdict } } as SuiteRow],
        confirm: () =>
          Promise.resolve(
            status && {
              status,
              rests_on: 'stored',
              by: null,
              limit: null,
              suspects: [],
              all: null,
              drift: { stored: 0.9, today: 0.5, p: 0.01 },
            },
          ),
      },
      [attribute],
    );

  test.each([
    ['new answers confirm them', 'confirmed', 'unchanged', [1, 0]],
    ['no answer is stored', null, 'unchanged', [1, 0]],
    ['the suite is red already', 'model', 'regressed', [1, 0]],
    ['base drops today too', 'model', 'unchanged', [0, 1]],
    ['new answers do not confirm them', 'unconfirmed', 'unchanged', [0, 1]],
  ] as const)(
    'fail the gate unless new answers contradict them: %s (%s, %s)',
    async (_, status, verdict, counts) => {
      const { findings, unconfirmed } = await confirmed(status, verdict);
      expect([findings.length, unconfirmed.length]).toEqual(counts);
    },
  );

  test('give the reason why they do not fail the gate', async () => {
    expect((await confirmed('model')).unconfirmed[0]).toMatch(
      /^p: the domain "late parcels" regressed: .*\. The model changed, not your prompt: base also drops when re-run today \(90 → 50 %\)\.$/,
    );
  });
});
