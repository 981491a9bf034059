import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './source-graph.ts';

const MOST_WORDS = 18_000;
const MOST_ON_A_PAGE = 1_800;
const GENERATED = ['codes.md', 'metric-table.md', 'metrics.md', 'vendors.md'];

/** Tables and sections that a script writes or a test compares with code. */
const WRITTEN = [
  /<!-- (\w+): written by [^]*?<!-- end of \1 -->/g,
  /<!-- verdicts -->[^]*?<!-- \/verdicts -->/g,
  /<!-- \w+: (?:written by|checked against) .*-->\n\n(?:\|.*\n)+/g,
];
const CODE_BLOCK = /^( *)```[^]*?^\1```$/gm;

/** The words that a person wrote: without generated parts, code blocks and addresses of links. */
function handWritten(text: string) {
  const prose = [...WRITTEN, CODE_BLOCK, /<!--[^]*?-->/g, /\]\([^)]*\)/g].reduce(
    (rest, part) => rest.replaceAll(part, ' '),
    text,
  );
  return prose.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

const pages = readdirSync(join(ROOT, 'docs'))
  .filter((name) => name.endsWith('.md') && !GENERATED.includes(name))
  .map((name) => ({ name, words: handWritten(readFileSync(join(ROOT, 'docs', name), 'utf8')) }));

test('the pages in docs/ have few hand-written words', () => {
  expect(pages.filter(({ words }) => words > MOST_ON_A_PAGE)).toEqual([]);
  expect(pages.reduce((sum, { words }) => sum + words, 0)).toBeLessThanOrEqual(MOST_WORDS);
});

test('words in generated parts, code blocks and addresses are not counted as hand-written', () => {
  const written = '<!-- a: written by b.ts -->\n\n| c |\n| - |\n| d |\n\n';
  expect(handWritten(`${written}One [two](three.md).\n\n\`\`\`sh\nfour\n\`\`\`\n`)).toBe(2);
});
