import type { FixtureFiles } from '../../stand-ins/repository.ts';
import { quiz, SETTINGS, WORSE, recordings } from './projects.ts';
import { onlyComment, pullRequest } from './stage.ts';

/** Recorded correct answers that a worse pull request could add to look good. */
const replaying = (output: (question: number) => string): FixtureFiles => ({
  ...WORSE,
  'invented.jsonl': recordings(['quiz-1', 'Skip 1 2 3', 12], output),
  'evaldiff.yaml': SETTINGS.replace(
    /quiz-model: .*/,
    'quiz-model: { provider: replay, file: invented.jsonl, model: quiz-1 }',
  ),
});
const right = replaying((n) => `answer ${n}`);

test("if recordings replace head's model, the run is neutral and the first line of every report says so", async () => {
  const { at, run } = await pullRequest(quiz(), right);
  expect(run.code).toBe(0);
  const said = 'recordings in place of a model in quiz';
  expect(run.outputs).toMatchObject({ conclusion: 'neutral', regressed: '0' });
  expect(run.outputs['title']).toContain(said);
  expect(run.lastLine).toContain(said);
  expect(at.github.state.checkRuns[0]).toMatchObject({
    conclusion: 'neutral',
    title: expect.stringContaining(said),
  });
  const [, first = ''] = onlyComment(at)
    .split('\n')
    .filter((line) => line !== '');
  expect(first).toContain('⚪ Not comparable: ');
  expect(first).toContain(said);
  expect(run.log).toContain(
    "quiz: base's answers come from the model local:quiz-1, head's from the recordings invented.jsonl",
  );
  // Every output reports model calls and replayed answers as two numbers.
  const asked = at.models.requests.length;
  expect(run.outputs).toMatchObject({ calls: String(asked), replayed: String(asked) });
  expect(run.result.usage).toMatchObject({ calls: asked, reused: 0, replayed: asked });
  expect(onlyComment(at)).toContain(`${asked} answers from recordings`);
  expect(run.log).toMatch(/\d+ calls for the first answers, \d+ answers from recordings/);
});

test("recordings that replace head's model do not hide a regression", async () => {
  const { run } = await pullRequest(
    quiz(),
    replaying(() => 'no idea'),
  );
  expect(run).toMatchObject({ code: 1, outputs: { conclusion: 'failure', regressed: '6' } });
  expect(run.outputs['title']).toMatch(/^Regressed: .*; recordings in place of a model in quiz$/);
});

test('recordings are rejected if allowed-models lists only the model, not its recording', async () => {
  const { at, run } = await pullRequest(quiz(), right, { inputs: { 'allowed-models': 'quiz-1' } });
  expect(run.outputs).toMatchObject({ conclusion: 'error', calls: '0', replayed: '0' });
  expect(run.messages).toEqual([
    expect.stringContaining(
      'model "quiz-model" is a recording, and replay:quiz-1 is not in allowed-models',
    ),
  ]);
  expect(at.models.requests).toEqual([]);
});
