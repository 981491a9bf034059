import { obedient } from './projects.ts';
import { stage } from './stage.ts';
import { workflow } from './workflow.ts';

test('two jobs and a merge make each model call once and publish one result, check and summary', async () => {
  const at = await stage(obedient);
  const { job } = await workflow(at);
  // The first shard runs the shipped bundle, the second its source in this process.
  const shards = [
    await job({ inputs: { mode: 'sweep', shard: '1/2' }, shipped: true }),
    await job({ inputs: { mode: 'sweep', shard: '2/2' } }),
  ];
  expect(shards.map(({ code, outputs }) => [code, outputs['conclusion']])).toEqual([
    [0, 'neutral'],
    [0, 'neutral'],
  ]);
  expect(at.models.requests).toHaveLength(40);
  expect(at.github.state.checkRuns).toEqual([]);

  const merged = await job({ inputs: { mode: 'merge' }, shipped: true });
  expect(merged.annotations).toEqual([]);
  expect(merged.outputs).toMatchObject({ conclusion: 'success', 'pass-rate-head': '1.0000' });
  expect(
    merged.result.suites.flatMap(({ references }) => references.map(({ id }) => id)),
  ).toHaveLength(20);
  expect(at.models.requests).toHaveLength(40);
  expect(at.github.state.checkRuns).toHaveLength(1);
  expect(merged.summary).toContain('2 shards made 40 model calls');
});

test('a merge with a missing shard is red and names the shard', async () => {
  const at = await stage(obedient);
  const { job } = await workflow(at);
  await job({ inputs: { mode: 'sweep', shard: '2/2' } });
  const merged = await job({ inputs: { mode: 'merge' } });
  expect([merged.code, merged.outputs['conclusion']]).toEqual([1, 'error']);
  expect(merged.messages).toEqual([
    expect.stringMatching(/^shard 1\/2 is missing: it omits \d+ references/),
  ]);
  expect(at.github.state.checkRuns).toMatchObject([{ conclusion: 'failure' }]);
});

test.each([{ mode: 'sweep', shard: '1/2' }, { mode: 'merge' }])(
  'on GitHub Enterprise Server, a job with the inputs %j ends before the first call and suggests an alternative',
  async (inputs) => {
    const at = await stage(obedient);
    const { job } = await workflow(at);
    const run = await job({ inputs, env: { GITHUB_SERVER_URL: 'https://github.acme.example' } });
    expect([run.code, run.outputs['conclusion']]).toEqual([1, 'error']);
    expect(run.messages).toEqual([
      expect.stringContaining(
        'GitHub Enterprise Server does not offer these artifacts: use "evaldiff run --shard" and "evaldiff merge"',
      ),
    ]);
    expect(at.models.requests).toEqual([]);
  },
);
