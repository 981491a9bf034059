import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface Row {
  /** For example `T1`; empty if the row has none. */
  id: string;
  what: string;
  /** Tests and headings that the row names, one per line. */
  held: string[];
}

/** The items of a page's lists, each with the lines below it. */
function rows(page: string): Row[] {
  return read(page)
    .split(/^(?=- )/m)
    .slice(1)
    .map((item) => {
      const [first = '', ...held] = item.trim().split('\n');
      const [, id = '', what = ''] = /^- (?:\*\*([TR]\d+)\*\* )?(.+)$/.exec(first) ?? [];
      return {
        id,
        what,
        held: held.filter((line) => line.startsWith('  - ')).map((line) => line.slice(4)),
      };
    });
}

/** The file and title of the test that a line names. */
function testIn(line: string) {
  const [, file, , title] = /^`([\w./-]+\.ts)` › (`{1,2})(.+)\2$/.exec(line) ?? [];
  return file === undefined || title === undefined ? undefined : { file, title };
}

const sources = new Map<string, string>();
/** The text of a test file with unescaped quotes. */
function sourceOf(file: string) {
  const path = join(ROOT, '__tests__', file);
  const text =
    sources.get(file) ??
    (existsSync(path) ? readFileSync(path, 'utf8').replaceAll("\\'", "'") : '');
  sources.set(file, text);
  return text;
}

/** GitHub's anchor of a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
const headings = [...read('SECURITY.md').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
  anchorOf(heading),
);

/** The problems of a line; empty if it is valid. */
function missingIn(line: string) {
  const named = testIn(line);
  if (named !== undefined) {
    const { file, title } = named;
    // The title must appear as a string literal. A comment with the same text does not count.
    return ["'", '"', '`'].some((quote) => sourceOf(file).includes(`${quote}${title}${quote}`))
      ? []
      : [`${file} has no test "${title}"`];
  }
  const anchor = /^\[SECURITY\.md[^\]]*\]\(\.\.\/\.\.\/SECURITY\.md#([\w-]+)\)$/.exec(line)?.[1];
  if (anchor === undefined) return [`cannot be read: ${line}`];
  return headings.includes(anchor) ? [] : [`SECURITY.md has no heading #${anchor}`];
}

/** The tests and headings of a row that do not exist. */
const missing = ({ held }: Pick<Row, 'held'>) =>
  held.length === 0 ? ['rests on nothing'] : held.flatMap(missingIn);

const ids = (page: string, prefix: string) =>
  rows(page)
    .map(({ id }) => id)
    .filter((id) => id.startsWith(prefix));
const upTo = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`);

describe('the pages about threats and bad inputs', () => {
  test('list every threat, refusal and bad input once', () => {
    expect(ids('__tests__/contract/threats.md', 'T')).toEqual(upTo(74, 'T'));
    expect(ids('__tests__/contract/threats.md', 'R')).toEqual(upTo(13, 'R'));
    const inputs = rows('__tests__/contract/bad-inputs.md').map(({ what }) => what);
    expect(inputs.length).toBeGreaterThanOrEqual(158);
    expect(inputs.filter((input, index) => inputs.indexOf(input) !== index)).toEqual([]);
  });

  test.each(['__tests__/contract/threats.md', '__tests__/contract/bad-inputs.md'])(
    'refer only to existing tests and headings: %s',
    (page) => {
      expect(
        rows(page).flatMap((row) => missing(row).map((found) => `${row.id || row.what}: ${found}`)),
      ).toEqual([]);
    },
  );
});

describe('the check of the pages about threats and bad inputs', () => {
  test.each([
    ['`contract/nowhere.test.ts` › `a test`', 'contract/nowhere.test.ts has no test "a test"'],
    [
      '`contract/security.test.ts` › `opens no connection`',
      'contract/security.test.ts has no test "opens no connection"',
    ],
    ['[SECURITY.md](../../SECURITY.md#promises)', 'SECURITY.md has no heading #promises'],
    ['somewhere', 'cannot be read: somewhere'],
  ])('finds missing tests, missing headings and unreadable lines: %s', (line, found) => {
    expect(missing({ held: [line] })).toEqual([found]);
  });

  test('finds an item without tests and accepts tests and headings that exist', () => {
    expect(missing({ held: [] })).toEqual(['rests on nothing']);
    expect(
      missing({
        held: [
          '`contract/threats.test.ts` › `%s rests on tests and headings that exist`',
          '[SECURITY.md](../../SECURITY.md#reporting)',
        ],
      }),
    ).toEqual([]);
  });
});
