import type { FixtureFiles } from '../../stand-ins/repository.ts';
import { quiz, quizPrompt, quizTests, README, SETTINGS } from './projects.ts';
import { desk, onlyComment, pullRequest } from './stage.ts';

const PROMPT = quizPrompt('Be exact.');
const TESTS = quizTests(2, 'metrics:\n  - { name: answer, uses: exact_match }');
const FILES = {
  prompt: 'prompts/quiz.yaml',
  tests: 'prompts/tests/quiz.yaml',
  settings: 'evaldiff.yaml',
};
const prompt = (from: string, to: string) => ({ [FILES.prompt]: PROMPT.replace(from, to) });
const defaults = (path: string) => prompt('tests/quiz', path);
const above = (lines: string) => ({ [FILES.tests]: `${lines}\n${TESTS}` });
const settings = { [FILES.settings]: `n_trys: 3\n${SETTINGS}` };
const outside = { ...defaults('../secret'), 'secret.yaml': 'a: 1' };
const link = {
  ...defaults('tests/link'),
  'prompts/tests/link.yaml': { link: '../../.git/config' },
};
const BOMB = `a: &a [x, x, x, x, x, x, x, x, x, x]\n${[...'bcdefghi']
  .map((key, at) => `${key}: &${key} [${Array<string>(10).fill(`*${'abcdefgh'[at]!}`).join(', ')}]`)
  .join('\n')}`;

/** The error, its file and line (0: any), its message, and the files of the pull request. */
const ROWS: [string, keyof typeof FILES, number, RegExp, FixtureFiles][] = [
  ['a key', 'prompt', 7, /^unknown key "mesages"; did.*"messages"\?$/, prompt('mess', 'mes')],
  ['a key of the settings', 'settings', 1, /^unknown key "n_trys"; did.*"n_tries"\?$/, settings],
  ['no file', 'prompt', 1, /^prompts\/tests\/quizz\.yaml does not exist/, defaults('tests/quizz')],
  ['a file outside', 'prompt', 1, /^\.\.\/secret is outside the prompts folder$/, outside],
  ['a symbolic link', 'prompt', 1, /^prompts\/tests\/link\.yaml is a symbolic link/, link],
  ['an alias bomb', 'tests', 0, /^expands to more than \d+ values$/, above(BOMB)],
];

describe('a bad input', () => {
  test.each(ROWS)(
    '%s is reported with its file (%s, line %i) and a remedy, by action and CLI, before any call',
    async (_, where, line, message, head) => {
      const file = FILES[where];
      const base = quiz({ questions: 2 });
      const { evaldiff } = await desk({ ...base, ...head });
      const { at, run } = await pullRequest(base, head);
      const terminal = await evaldiff('validate');

      const [problem, ...others] = run.result.problems;
      const { place, message: told = '' } = problem ?? {};
      expect([place?.file, others]).toEqual([file, []]);
      expect(place?.line).toEqual(line === 0 ? expect.any(Number) : line);
      expect(told).toMatch(message);
      const prefix = place?.line === 0 ? file : `${file}:${String(place?.line)}`;
      const lineShown = Math.max(1, place?.line ?? 0);
      const title = 'Not judged: 1 problem to fix';
      expect(run).toMatchObject({ code: 1, outputs: { conclusion: 'error', calls: '0', title } });
      const properties = `file=${file},line=${lineShown}`;
      expect(run.annotations).toEqual([
        { level: 'error', properties, message: `${prefix}: ${told}` },
      ]);
      const [check] = at.github.state.checkRuns;
      expect(check).toMatchObject({ conclusion: 'failure', title: title });
      const shown = { path: file, start_line: lineShown, annotation_level: 'failure' };
      expect(check?.annotations).toEqual(
        Object.hasOwn(head, file) ? [expect.objectContaining({ ...shown, message: told })] : [],
      );
      expect(onlyComment(at)).toContain('1 problem to fix. Nothing was sent to a model.');

      expect(terminal).toMatchObject({ code: 2, stderr: '' });
      // Errors of uncommitted files name no commit, and the terminal wraps lines.
      const uncommitted = `${prefix}: ${told.replace(/ at [0-9a-f]{7}$/, '')}`;
      expect(terminal.stdout.replaceAll(/\s+/g, ' ')).toContain(uncommitted);
      expect(at.models.requests).toEqual([]);
    },
  );

  test('does not hide another: one run reports all of them', async () => {
    const { at, run } = await pullRequest(quiz({ questions: 2 }), {
      ...settings,
      [FILES.prompt]: PROMPT.replace('temperature: 0.5', 'temperature: hot').replace(
        '"{question}"',
        '"{question} in {language}"',
      ),
      [FILES.tests]: `n_tries: 0\nmetrics_rollup: { name: most }\n${TESTS.replace('exact_match', 'exact_mach').replace('id: q2', 'id: q1')}`,
      'prompts/other.yaml': 'name: other\n  model: [\n',
    });
    expect(run.code).toBe(1);
    const places = run.result.problems.map(({ place }) => `${place!.file}:${place!.line}`);
    expect(places.sort()).toEqual([
      ...['evaldiff.yaml:1', 'prompts/other.yaml:1', 'prompts/quiz.yaml:11', 'prompts/quiz.yaml:4'],
      ...[1, 2, 4, 7].map((line) => `prompts/tests/quiz.yaml:${line}`),
    ]);
    expect(run.annotations).toHaveLength(8);
    expect(at.github.state.checkRuns[0]?.annotations).toHaveLength(8);
    expect(at.models.requests).toEqual([]);
  });

  test('on base does not stop the run, but prevents success: no comparison is possible', async () => {
    const base = { ...quiz({ questions: 2 }), [FILES.prompt]: 'name: [\n' };
    const { run } = await pullRequest(base, { [FILES.prompt]: PROMPT });
    expect(run).toMatchObject({
      code: 0,
      outputs: { conclusion: 'neutral', 'pass-rate-base': '' },
    });
    expect(run.result.notices.map(({ kind }) => kind)).toContain('not-comparable');
  });

  test('of one reference makes that reference an error; the others run but the result is not green', async () => {
    const once = 'n_tries: 1\nmetrics: [{ name: answer, uses: exact_match }]';
    const lacking = `${quizTests(11, once)}  - { id: lacks, input: { query: "Question 12?" }, expected: "answer 12" }\n`;
    const { at, run } = await pullRequest(README, { ...quiz(), [FILES.tests]: lacking });
    const rest = { 'pass-rate-head': '1.0000', calls: '11' };
    expect(run.outputs).toMatchObject({ conclusion: 'neutral', errors: '1', ...rest });
    const error = expect.stringContaining('no value for {question}');
    expect(run.result.suites[0]?.references.at(-1)).toMatchObject({
      ...{ id: 'lacks', line: 15, status: 'error' },
      head: { tries: [{ outcome: 'error', error }] },
    });
    expect(onlyComment(at)).toContain('lacks');
  });
});
