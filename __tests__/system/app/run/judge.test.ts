import type { Result } from '../../../../src/kernel/result/result.ts';
import { reasonsInWords } from '../../../../src/wording/reasons.ts';
import { scoringSummary } from '../../../../src/wording/scoring.ts';
import { suiteSummary } from '../../../../src/wording/suites.ts';
import { gate, metric, project, reference, settings } from '../../../unit/app/run/builders.ts';
import { yes, noToNew, noTo, reworded, NEW, OLD, runPipeline, shop } from './pipeline.ts';

const ids = (count: number) =>
  Array.from({ length: count }, (_, index) => `r${String(index).padStart(2, '0')}`);
const statuses = ({ suites }: Result) => suites[0]?.references.map(({ status }) => status);
const five = { settings: settings({ n_tries: 5 }) };

describe('a change of the scoring', () => {
  const lenient = {
    tests: {
      references: ids(6).map((id) => reference(id)),
      metrics: [
        metric('has', {
          source: { kind: 'built-in' as const, uses: 'contains', with: { ignore_case: true } },
        }),
      ],
    },
  };

  test('without a prompt change requests answers once, scores them with both versions and shows no prompt effect', async () => {
    const { result, requests } = await runPipeline(
      project([shop(OLD, 6)]),
      project([shop(OLD, 6, lenient)]),
      (_, question) => (question.endsWith('r00') ? 'YES' : 'yes'),
    );
    expect(requests).toHaveLength(6 * 3);
    expect(result.conclusion).toBe('success');
    expect(result.suites[0]).toMatchObject({
      verdict: 'unchanged',
      because: [{ key: 'metrics.has' }],
    });
    const [split] = result.scoring;
    expect(split?.prompt_effect).toBe(0);
    expect(split?.scoring_effect).toBeCloseTo(1 / 6);
    expect(split?.flipped).toMatchObject([{ id: 'r00', from: 'fail', to: 'pass', base_try: 0 }]);
    expect(scoringSummary(split!)).toBe(
      'The pass rate rose 16.7 points (83.3 % → 100.0 %): 0.0 from the prompt, +16.7 because the metric has got easier.',
    );
  });

  test('is explained by a newly skipped reference if nothing else changed', async () => {
    const listed = (skip: boolean) => ({
      tests: { references: ids(6).map((id) => reference(id, { skip: skip && id === 'r01' })) },
    });
    const notices = ({ result }: { result: Result }) =>
      result.notices
        .filter(({ kind }) => kind === 'skipped' || kind === 'edited')
        .map(({ message }) => message);
    const sides = [
      project([shop(OLD, 0, listed(false))]),
      project([shop(NEW, 0, listed(true))]),
    ] as const;
    const skipping = await runPipeline(...sides, yes);
    expect(notices(skipping)).toEqual([
      'p: 1 test marked skip: run and shown, but not part of the verdict: r01',
      'p: 1 test newly skipped by this change: r01',
    ]);
    expect(scoringSummary(skipping.result.scoring[0]!)).toContain(
      'because the list of skipped tests changed.',
    );
    const counting = await runPipeline(sides[1], sides[0], yes);
    expect(notices(counting)).toEqual(['p: 1 test no longer skipped by this change: r01']);
  });
});

describe('the gate', () => {
  test('ignores a skipped reference, which still runs and is shown', async () => {
    const skipped = { tests: { references: ids(4).map((id) => reference(id, { skip: true })) } };
    const { result, requests } = await reworded(4, noToNew, { changes: skipped });
    expect(requests).toHaveLength(4 * 3 * 2);
    expect(result).toMatchObject({
      conclusion: 'neutral',
      title: 'No verdict: every test that ran is skipped or in quarantine.',
    });
    expect(suiteSummary(result.suites[0]!)).toBe(
      'nothing is compared: all its tests are skipped or in quarantine.',
    );
    expect(result.notices.map(({ kind }) => kind)).toContain('skipped');
    expect(result.suites[0]).toMatchObject({
      compared: { references: 0, tries: 0 },
      visible_drop: null,
      pass_rate: { difference: null, p: null },
    });
  });

  const quarantined = (until: string) => ({
    tests: {
      references: ids(2).map((id) => reference(id)),
      quarantine: ids(1).map((id) => ({
        ...{ id, reason: 'flaky', until },
        place: { file: 'prompts/tests/p.yaml', line: 9 },
      })),
    },
  });

  test('counts a quarantined reference again once its quarantine has expired', async () => {
    const run = (until: string) =>
      reworded(2, noTo('New r00'), { ...five, changes: quarantined(until) });
    expect((await run('2026-12-31')).result.conclusion).toBe('success');
    const expired = (await run('2025-12-31')).result;
    expect(expired.conclusion).toBe('failure');
    expect(expired.notices.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('expired on 2025-12-31'),
    );
  });

  test('ignores skipped and quarantined references for min_pass_rate and fail_on: failure', async () => {
    const failing = (open: boolean) =>
      project(
        [
          shop(NEW, 3, {
            tests: {
              references: [reference('r00'), reference('r01', { skip: true }), reference('r02')],
              quarantine: [
                {
                  id: 'r02',
                  reason: 'flaky',
                  until: open ? '2026-12-31' : '2025-12-31',
                  place: { file: 'prompts/tests/p.yaml', line: 9 },
                },
              ],
            },
          }),
        ],
        { settings: settings({ gate: gate({ min_pass_rate: 1, fail_on: 'failure' }) }) },
      );
    const run = async (open: boolean) =>
      (
        await runPipeline(null, failing(open), (_, question) =>
          question === 'New r00' ? 'yes' : 'no',
        )
      ).result;
    const open = await run(true);
    expect(open).toMatchObject({ conclusion: 'success', suites: [{ pass_rate: { head: 1 } }] });
    expect(open.suites[0]?.references.map(({ quarantined }) => quarantined)).toEqual([
      undefined,
      undefined,
      true,
    ]);
    expect(reasonsInWords(await run(false))).toEqual([
      'p: pass rate 50 % is below min_pass_rate 100 %',
      'p: 1 test failed on head: r02',
    ]);
  });

  test("judges a new prompt by head's answers alone", async () => {
    const { result, requests } = await runPipeline(null, project([shop(NEW, 3)]), yes);
    expect(requests).toHaveLength(3 * 3);
    expect(result).toMatchObject({
      conclusion: 'success',
      suites: [{ verdict: 'new', pass_rate: { base: null, head: 1 } }],
    });
  });
});

test('errors because of a missing variable affect only the reference without it', async () => {
  const broken = [
    ...ids(60).map((id) => reference(id)),
    reference('lacks', {
      input: {},
      problem: 'prompts/tests/p.yaml:30: reference 61 has no value for {q}',
    }),
  ];
  const { result, requests } = await runPipeline(
    project([shop(OLD, 60)]),
    project([shop(NEW, 60, { tests: { references: broken } })]),
    yes,
  );
  expect(requests).toHaveLength(60 * 3 * 2);
  expect(result.conclusion).toBe('success');
  expect(statuses(result)?.at(-1)).toBe('error');
});

test('a run counts calls, shared answers and tokens', async () => {
  const { result } = await runPipeline(
    project([shop(OLD, 2)]),
    project([
      shop(OLD, 2, {
        tests: { references: [reference('r00'), reference('r01', { expected: 'no' })] },
      }),
    ]),
    yes,
  );
  expect(result.usage).toEqual({
    calls: 3,
    reused: 3,
    replayed: 0,
    input_tokens: 9,
    output_tokens: 3,
    cost_usd: null,
    saved_usd: null,
    by_purpose: { prompt: { calls: 3, reused: 3, replayed: 0, cost_usd: null, saved_usd: null } },
  });
});
