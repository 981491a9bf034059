/** Regressions that could once hide under a green check. */
import type { Suite, Tests } from '../../../../src/kernel/suite/suite.ts';
import { inTerminal } from '../../../stand-ins/reports.ts';
import { answer, metric, project, reference, settings } from '../../../unit/app/run/builders.ts';
import { yes, noToNew, reworded, NEW, OLD, runPipeline, shop } from './pipeline.ts';

const named = (count: number, tags: string[] = []) =>
  Array.from({ length: count }, (_, i) =>
    reference(`r${String(i).padStart(2, '0')}`, i === 0 ? { tags } : {}),
  );

/** Head fails r00 in every try; everything else passes. */
async function broken(tests: Partial<Tests>, tries: number) {
  const all = { settings: settings({ n_tries: tries }) };
  const { result } = await reworded(
    0,
    (_, question) => (/^New r00/.test(question) ? 'no' : 'yes'),
    { ...all, changes: { tests } },
  );
  return { result, suite: result.suites[0]! };
}

describe('a reference that fails on head alone', () => {
  test.each([1, 2])(
    'gets more than its %s fixed tries if it is tagged critical, until the regression is certain',
    async (tries) => {
      const { result, suite } = await broken({ references: named(150, ['critical']) }, tries);
      expect(suite.reason).toMatchObject({ by: 'references', references: ['r00'] });
      expect(result.conclusion).toBe('failure');
      expect(suite.references[0]?.head?.tries).toHaveLength(5);
      expect(suite.references[1]?.head?.tries).toHaveLength(tries);
    },
  );

  test('without the critical tag does not prevent a green verdict among many references', async () => {
    const { result } = await broken({ references: named(150) }, 1);
    expect(result.conclusion).toBe('success');
  });
});

test("a run is not green with gate.unit: references if one reference's tries and combined result got worse", async () => {
  const { result, suite } = await broken(
    {
      references: named(100),
      rollup: { kind: 'named', policy: 'majority' },
      gate: { unit: 'references' },
    },
    5,
  );
  expect(suite.reason).toMatchObject({ by: 'named', references: ['r00'] });
  expect(suite.references[0]?.status).toBe('regressed');
  expect(result.conclusion).toBe('neutral');
});

test('a scoring change is not green if some answers are missing', async () => {
  const head = { tests: { metrics: [metric('has'), metric('also')] } };
  const { result } = await runPipeline(
    project([shop(OLD, 12)], { settings: settings({ n_tries: 2 }) }),
    project([shop(OLD, 12, head)], { settings: settings({ n_tries: 2 }) }),
    (_, question) => (/r03/.test(question) ? new Error('gone') : 'yes'),
  );
  expect(result.conclusion).toBe('neutral');
  expect(result.suites[0]?.evidence).toMatchObject({ references: 11, of: 12, missing: ['r03'] });
});

test('a run in which head lacks answers names only references that have no answer at all', async () => {
  const { result } = await reworded(50, yes, {
    settings: settings({ n_tries: 2 }),
    edges: {
      complete: async ({ messages, try: index }) => {
        const question = messages.at(-1)?.content ?? '';
        const gone = /^New r0/.test(question) || (/^New r49/.test(question) && index === 0);
        return gone ? { status: 'error', kind: 'server', message: 'gone' } : answer('yes');
      },
    },
  });
  const [suite] = result.suites;
  expect(suite).toMatchObject({ verdict: 'regressed', reason: { by: 'unanswered' } });
  expect(suite?.reason?.references).toHaveLength(10);
  expect(suite?.references[49]?.status).not.toBe('regressed');
});

describe('references that cannot be compared', () => {
  const two = { settings: settings({ n_tries: 2 }) };
  /**
   * Renames the prompt's variable. `renamed` references get new ids and, unless `values` is false,
   * new inputs.
   */
  const moved = (renamed = 20, values = true): [Suite, Suite] => {
    const kept = named(20);
    const other = kept.map((reference, i) =>
      i < renamed
        ? {
            ...reference,
            id: `n${reference.id}`,
            input: { ask: values ? `n${reference.id}` : reference.id },
          }
        : { ...reference, input: { ...reference.input, ask: reference.id } },
    );
    const variable = { name: 'ask', place: { file: 'prompts/p.yaml', line: 4 } };
    return [
      shop(OLD, 0, { tests: { references: kept } }),
      shop('New {ask}', 0, { prompt: { variables: [variable] }, tests: { references: other } }),
    ];
  };
  const healthy = (text: string): Suite => {
    const one = shop(`${text} k`, 20);
    return { ...one, prompt: { ...one.prompt, name: 'k', file: 'prompts/k.yaml' } };
  };

  test('prevent a green verdict and are in the title if their ids, variables and values all changed', async () => {
    const [base, head] = moved();
    const { result } = await runPipeline(project([base], two), project([head], two), noToNew);
    expect(result.conclusion).toBe('neutral');
    expect(result.suites[0]).toMatchObject({
      verdict: 'not_compared',
      evidence: { references: 0, of: 20 },
    });
    expect(result.title).toMatch(/^p: 0 of 20 tests compared; base's prompt cannot answer /);
    expect(inTerminal(result, 200)).toContain('0 of 20 tests compared');
  });

  test('do not include references with new ids but unchanged values', async () => {
    const [base, head] = moved(20, false);
    const { result } = await runPipeline(project([base], two), project([head], two), noToNew);
    expect(result).toMatchObject({ conclusion: 'failure', suites: [{ verdict: 'regressed' }] });
  });

  test('count as missing answers if other references are compared', async () => {
    const [base, head] = moved(5);
    const { result } = await runPipeline(project([base], two), project([head], two), yes);
    expect(result.title).toBe(
      '15 of 20 tests compared. Inconclusive: p: no answer to compare in 5 of 20 tests (nr00, nr01, nr02 and 2 more); New: 5 tests, all pass; Deleted: 5 tests (r00, r01, r02, r03, r04)',
    );
  });

  test('are not hidden by a healthy suite', async () => {
    const [base, head] = moved();
    const { result } = await runPipeline(
      project([base, healthy(OLD)], two),
      project([head, healthy(NEW)], two),
      (_, said) => (/^New nr|^New r\d+$/.test(said) ? 'no' : 'yes'),
    );
    expect(result.conclusion).toBe('neutral');
    expect(result.title).toContain('p: 0 of 20 tests compared');
  });

  test("prevent a green verdict if they are new and base's prompt cannot answer them", async () => {
    const [base, head] = moved();
    const empty = { ...base, tests: { ...base.tests, references: [] } };
    const { result } = await runPipeline(project([empty], two), project([head], two), yes);
    expect(result.conclusion).toBe('neutral');
  });

  test('do not prevent a green verdict in a new suite, but its title counts them', async () => {
    const [, head] = moved();
    const alone = await runPipeline(project([], two), project([head], two), () => 'no');
    expect(alone.result.conclusion).toBe('success');
    expect(alone.result.title).toContain(
      'New: 20 tests, all fail (nr00, nr01, nr02, nr03, nr04 and 15 more)',
    );
    const beside = await runPipeline(
      project([healthy(OLD)], two),
      project([head, healthy(NEW)], two),
      yes,
    );
    expect(beside.result.title).toBe('No regression: 2 suites; New: 20 tests, all pass');
  });
});

test('a broken reference is in the title and first line even if the mean rose', async () => {
  const all = { settings: settings({ n_tries: 'adaptive' }) };
  const { result } = await reworded(
    50,
    (_, said) => (/^New r00|^Old r0[1-5]/.test(said) ? 'no' : 'yes'),
    all,
  );
  const said = 'p: 1 of 50 tests broke: r00 8 of 8 → 0 of 8, although the rate rose 90 → 98 %';
  expect(result.title).toBe(
    `Regressed: ${said}; Fixed: 5 of 50 tests of p (r01, r02, r03, r04, r05): 0 of 25 → 25 of 25 answers pass`,
  );
  expect(inTerminal(result, 200)).toContain(said);
});
