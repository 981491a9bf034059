import { PROMPT, read, suiteFiles } from './tree.ts';

const METRICS = 'metrics: [{ uses: exact_match }]\n';
const RUBRIC = '{ prompt: "{content}", choice_scores: { A: 1, B: 0 }, better: higher }';

const problemsWithIds = async (...ids: string[]) => {
  const rows = ids.map((id) => `  - { id: ${JSON.stringify(id)}, input: { a: x }, expected: y }\n`);
  return (await read(suiteFiles(PROMPT, `${METRICS}references:\n${rows.join('')}`))).problems;
};

describe('two ids that look the same', () => {
  test.each([
    ['case-1', ' case-1 '],
    ['\u00e9t\u00e9', 'e\u0301te\u0301'],
    ['two words', 'two  words'],
    ['two words', 'two\u00a0words'],
    ['\u2764', '\u2764\ufe0f'],
    ['\u212b', '\u00c5'],
  ])('are an error at the second: %j and %j', async (first, second) => {
    const [problem, ...more] = await problemsWithIds(first, second);
    expect(more).toEqual([]);
    expect(problem).toContain('prompts/tests/p.yaml:4: ');
    expect(problem).toContain(
      `looks like the id "${first}" on line 3; they differ only in white space, invisible characters or Unicode forms. Give it another id`,
    );
  });

  test('are an error in data files, too', async () => {
    const { problems } = await read({
      ...suiteFiles(PROMPT, `${METRICS}references_from: [{ file: a.jsonl }, { file: b.csv }]\n`),
      'a.jsonl': '{"id": "one", "a": "x", "expected": "y"}\n',
      'b.csv': 'id,a,expected\n"one ",x,y\n',
    });
    expect(problems).toEqual([
      expect.stringMatching(/^b\.csv:2: .*looks like the id "one" in a\.jsonl, line 1; /),
    ]);
  });

  test.each([
    ['case-1', 'Case-1'],
    ['x2', 'x\u00b2'],
    ['a b', 'ab'],
    ['e', '\u00e9'],
  ])('do not include %j and %j, which a reader can tell apart', async (first, second) => {
    expect(await problemsWithIds(first, second)).toEqual([]);
  });
});

describe('a table with another separator', () => {
  test.each([
    ['c.csv', 'a;expected\nx;"1,5"\n', 'semicolons; write commas'],
    ['c.csv', 'a;expected\nx, and z;y\n', 'semicolons; write commas'],
    ['c.csv', 'a;expected;tags\nx, y, z;1;s,t\n', 'semicolons; write commas'],
    ['c.csv', '"a";"expected"\n"x, y";"z"\n', 'semicolons; write commas'],
    ['c.csv', 'a\texpected\nx, y\tz\n', 'tabs; write commas'],
    ['c.tsv', 'a;expected\nx\ty;z\n', 'semicolons; write tabs'],
  ])('%s with %j is named with the remedy, at its first line', async (file, content, words) => {
    const files = suiteFiles(PROMPT, `${METRICS}references_from: { file: ${file} }\n`);
    const { problems } = await read({ ...files, [file]: content });
    const [, wanted = ''] = words.split('write ');
    expect(problems).toEqual([
      `${file}:1: is separated by ${words}, and put cells that contain ${wanted} into double quotes`,
    ]);
  });

  test('does not include a comma-separated table whose quoted column has semicolons', async () => {
    const files = suiteFiles(PROMPT, `${METRICS}references_from: { file: c.csv }\n`);
    const { problems } = await read({ ...files, 'c.csv': '"x;y;z",a\n1,2,3\n' });
    expect(problems).toEqual([expect.stringContaining('has 3 cells where the first row has 2')]);
  });
});

describe('what nothing uses', () => {
  const noticesOf = async (files: Record<string, string>) => (await read(files)).notices;

  test.each([
    ['d.csv', 'a,expected,tag\nx,y,critical\n', '"tag" is not read; did you mean "tags"?'],
    ['d.csv', 'a,expected,Skipp\nx,y,true\n', '"Skipp" is not read; did you mean "skip"?'],
    ['d.tsv', 'a\texpcted\nx\ty\n', '"expcted" is not read; did you mean "expected"?'],
    [
      'd.jsonl',
      '{"a":"x","expected":"y","ntries":3}\n',
      '"ntries" is not read; did you mean "n_tries"?',
    ],
    [
      'd.jsonl',
      '{"a":"x","expected":"y"}\n{"a":"z","expected":"y","clusters":"k"}\n',
      '"clusters" is not read; did you mean "cluster"?',
    ],
  ])('includes a misspelt column of %s: %j', async (file, content, message) => {
    const files = suiteFiles(PROMPT, `${METRICS}references_from: { file: ${file} }\n`);
    expect(await noticesOf({ ...files, [file]: content })).toContain(`${file}:1: ${message}`);
  });

  test.each([
    ['{ file: d.csv }', 'a,expected,tag,tags\nx,y,1,2\n', PROMPT],
    ['{ file: d.csv, map: { tags: tag } }', 'a,expected,tag\nx,y,1\n', PROMPT],
    ['{ file: d.csv }', 'a,expected,source\nx,y,1\n', PROMPT],
    [
      '{ file: d.csv }',
      'a,expected,tag\nx,y,1\n',
      PROMPT.replace('{a}', '{a}{tag}').replace('  - name: a\n', '  - name: a\n  - name: tag\n'),
    ],
  ])('does not include the columns of %s with %j', async (from, content, prompt) => {
    const files = suiteFiles(prompt, `${METRICS}references_from: ${from}\n`);
    expect(await noticesOf({ ...files, 'd.csv': content })).toEqual([]);
  });

  const graded = (rubric: string): Record<string, string> => ({
    ...suiteFiles(
      PROMPT,
      `metrics: [{ name: m, rubric: ${rubric} }]\nreferences: [{ input: { a: x } }]\n`,
    ),
    'evaldiff.yaml': 'grader: gpt-4o\n',
  });

  test('includes a rubric without metric, but not one of a metric, of a reference or with examples', async () => {
    const files = graded('used');
    files['prompts/tests/p.yaml'] +=
      '  - { input: { a: y }, metrics: [{ name: n, rubric: of_reference }] }\n';
    files['prompts/tests/p.yaml'] = files['prompts/tests/p.yaml']!.replace(
      'references: [{ input: { a: x } }]\n',
      'references:\n  - { input: { a: x } }\n',
    );
    files['rubrics/r.yaml'] = [
      `used: ${RUBRIC}`,
      `of_reference: ${RUBRIC}`,
      `with_examples: ${RUBRIC.replace('better', 'examples: [{ content: x, expected: A }], better')}`,
      `idle: ${RUBRIC}`,
      '',
    ].join('\n');
    expect(await noticesOf(files)).toEqual(['rubrics/r.yaml:4: no metric uses the rubric "idle"']);
  });
});
