import type { CheckAnnotation as Sent } from '../../../src/edges/github/check.ts';
import {
  ANNOTATION_MESSAGE_LIMIT,
  ANNOTATION_TITLE_LIMIT,
} from '../../../src/report/annotations.ts';
import type { ChangedFile } from '../../../src/types/repository.ts';
import { annotations } from '../../stand-ins/reports.ts';
import {
  hostile,
  referenceOf,
  regression,
  resultOf,
  score,
  sideOf,
  suiteOf,
  withProblems,
  passed,
} from '../../unit/report/results.ts';

const changed = (path: string, ...lines: [number, number][]): ChangedFile => ({
  path,
  basePath: path,
  deleted: false,
  lines: lines.map(([start, end]) => ({ start, end })),
});
const PROMPT = changed('prompts/capitals.yaml', [9, 12], [5, 6]);
const TESTS = changed('prompts/tests/capitals.yaml', [40, 41]);
const RUBRIC = changed('rubrics/tone.yaml', [3, 3]);

describe('annotations', () => {
  test('have the type that the API of check runs accepts', () => {
    const sent: readonly Sent[] = annotations(regression(), [PROMPT]);
    expect(sent).toHaveLength(1);
  });

  test('are at the line of the worst regressed reference in a changed file, and count failures of the same kind', () => {
    expect(
      annotations(regression(), [TESTS]).map(
        ({ path, startLine, endLine, level, title }) =>
          `${path}:${startLine}-${endLine} ${level} ${title}`,
      ),
    ).toEqual(['prompts/tests/capitals.yaml:14-14 failure capitals: australia and 2 more broke']);
    expect(annotations(regression(), [TESTS])[0]?.message).toBe(
      '3 of 3 passed on base, 0 of 3 passed on head.\nBase: Canberra\nHead: The capital of Australia is Canberra.\nexact_match: fail, expected "Canberra", got "The capital of Australia is Canberra."\nThese failed in the same way: brazil (line 17), canada (line 20).',
    );
  });

  test('are separate for references that fail different metrics, worst first', () => {
    const fallen = (id: string, line: number, metric: string) => {
      const head = sideOf([{ outcome: 'fail', actual: 'y', scores: [score('fail', metric)] }]);
      return referenceOf(id, 'regressed', { file: TESTS.path, line, base: passed('x'), head });
    };
    const suite = suiteOf('s', [
      fallen('a', 5, 'short'),
      fallen('b', 6, 'polite'),
      fallen('c', 7, 'short'),
    ]);
    expect(
      annotations(resultOf({ conclusion: 'failure', suites: [suite] }), [TESTS]).map(
        ({ startLine, title }) => `${startLine} ${title}`,
      ),
    ).toEqual(['5 s: a and 1 more broke', '6 s: b broke']);
  });

  test("are at the prompt's first changed line and describe the worst reference, then each suite", () =>
    expect(annotations(regression(), [PROMPT])).toEqual([
      {
        path: 'prompts/capitals.yaml',
        startLine: 5,
        endLine: 5,
        level: 'failure',
        title: 'Regressed in 1 suite',
        message:
          'australia: 3 of 3 passed on base, 0 of 3 passed on head; 2 more failed in the same way.\nBase: Canberra\nHead: The capital of Australia is Canberra.\nexact_match: fail, expected "Canberra", got "The capital of Australia is Canberra."\nRegressed: capitals 92 → 82 %: 3 of 17 tests broke.',
      },
    ]));

  test("are at the line where the run found the first change, if the pull request's diff shows that line", () => {
    const at = (...lines: [number, number][]) =>
      annotations(regression(), [changed('prompts/capitals.yaml', ...lines)])[0]?.startLine;
    // In the result, the first difference is at line 4.
    expect(at([2, 2], [4, 6])).toBe(4);
    expect(at([2, 2])).toBe(2);
  });

  test('say for a changed rubric how base and head score the same answers', () => {
    const [one] = annotations(regression(), [RUBRIC]);
    expect(one).toMatchObject({
      path: 'rubrics/tone.yaml',
      startLine: 3,
      level: 'warning',
      title: 'Inconclusive, scoring changed in 1 suite',
    });
    expect(one?.message).toContain(
      'Scoring changed: 1 of 18 answers of triage now fails and 1 now passes (scoring).',
    );
  });

  test('are never in files that the pull request does not change or that it deletes', () => {
    expect(annotations(regression(), [changed('README.md', [1, 2])])).toEqual([]);
    expect(annotations(regression(), [{ ...TESTS, deleted: true }])).toEqual([]);
    expect(annotations(regression(), [])).toEqual([]);
  });

  test('are at line 1 of a file that is only renamed', () =>
    expect(annotations(regression(), [changed('prompts/capitals.yaml')])[0]).toMatchObject({
      startLine: 1,
      endLine: 1,
    }));

  test.each([
    ['.', ''],
    ['', ''],
    ['./', ''],
    ['apps/bot', 'apps/bot/'],
    ['./apps//bot/', 'apps/bot/'],
  ])("use paths from the repository's root with the working directory %j", (directory, prefix) =>
    expect(annotations(regression(), [PROMPT], directory)[0]?.path).toBe(
      `${prefix}prompts/capitals.yaml`,
    ),
  );

  test('show problems as failures at their lines, in changed files only', () =>
    expect(annotations(withProblems(), [PROMPT, changed('evaldiff.yaml', [1, 1])])).toEqual([
      {
        path: 'prompts/capitals.yaml',
        startLine: 4,
        endLine: 4,
        level: 'failure',
        title: 'Not judged: this has to be fixed',
        message: 'unknown key "mesages"; did you mean "messages"?',
      },
      {
        path: 'evaldiff.yaml',
        startLine: 1,
        endLine: 1,
        level: 'failure',
        title: 'Not judged: this has to be fixed',
        message: 'is empty',
      },
    ]));

  test('are warnings if the run does not fail, and notices for references that do not affect the verdict', () => {
    const result = { ...regression(), conclusion: 'neutral' as const };
    expect(annotations(result, [PROMPT, TESTS]).map(({ level }) => level)).toEqual([
      'warning',
      'warning',
    ]);
    const skipped = suiteOf('s', [referenceOf('x', 'regressed', { skip: true, file: TESTS.path })]);
    expect(
      annotations(resultOf({ conclusion: 'failure', suites: [skipped] }), [TESTS])[0]?.level,
    ).toBe('notice');
  });

  test.each(['a', 'é', '漢', '😀'])(
    "cut titles and messages of %s at GitHub's limits without splitting a character",
    (letter) => {
      const long = letter.repeat(100_000);
      const scores = Array.from({ length: 60 }, (_, index) => score('fail', `m${index}`, 0, long));
      const reference = referenceOf(long, 'regressed', {
        file: TESTS.path,
        head: sideOf([{ outcome: 'fail', actual: long, scores }]),
      });
      const [one] = annotations(
        resultOf({ conclusion: 'failure', suites: [suiteOf(long, [reference])] }),
        [TESTS],
      );
      expect(one?.title.length).toBe(ANNOTATION_TITLE_LIMIT);
      expect(Buffer.byteLength(one?.message ?? '')).toBeLessThanOrEqual(ANNOTATION_MESSAGE_LIMIT);
      expect(Buffer.byteLength(one?.message ?? '')).toBeGreaterThan(ANNOTATION_MESSAGE_LIMIT / 4);
      expect(`${String(one?.title)}${String(one?.message)}`.isWellFormed()).toBe(true);
    },
  );

  test('show hidden characters of hostile text', () => {
    const result = hostile();
    const files = [
      ...new Set(result.suites.flatMap(({ references }) => references.map(({ file }) => file))),
    ].map((path) => changed(path, [1, 1]));
    const found = annotations(result, files);
    expect(found.length).toBeGreaterThan(20);
    for (const { title, message, startLine } of found) {
      expect(title).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u200b\p{Cs}]/u);
      expect(message.replaceAll('\n', '').replaceAll('\t', '')).not.toMatch(
        /[\p{Cc}\p{Bidi_Control}\u200b\p{Cs}]/u,
      );
      expect(startLine).toBeGreaterThan(0);
    }
  });
});
