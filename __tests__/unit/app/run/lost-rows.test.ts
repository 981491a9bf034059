import { findLostRows } from '../../../../src/app/run/read.ts';
import { formatProblem } from '../../../../src/errors.ts';
import { PROMPT, read, suiteFiles } from '../../config/tree.ts';

const METRICS = 'metrics: [{ uses: exact_match }]\n';
const ONE = 'references:\n  - { input: { a: one }, expected: one }\n';
const FROM = 'references_from: { file: c.csv }\n';
const rows = (count: number) =>
  `a,expected\n${Array.from({ length: count }, (_, at) => `${at},x\n`).join('')}`;

const withData = (data: string, tests = `${METRICS}${FROM}${ONE}`) => ({
  ...suiteFiles(PROMPT, tests),
  'c.csv': data,
});

async function found(
  base: Record<string, string> | null,
  head: Record<string, string>,
  strict = false,
) {
  const project = async (files: Record<string, string>) => {
    const side = await read(files);
    expect(side.problems).toEqual([]);
    return side.project;
  };
  const lost = findLostRows(base && (await project(base)), await project(head), strict);
  return { problems: lost.problems.map(formatProblem), notices: lost.notices.map(formatProblem) };
}

const NONE = { problems: [], notices: [] };
const MAY_GO = 'remove it from references_from';

describe('a data file', () => {
  test.each([
    ['only a header', 'a,expected\n'],
    ['no content', ''],
  ])('is an error if it has rows on base and %s on head', async (_, data) => {
    expect(await found(withData(rows(26)), withData(data))).toEqual({
      problems: [`c.csv: has no rows, and base's has 26; restore them, or ${MAY_GO}`],
      notices: [],
    });
  });

  test('is reported once if two suites read it', async () => {
    const twice = (data: string) => ({
      ...withData(data),
      'prompts/q.yaml': PROMPT.replace('name: p', 'name: q'),
    });
    expect((await found(twice(rows(3)), twice(rows(0)))).problems).toEqual([
      `c.csv: has no rows, and base's has 3; restore them, or ${MAY_GO}`,
    ]);
  });

  test('that is empty on both sides is an error in strict mode or if nothing else runs', async () => {
    const empty = withData(rows(0));
    const told = [`c.csv: has no rows; add some, or ${MAY_GO}`];
    expect(await found(empty, empty)).toEqual(NONE);
    expect(await found(null, empty)).toEqual(NONE);
    expect(await found(null, empty, true)).toEqual({ problems: told, notices: [] });
    const alone = withData(rows(0), `${METRICS}${FROM}`);
    expect(await found(alone, alone)).toEqual({ problems: told, notices: [] });
  });

  test('causes a notice if it lost more than half of its rows', async () => {
    expect(await found(withData(rows(26)), withData(rows(12)))).toEqual({
      problems: [],
      notices: ["c.csv: has 12 of base's 26 rows"],
    });
    expect(await found(withData(rows(26)), withData(rows(13)))).toEqual(NONE);
  });

  test('is not reported if head no longer uses it, because its references count as deleted', async () => {
    expect(await found(withData(rows(26)), withData(rows(0), `${METRICS}${ONE}`))).toEqual(NONE);
  });
});

describe('a list of references', () => {
  const base = suiteFiles(PROMPT, `${METRICS}${ONE}`);
  const empty = `${METRICS}references: []\n`;

  test('is an error if it was emptied', async () => {
    expect(await found(base, suiteFiles(PROMPT, empty))).toEqual({
      problems: [
        "prompts/tests/p.yaml:2: references is empty, and base's has 1; restore them, or delete the prompt too",
      ],
      notices: [],
    });
  });

  test('may be empty if base had none or a data file adds references', async () => {
    const all = suiteFiles(PROMPT, empty);
    expect(await found(all, all)).toEqual(NONE);
    expect(await found(null, all, true)).toEqual(NONE);
    expect(await found(base, withData(rows(1), `${empty}${FROM}`))).toEqual(NONE);
  });
});
