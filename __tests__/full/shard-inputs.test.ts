import { startCacheServer } from '../stand-ins/cache-service.ts';
import { temporaryFolder, type FixtureFiles } from '../stand-ins/repository.ts';
import { EXACT, obedient, quiz, quizPrompt, testsOf } from '../system/end-to-end/projects.ts';
import { stage } from '../system/end-to-end/stage.ts';
import { workflow } from '../system/end-to-end/workflow.ts';

test('a cancelled job saves paid answers before it writes the report, because its runner waits only ten seconds', async () => {
  const service = await startCacheServer();
  let isArmed = true;
  const at = await stage((request) => {
    // More than the concurrent calls, so some answers have arrived.
    if (isArmed && at.models.requests.length === 12) process.emit('SIGINT');
    return obedient(request);
  });
  const { job } = await workflow(at);
  const saved: number[] = [];
  const { exchanges } = at.github.state;
  exchanges.push = (...given) => {
    saved.push(service.entries().length);
    return Array.prototype.push.apply(exchanges, given);
  };
  const sweep = async () => {
    const cache = { ACTIONS_CACHE_SERVICE_V2: 'true', ACTIONS_RESULTS_URL: `${service.url}/` };
    await job({ inputs: { mode: 'sweep', cache: 'true' }, env: cache });
    return { atReport: saved.at(-1), after: service.entries().length };
  };
  const cancelled = await sweep();
  isArmed = false;
  const whole = await sweep();
  await service.close();
  expect(cancelled).toEqual({ atReport: 1, after: 1 });
  // Without a cancellation, the report is written first.
  expect(whole).toEqual({ atReport: 1, after: 2 });
});

test('a sweep (full run) in batches warns that paid answers may be lost if caching is off', async () => {
  const batched = 'models:\n  quiz-model: { provider: openai, transport: batch }\n';
  const { job } = await workflow(await stage(obedient), quiz({ settings: batched }));
  // Without a key nothing is sent. The plan is logged before that.
  const warned = async (inputs: Record<string, string>) =>
    (await job({ inputs: { mode: 'sweep', ...inputs } })).messages.filter((line) =>
      line.includes('transport: batch'),
    );
  expect(await warned({})).toEqual([
    'transport: batch with cache: false: if this job ends before a batch does, no other job can use the answers, although they are paid for. Set cache: true.',
  ]);
  expect(await warned({ overrides: 'transport=direct' })).toEqual([]);
  expect(await warned({ cache: 'true' })).toEqual([]);
});

describe('a sharded sweep in a workflow', () => {
  test('publishes only in the merge job, and a later run can reuse its answers', async () => {
    const at = await stage(obedient);
    const rollup = 'metrics_rollup: { code: "result = num_passes > num_fails" }';
    const other: FixtureFiles = {
      'prompts/other.yaml': quizPrompt('Skip 1', 'quiz-model', 'other'),
      'prompts/tests/other.yaml': testsOf(6)['prompts/tests/quiz.yaml'],
    };
    const files = { ...quiz({ questions: 20, metrics: `${rollup}\n${EXACT}` }), ...other };
    const { job, artifacts } = await workflow(at, files);
    for (const index of [1, 2, 3]) {
      const shard = await job({ inputs: { mode: 'sweep', shard: `${index}/3` } });
      const { title = '' } = shard.outputs;
      expect(title).toMatch(new RegExp(`^Shard ${index}/3: \\d+ of 26 references evaluated$`));
      expect([shard.outputs['conclusion'], shard.reports['result.json']]).toEqual(['neutral', '']);
      expect(shard.messages).toEqual([]);
      expect(shard.summary).toContain(title);
      expect(shard.summary).toContain('The merge judges the result.');
      expect(shard.lastLine).toContain(`evaldiff: neutral (the merge judges). ${title}`);
    }
    expect(artifacts.map(({ name }) => name.replace(/-[0-9a-f]{8}$/, ''))).toEqual([
      'evaldiff-shard-1-of-3',
      'evaldiff-shard-2-of-3',
      'evaldiff-shard-3-of-3',
    ]);
    // The runner of the merge, whose store contains the merged answers.
    const env = { RUNNER_TEMP: temporaryFolder('runner') };
    const merged = await job({ inputs: { mode: 'merge', cache: 'true' }, env });
    expect(at.github.state.checkRuns).toMatchObject([{ title: merged.outputs['title'] }]);
    const again = await job({ inputs: { mode: 'sweep', cache: 'true' }, env });
    expect(again.reports['result.json']).toBe(merged.reports['result.json']);
  });

  test('needs no keys in the merge job', async () => {
    const { job } = await workflow(await stage(obedient));
    for (const shard of ['1/2', '2/2']) await job({ inputs: { mode: 'sweep', shard } });
    const merged = await job({ inputs: { mode: 'merge' }, env: { LOCAL_KEY: '' } });
    expect([merged.messages, merged.outputs['conclusion']]).toEqual([[], 'success']);
  });

  test('ignores the parts (shard results) of other workflow runs', async () => {
    const { job } = await workflow(await stage(obedient));
    await job({ inputs: { mode: 'sweep', shard: '1/1' }, run: 'run-0' });
    const merged = await job({ inputs: { mode: 'merge' } });
    expect(merged.messages).toEqual([
      expect.stringContaining(
        'mode: merge: this workflow run has no artifact of a shard of this sweep.',
      ),
    ]);
    expect(merged.outputs['conclusion']).toBe('error');
  });

  test('whose shards all stopped at an invalid file reports only that file, not the missing results', async () => {
    const broken = { ...quiz(), 'prompts/quiz.yaml': 'name: quiz\n' };
    const { job, artifacts } = await workflow(await stage(obedient), broken);
    const shard = await job({ inputs: { mode: 'sweep', shard: '1/2' } });
    expect(shard.outputs['conclusion']).toBe('error');
    expect(shard.messages.join()).toContain('prompts/quiz.yaml');
    expect(artifacts).toEqual([]);
    const merged = (await job({ inputs: { mode: 'merge' } })).messages.join();
    expect(merged).toContain('prompts/quiz.yaml');
    expect(merged).not.toContain('left an artifact');
  });
});

test.each([
  [
    { mode: 'diff', shard: '1/2' },
    [],
    /^shard: splits a full sweep, but this is mode: diff\. Set mode: sweep, or omit shard$/,
  ],
  [{ mode: 'noise', shard: '1/2' }, [], /^shard: splits a full sweep, but this is mode: noise\./],
  [
    { mode: 'merge', shard: '1/2' },
    [],
    /^shard: is only for the jobs that evaluate the parts; omit it with mode: merge$/,
  ],
  [
    { mode: 'sweep', shard: '1/2' },
    ['ACTIONS_RUNTIME_TOKEN'],
    /^shard: artifacts are unavailable: ACTIONS_RUNTIME_TOKEN is not set\./,
  ],
  [
    { mode: 'merge' },
    ['ACTIONS_RUNTIME_TOKEN', 'ACTIONS_RESULTS_URL'],
    /^mode: merge: artifacts are unavailable: ACTIONS_RUNTIME_TOKEN and ACTIONS_RESULTS_URL are not set\./,
  ],
])(
  'a job with the inputs %j but without the environment variables %j reports why it cannot run',
  async (inputs, unset, said) => {
    const at = await stage(obedient);
    const { job, artifacts } = await workflow(at);
    const env = Object.fromEntries(unset.map((name) => [name, '']));
    expect((await job({ inputs, env })).messages.join('\n')).toMatch(said);
    expect([at.models.requests, artifacts]).toEqual([[], []]);
  },
);
