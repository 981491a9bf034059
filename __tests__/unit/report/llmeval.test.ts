import { parse } from 'yaml';
import { llmevalFiles } from '../../../src/report/llmeval.ts';
import fc, { anyCharacter, draws } from '../../fuzz.ts';
import { reference, suite } from '../app/run/builders.ts';
import { passed, referenceOf, resultOf, suiteOf } from './results.ts';

interface WrittenReport {
  prompts: { tests: { references: unknown[] } };
}

function referencesOf(answers: readonly string[]) {
  const ids = answers.map((_, at) => `r${at}`);
  const judged = answers.map((answer, at) =>
    referenceOf(`r${at}`, 'pass', { head: passed(answer) }),
  );
  const source = suite({ tests: { references: ids.map((id) => reference(id)) } });
  const [file] = llmevalFiles(
    resultOf({ suites: [suiteOf('p', judged)] }),
    [source],
    new Date(Date.UTC(2026, 0, 31)),
  );
  return file === undefined ? [] : (parse(file.text) as WrittenReport).prompts.tests.references;
}

const written = (answers: readonly string[]): unknown[] =>
  answers.map((actual, at) => ({
    id: `r${at}`,
    input: { q: `r${at}` },
    expected: 'yes',
    actual,
    metrics: { exact_match: { metric: true, result: 'pass', skipped: false } },
    duration: expect.any(Number),
  }));

describe('reports in the format of llmeval', () => {
  test.each([
    [['true', '007', '2020-01-01', '~', '']],
    [['a: b', 'a #b', '- x', '"q"', '{a}', '&x', '|']],
    [['two\nlines', 'blank\n\n  line between', 'end\n', '\n', '  indented\nfirst']],
    [[]],
  ])('contain each answer unchanged: %j', (answers) =>
    expect(referencesOf(answers)).toEqual(written(answers)),
  );

  test('contain any answer unchanged', () => {
    const text = fc.array(anyCharacter).map((characters) => characters.join(''));
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), (answers) =>
        expect(referencesOf(answers)).toEqual(written(answers)),
      ),
      { numRuns: draws(500) },
    );
  });
});
