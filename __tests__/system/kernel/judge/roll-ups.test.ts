import type { RunReport } from '../../../../src/config/llmeval-report.ts';
import type { SuiteGate } from '../../../../src/kernel/suite/gate-settings.ts';
import type { Rollup, Tests } from '../../../../src/kernel/suite/suite.ts';
import { tablesOfReports, tablesOfResult } from '../../../../src/report/run-rows.ts';
import { passes } from '../../../../src/report/run-tables.ts';
import type { Evaluate } from '../../../../src/types/model.ts';
import { reasonsInWords } from '../../../../src/wording/reasons.ts';
import { suiteSummary } from '../../../../src/wording/suites.ts';
import { renderTerminal, renderJunit } from '../../../stand-ins/reports.ts';
import { answer, gate, project, reference, settings } from '../../../unit/app/run/builders.ts';
import { NEW, OLD, runPipeline, shop, type Given } from '../../app/run/pipeline.ts';

const majority: Rollup = { kind: 'named', policy: 'majority' };

/** Runs twelve references by default. On head, `fails` of five tries of each reference fail. */
async function ran(
  fails: (reference: number) => number,
  own: SuiteGate,
  {
    tests = {},
    tries = 5,
    given = {},
  }: { tests?: Partial<Tests>; tries?: number | 'adaptive'; given?: Given } = {},
) {
  const all = { settings: settings({ n_tries: tries, gate: gate() }) };
  const of = { tests: { rollup: majority, gate: own, ...tests } };
  const { result, calls } = await runPipeline(
    project([shop(OLD, 12, of)], all),
    project([shop(NEW, 12, of)], all),
    ({ try: index }, question) => {
      const [, number] = /^New r(\d+)/.exec(question) ?? [];
      return number !== undefined && index < fails(Number(number)) ? 'no' : 'yes';
    },
    given,
  );
  return { result, calls, suite: result.suites[0]! };
}

describe('roll-ups (combined tries)', () => {
  test('are counted, and decide the verdict if the gate counts references', async () => {
    // The majority roll-up, as in llmeval, passes for every reference although two of five tries
    // fail.
    const byTries = await ran(() => 2, {});
    expect(byTries.suite).toMatchObject({
      verdict: 'regressed',
      rollups: {
        policy: 'majority',
        base: { passes: 12, references: 12 },
        head: { passes: 12, references: 12 },
      },
    });
    const text = renderTerminal(byTries.result, { width: 200, colour: false });
    expect(text.replace(/\s+/g, ' ')).toMatch(/pass → pass 12 pass → fail 0 .*Roll-up: majority/);
    expect(text).toContain('5 of 5 → 3 of 5 passed, majority: pass → pass');
    const { suite, result } = await ran(() => 2, { unit: 'references' });
    expect(suite).toMatchObject({
      verdict: 'unchanged',
      pass_rate: { base: 1, head: 1, difference: 0 },
      compared: { references: 12, tries: 5 },
    });
    expect(suiteSummary(suite)).toMatch(/^tests that pass \(majority\) 100\.0 % → 100\.0 %, /);
    expect(result.conclusion).toBe('success');
  });

  test('are tested for significance like the passes of tries, but with one outcome per reference', async () => {
    const { suite, result } = await ran((at) => (at < 6 ? 3 : 0), { unit: 'references' });
    expect(suite).toMatchObject({
      verdict: 'regressed',
      rollups: { base: { passes: 12 }, head: { passes: 6 } },
      pass_rate: { base: 1, head: 0.5, p: 0.5 ** 6 / 2 },
    });
    expect(suite.references.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 6 }, () => 'fell'),
      ...Array.from({ length: 6 }, () => 'unchanged'),
    ]);
    expect(result.title).toBe('Regressed: p 100 → 50 % by majority: 6 of 12 tests broke');
    const junit = renderJunit(result);
    expect(junit).toContain('failures="6"');
    expect(junit).toContain('5 of 5 passed on base, 2 of 5 passed on head, majority: pass → fail');
  });

  test('use three tries if no number is set, or more if the roll-up needs them', async () => {
    const own = { unit: 'references' } as const;
    expect((await ran(() => 0, own, { tries: 'adaptive' })).calls('prompt')).toBe(12 * 2 * 3);
    const four = await ran(() => 0, own, {
      tries: 'adaptive',
      tests: { rollup: { kind: 'at_least', k: 4 } },
    });
    expect(four.calls('prompt')).toBe(12 * 2 * 4);
    expect(four.suite.rollups?.policy).toBe('at_least 4');
  });

  test('of references in one cluster count as one', async () => {
    const references = Array.from({ length: 12 }, (_, i) =>
      reference(`r${String(i).padStart(2, '0')}`, { cluster: 'template' }),
    );
    const { suite } = await ran(() => 5, { unit: 'references' }, { tests: { references } });
    // With one template and one try per side, nothing is significant.
    expect(suite.pass_rate.p).toBe(0.25);
    expect(suite.verdict).not.toBe('regressed');
  });
});

describe('a custom roll-up that also sees skipped references', () => {
  const rollup: Rollup = {
    kind: 'code',
    name: 'mostly',
    language: 'python',
    code: 'result = num_passes > num_fails',
    place: { file: 'prompts/tests/p.yaml', line: 1 },
  };
  const evaluate: Evaluate = ({ inputs }) =>
    Promise.resolve(
      inputs.map(({ num_passes, num_fails }) => ({
        status: 'ok' as const,
        values: { result: Number(num_passes) > Number(num_fails) },
      })),
    );
  const references = [reference('r00'), reference('r01', { skip: true })];

  test('can mark a skipped reference as failed, and then all outputs report this failure', async () => {
    const { result, suite } = await ran(
      (at) => (at === 1 ? 5 : 0),
      { fail_on: 'failure' },
      {
        tests: { rollup, references },
        given: { edges: { evaluate } },
      },
    );
    const skipped = suite.references[1]!;
    expect(skipped).toMatchObject({ skip: false, status: 'regressed', head: { rollup: 'fail' } });
    expect(suite.rollups).toEqual({
      policy: 'mostly',
      base: { passes: 2, references: 2 },
      head: { passes: 1, references: 2 },
    });
    expect(suite.compared.references).toBe(2);
    expect(result.conclusion).toBe('failure');
    expect(reasonsInWords(result)).toContain('p: 1 test failed on head: r01');
    const told = result.notices.map(({ message }) => message).join('\n');
    expect(told).toContain('the custom roll-up "mostly" also gets skipped tries');
    expect(told).not.toContain('marked skip');
    for (const text of [renderTerminal(result, { width: 200, colour: false }), renderJunit(result)])
      expect(text).not.toContain('does not gate');
    expect(renderJunit(result)).toContain('failures="1"');
    const [table] = tablesOfResult('result.json', result);
    expect(table!.rows.map(({ outcome, skipped: left }) => [outcome, left])).toEqual([
      ['pass', false],
      ['fail', false],
    ]);
    expect(passes(table!)).toBe(false);
  });

  test('judges the skipped tests of a saved run as that run judged them', async () => {
    const row = (id: string, skip: boolean, status: 'pass' | 'fail') => ({
      id,
      input: { q: id },
      expected: undefined,
      skip,
      made: {
        actual: 'x',
        error: null,
        scores: [{ metric: 'has', value: 1, status, skip }],
      },
    });
    const report = {
      file: 'multirun/d/t/0/report-0.yaml',
      name: 'p',
      parameters: {},
      skip: false,
      rollup,
      references: [row('a', false, 'pass'), row('b', true, 'fail')],
    } as unknown as RunReport;
    const [table] = await tablesOfReports([report], evaluate);
    expect(table!.rows.map(({ outcome, skipped }) => [outcome, skipped])).toEqual([
      ['pass', false],
      ['fail', false],
    ]);
  });
});

describe('a reference with missing tries when the gate counts references, not tries', () => {
  const atLeast: Partial<Tests> = { rollup: { kind: 'at_least', k: 3 } };
  /** Head errors on the `lost` references in the first of three tries only. */
  const partly = (lost: RegExp, references: Tests['references']) =>
    ran(
      () => 0,
      { unit: 'references' },
      {
        tests: { ...atLeast, references },
        tries: 3,
        given: {
          edges: {
            complete: async ({ messages, try: index }) =>
              lost.test(messages.at(-1)?.content ?? '') && index > 0
                ? { status: 'error', kind: 'server', message: 'gone' }
                : answer('yes'),
          },
        },
      },
    );
  const sixty = (tags: string[] = []) =>
    Array.from({ length: 60 }, (_, i) => reference(`r${i}`, i === 0 ? { tags } : {}));

  test('is not compared, and two such references prevent a green verdict', async () => {
    const { suite, result } = await partly(/^New r[01]$/, sixty());
    expect(suite.evidence).toMatchObject({ references: 58, of: 60, missing: ['r0', 'r1'] });
    expect(result.conclusion).toBe('neutral');
    expect(result.title).toMatch(/^58 of 60 tests compared\. /);
  });

  test('prevents a green verdict alone if it is critical', async () => {
    expect((await partly(/^New r0$/, sixty())).result.conclusion).toBe('success');
    const critical = await partly(/^New r0$/, sixty(['critical']));
    expect(critical.result.conclusion).toBe('neutral');
    expect(critical.suite.evidence?.critical).toEqual(['r0']);
  });
});
