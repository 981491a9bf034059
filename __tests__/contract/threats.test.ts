import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Row {
  id: string;
  what: string;
  held: string;
}

/** The rows of a page's tables; a pipe inside of a cell is written `\|`. */
function rows(page: string): Row[] {
  return read(page)
    .split('\n')
    .flatMap((line) => {
      const [, id = '', what = '', held = ''] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
      return /^[TR]?\d+$/.test(id) ? [{ id, what, held }] : [];
    });
}

/** The tests that a cell names: file and title. */
function testsIn(held: string): { file: string; title: string }[] {
  return [...held.matchAll(/`([\w./-]+\.ts)` › (`{1,2})(.+?)\2(?=<br>|$)/g)].map(
    ([, file = '', , title = '']) => ({ file, title: title.replaceAll('\\|', '|') }),
  );
}

const sources = new Map<string, string>();
/** A test file's text with quotes as they read. */
function sourceOf(file: string): string {
  const path = join(ROOT, '__tests__', file);
  const text =
    sources.get(file) ??
    (existsSync(path) ? readFileSync(path, 'utf8').replaceAll("\\'", "'") : '');
  sources.set(file, text);
  return text;
}

/** GitHub's address of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
const headings = [...read('SECURITY.md').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
  anchorOf(heading),
);

/** What a row rests on that is not there. */
function missing({ held }: Row): string[] {
  const named = held.split('<br>').map((part) => part.trim());
  const tests = testsIn(held);
  const pages = [...held.matchAll(/\]\(\.\.\/SECURITY\.md#([\w-]+)\)/g)].map(
    ([, anchor = '']) => anchor,
  );
  return [
    ...(tests.length + pages.length === named.length && named[0] !== ''
      ? []
      : [`cannot be read: ${held}`]),
    // The title as a literal, so that a word in a comment does not count.
    ...tests
      .filter(
        ({ file, title }) =>
          !["'", '"', '`'].some((quote) => sourceOf(file).includes(`${quote}${title}${quote}`)),
      )
      .map(({ file, title }) => `${file} has no test "${title}"`),
    ...pages
      .filter((anchor) => !headings.includes(anchor))
      .map((anchor) => `SECURITY.md has no heading #${anchor}`),
  ];
}

const ids = (page: string, prefix: string): string[] =>
  rows(page)
    .map(({ id }) => id)
    .filter((id) => (prefix === '' ? /^\d/.test(id) : id.startsWith(prefix)));
const upTo = (count: number, prefix = ''): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index + 1)}`);

describe('the pages that say what holds', () => {
  test('have every threat, every refusal and every bad input once', () => {
    expect(ids('docs/threats.md', 'T')).toEqual(upTo(60, 'T'));
    expect(ids('docs/threats.md', 'R')).toEqual(upTo(12, 'R'));
    const inputs = ids('docs/bad-inputs.md', '');
    expect(inputs).toEqual(upTo(Math.max(95, inputs.length)));
  });

  test.each(['docs/threats.md', 'docs/bad-inputs.md'])(
    '%s rests on tests and headings that exist',
    (page) => {
      expect(
        rows(page).flatMap((row) => missing(row).map((found) => `${row.id}: ${found}`)),
      ).toEqual([]);
    },
  );
});

describe('the check of these pages', () => {
  const row = (held: string): Row => ({ id: 'T1', what: 'x', held });

  test('finds a file, a title or a heading that is not there, and a cell that it cannot read', () => {
    expect(missing(row('`contract/nowhere.test.ts` › `a test`'))).toEqual([
      'contract/nowhere.test.ts has no test "a test"',
    ]);
    expect(missing(row('`contract/security.test.ts` › `opens no connection`'))).toEqual([
      'contract/security.test.ts has no test "opens no connection"',
    ]);
    expect(missing(row('[SECURITY.md](../SECURITY.md#promises)'))).toEqual([
      'SECURITY.md has no heading #promises',
    ]);
    expect(missing(row('somewhere'))).toEqual(['cannot be read: somewhere']);
    expect(
      missing(
        row(
          '`contract/threats.test.ts` › `%s rests on tests and headings that exist`<br>[SECURITY.md](../SECURITY.md#reporting)',
        ),
      ),
    ).toEqual([]);
  });
});
