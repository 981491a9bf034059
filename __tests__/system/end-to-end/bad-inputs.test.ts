import { describe, expect, test } from '@jest/globals';
import type { FixtureFiles } from '../../stand-ins/repository.ts';
import { createRepository } from '../../stand-ins/repository.ts';
import { changeOf, obedient, quiz, quizPrompt, quizTests, SETTINGS } from './projects.ts';
import { bareEnvironment, startCommand } from './runner.ts';
import { onPullRequest, onlyComment, stage, pullRequest } from './stage.ts';

const PROMPT = quizPrompt('Be exact.');
const TESTS = quizTests(2, 'metrics:\n  - { name: answer, uses: exact_match }');
const prompt = (change: (text: string) => string): FixtureFiles => ({
  'prompts/quiz.yaml': change(PROMPT),
});
const testFile = (text: string): FixtureFiles => ({ 'prompts/tests/quiz.yaml': text });
const defaults = (path: string): FixtureFiles => prompt((text) => text.replace('tests/quiz', path));
const BOMB = `a: &a [x, x, x, x, x, x, x, x, x, x]\n${'bcdefghi'
  .split('')
  .map((key, at) => `${key}: &${key} [${Array<string>(10).fill(`*${'abcdefgh'[at]!}`).join(', ')}]`)
  .join('\n')}\n`;

/** What a pull request brings, where it is wrong, and what it is told. */
const ROWS: [string, FixtureFiles, string, number, RegExp][] = [
  [
    'an unknown key of a prompt',
    prompt((text) => text.replace('messages:', 'mesages:')),
    'prompts/quiz.yaml',
    7,
    /^unknown key "mesages"; did you mean "messages"\?$/,
  ],
  [
    'an unknown key of the settings',
    { 'evaldiff.yaml': `n_trys: 3\n${SETTINGS}` },
    'evaldiff.yaml',
    1,
    /^unknown key "n_trys"; did you mean "n_tries"\?$/,
  ],
  [
    'an unknown key of a reference',
    testFile(TESTS.replace('expected: "answer 2"', 'expect: "answer 2"')),
    'prompts/tests/quiz.yaml',
    5,
    /^unknown key "expect" in references\[1\]; did you mean "expected"\?$/,
  ],
  [
    'a value of the wrong type',
    prompt((text) => text.replace('temperature: 0.5', 'temperature: hot')),
    'prompts/quiz.yaml',
    4,
    /^temperature must be a number/,
  ],
  [
    'a metric made of two things',
    testFile(TESTS.replace('exact_match }', 'exact_match, code: "result = True" }')),
    'prompts/tests/quiz.yaml',
    2,
    /^metric "answer" needs exactly one of uses, rubric and code$/,
  ],
  [
    'a prompt without messages',
    prompt((text) => text.slice(0, text.indexOf('messages:'))),
    'prompts/quiz.yaml',
    0,
    /^needs exactly one of messages, prompt and code$/,
  ],
  [
    'defaults that point nowhere',
    defaults('tests/quizz'),
    'prompts/quiz.yaml',
    1,
    /^prompts\/tests\/quizz\.yaml does not exist/,
  ],
  [
    'defaults that point outside of the prompts',
    { ...defaults('../secret'), 'secret.yaml': 'a: 1' },
    'prompts/quiz.yaml',
    1,
    /^\.\.\/secret is outside the prompts folder$/,
  ],
  [
    'defaults through a symbolic link',
    { ...defaults('tests/link'), 'prompts/tests/link.yaml': { link: '../../.git/config' } },
    'prompts/quiz.yaml',
    1,
    /^prompts\/tests\/link\.yaml is a symbolic link/,
  ],
  [
    'two references of one id',
    testFile(TESTS.replace('id: q2', 'id: q1')),
    'prompts/tests/quiz.yaml',
    5,
    /^the reference id "q1" is already on line 4$/,
  ],
  [
    'a variable that is not declared',
    prompt((text) => text.replace('"{question}"', '"{question} in {language}"')),
    'prompts/quiz.yaml',
    11,
    /^\{language\} is not in variables; declare it, or write \{\{language\}\} where the text itself is meant$/,
  ],
  [
    'what is not YAML',
    prompt((text) => text.replace('"{question}"', 'Question: {question}? Only: this')),
    'prompts/quiz.yaml',
    11,
    /quotes|not valid YAML/,
  ],
  [
    'an alias bomb',
    testFile(`${BOMB}${TESTS}`),
    'prompts/tests/quiz.yaml',
    0,
    /^expands to more than \d+ values$/,
  ],
  [
    'a __proto__ key',
    testFile(`__proto__: { polluted: true }\n${TESTS}`),
    'prompts/tests/quiz.yaml',
    1,
    /__proto__/,
  ],
  [
    'an unknown metric',
    testFile(TESTS.replace('exact_match', 'exact_mach')),
    'prompts/tests/quiz.yaml',
    2,
    /^metric "answer": there is no built-in metric "exact_mach"; did you mean "exact_match"\?$/,
  ],
  [
    'an unknown roll-up',
    testFile(`metrics_rollup: { name: most }\n${TESTS}`),
    'prompts/tests/quiz.yaml',
    1,
    /^metrics_rollup: there is no policy "most"/,
  ],
  [
    'no tries at all',
    testFile(`n_tries: 0\n${TESTS}`),
    'prompts/tests/quiz.yaml',
    1,
    /^n_tries must be a whole number from 1 to 50/,
  ],
];

describe('a bad input', () => {
  test.each(ROWS)(
    '%s is told with its place and its remedy, by the action and on the command line, and nothing is asked',
    async (_, head, file, line, message) => {
      const at = await stage(obedient);
      const change = changeOf(quiz({ questions: 2 }), head);
      const [run, terminal] = await Promise.all([
        onPullRequest(at, change),
        onCommandLine({ ...quiz({ questions: 2 }), ...head }),
      ]);

      expect(run.result.problems).toEqual([
        {
          place: { file, line: line === 0 ? expect.any(Number) : line },
          message: expect.stringMatching(message),
        },
      ]);
      const [{ place, message: told }] = run.result.problems as [
        { place: { file: string; line: number }; message: string },
      ];
      const prefix = place.line === 0 ? file : `${file}:${String(place.line)}`;
      const lineShown = Math.max(1, place.line);
      expect(run.code).toBe(1);
      expect(run.outputs).toMatchObject({
        conclusion: 'error',
        calls: '0',
        title: 'Not judged: 1 problem to fix',
      });
      expect(run.annotations).toEqual([
        {
          level: 'error',
          properties: `file=${file},line=${String(lineShown)}`,
          message: `${prefix}: ${told}`,
        },
      ]);
      const [check] = at.github.state.checkRuns;
      expect(check).toMatchObject({ conclusion: 'failure', title: 'Not judged: 1 problem to fix' });
      const isChanged = Object.hasOwn(head, file);
      expect(
        check?.annotations.map((annotation) => [
          annotation.path,
          annotation.start_line,
          annotation.annotation_level,
          annotation.message,
        ]),
      ).toEqual(isChanged ? [[file, lineShown, 'failure', told]] : []);
      expect(onlyComment(at)).toContain('1 problem to fix. Nothing was sent to a model.');

      expect(terminal.code).toBe(2);
      // Uncommitted files have no commit to be missing at.
      expect(unwrapped(terminal.stdout)).toContain(
        unwrapped(`${prefix}: ${told.replace(/ at [0-9a-f]{7}$/, '')}`),
      );
      expect(terminal.stderr).toBe('');
      expect(at.models.requests).toEqual([]);
    },
  );

  test('does not hide another: one run tells all of them', async () => {
    const { at, run } = await pullRequest(quiz({ questions: 2 }), {
      'evaldiff.yaml': `n_trys: 3\n${SETTINGS}`,
      'prompts/quiz.yaml': PROMPT.replace('temperature: 0.5', 'temperature: hot').replace(
        '"{question}"',
        '"{question} in {language}"',
      ),
      'prompts/tests/quiz.yaml': `n_tries: 0\nmetrics_rollup: { name: most }\n${TESTS.replace('exact_match', 'exact_mach').replace('id: q2', 'id: q1')}`,
      'prompts/other.yaml': 'name: other\n  model: [\n',
    });
    expect(run.code).toBe(1);
    expect(
      run.result.problems.map(({ place }) => `${place!.file}:${String(place!.line)}`).sort(),
    ).toEqual([
      'evaldiff.yaml:1',
      'prompts/other.yaml:1',
      'prompts/quiz.yaml:11',
      'prompts/quiz.yaml:4',
      'prompts/tests/quiz.yaml:1',
      'prompts/tests/quiz.yaml:2',
      'prompts/tests/quiz.yaml:4',
      'prompts/tests/quiz.yaml:7',
    ]);
    expect(run.annotations).toHaveLength(8);
    expect(at.github.state.checkRuns[0]?.annotations).toHaveLength(8);
    expect(at.models.requests).toEqual([]);
  });

  test('of base stops nobody, and is no success either: there is nothing to compare with', async () => {
    const { run } = await pullRequest(
      { ...quiz({ questions: 2 }), 'prompts/quiz.yaml': 'name: [\n' },
      { 'prompts/quiz.yaml': PROMPT },
    );
    expect(run.code).toBe(0);
    expect(run.outputs).toMatchObject({ conclusion: 'neutral', 'pass-rate-base': '' });
    expect(run.result.notices.map(({ kind }) => kind)).toContain('not-comparable');
  });

  test("of one reference is that reference's error; the rest runs, and is not green without it", async () => {
    const lacking = `${quizTests(11, 'n_tries: 1\nmetrics: [{ name: answer, uses: exact_match }]')}  - { id: lacks, input: { query: "Question 12?" }, expected: "answer 12" }\n`;
    const { at, run } = await pullRequest(
      { 'README.md': 'About' },
      { ...quiz(), 'prompts/tests/quiz.yaml': lacking },
    );
    expect(run.outputs).toMatchObject({
      conclusion: 'neutral',
      errors: '1',
      'pass-rate-head': '1.0000',
      calls: '11',
    });
    expect(run.result.suites[0]?.references.at(-1)).toMatchObject({
      id: 'lacks',
      line: 15,
      status: 'error',
      head: {
        tries: [{ outcome: 'error', error: expect.stringContaining('no value for {question}') }],
      },
    });
    expect(onlyComment(at)).toContain('lacks');
  });
});

/** `evaldiff validate` in a work tree that has these files, with a key at hand. */
function onCommandLine(files: FixtureFiles) {
  const repository = createRepository();
  repository.commit('Files', files);
  return startCommand(['validate'], bareEnvironment(), repository.directory);
}

/** A terminal breaks lines where they end; tests of words should not. */
function unwrapped(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}
