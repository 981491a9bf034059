import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './source-graph.ts';

/** Phrases that hide the actor or that English engineers do not write, with what to write. */
const DENIED: readonly [RegExp, string][] = [
  [/\b(?:nobody|somebody)\b/i, 'name the actor'],
  [/\btold (?:from|apart)\b/i, 'distinguished from'],
  [/\b(?:is|are|was|were) told\b/i, 'reports, prints or shows, with its subject'],
  [/[a-z]'s to (?:say|decide|know|tell|guess)\b/i, 'say who decides'],
  [/\b(?:in vain|seldom|anew)\b/i, 'without success, rarely, again'],
  [/\b(?:that|which) (?:is|are) none\b/i, 'is not a …'],
  [/\bgo(?:es|ing)? on\b/i, 'continues'],
];

const tracked = (...patterns: string[]) =>
  execFileSync('git', ['ls-files', '-z', '--', ...patterns], { cwd: ROOT, encoding: 'utf8' })
    .split('\0')
    .filter((path) => path !== '');

const COMMENT = /\/\*[\s\S]*?\*\/|(?:^|[\s;{}(,])\/\/.*$/gm;
const TITLE =
  /\b(?:test|it|describe)(?:\.each\([\s\S]{0,2000}?\))?\(\s*(['"`])((?:\\.|(?!\1).)*)\1/g;
const CODE = /```[\s\S]*?```|`[^`]*`/g;

/** The prose of a file: comments of code, test titles, or text of pages. */
function proseOf(path: string, text: string) {
  if (path.endsWith('.md')) return text.replaceAll(CODE, ' ').split('\n');
  if (path.startsWith('src/')) return text.match(COMMENT) ?? [];
  return [...text.matchAll(TITLE)].map(([, , title = '']) => title);
}

test.each([
  ['comments of src', ['src/*.ts']],
  ['test titles', ['__tests__/*.test.ts']],
  ['guides', ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'docs/*.md']],
])('%s contain no phrase from the list of denied phrases', (_, patterns) => {
  const found = tracked(...patterns).flatMap((path) =>
    proseOf(path, readFileSync(join(ROOT, path), 'utf8')).flatMap((prose) =>
      DENIED.filter(([phrase]) => phrase.test(prose)).map(
        ([, better]) =>
          `${path}: ${prose.trim().replaceAll(/\s+/g, ' ').slice(0, 120)} → ${better}`,
      ),
    ),
  );
  expect(found).toEqual([]);
});
