import type { Result } from '../kernel/result/result.ts';
import { fence } from '../text/markdown.ts';
import { visible } from '../text/visible.ts';
import type { ChangedFile } from '../types/repository.ts';
import { COMMENT_LIMIT } from './comment.ts';
import { markdownOf } from './markdown.ts';
import { paragraph, type Links } from './sections/document.ts';
import { proposalsIn, type TestedProposal, type Reports } from './sections/feature-report.ts';
import { fixLine } from './sections/fixes.ts';

const MAX_SUGGESTIONS = 10;

interface SuggestedEdit {
  /** Relative to the repository's root. */
  path: string;
  startLine: number;
  endLine: number;
  body: string;
}

/**
 * Edits that a reviewer can apply with one click: one per place in changed files. Skips edits with
 * invisible characters, because maintainers must see what they apply.
 */
export function suggestedEdits(
  result: Result,
  reports: Reports,
  changed: readonly ChangedFile[],
  { root, marker, links }: { root: string; marker: string; links: Links },
): SuggestedEdit[] {
  if (result.trust === 'untrusted') return [];
  const files = new Set(changed.flatMap(({ path, deleted }) => (deleted ? [] : [path])));
  const shown = proposalsIn(result, reports).filter(
    ({ fix: { file, replacement } }) => files.has(file) && visible(replacement) === replacement,
  );
  const places = Map.groupBy(shown, ({ fix: { file, lines } }) => JSON.stringify([file, lines]));
  return [...places.values()]
    .flatMap((all) =>
      all.slice(0, 1).map(({ fix: { file, lines } }) => ({
        path: `${root}${file}`,
        startLine: lines.from,
        endLine: lines.to,
        body: `${marker}\n${suggestionBody(all, links)}\n`,
      })),
    )
    .filter(({ body }) => body.length <= COMMENT_LIMIT)
    .slice(0, MAX_SUGGESTIONS);
}

function suggestionBody(all: readonly TestedProposal[], links: Links): string {
  return [...Map.groupBy(all, ({ fix }) => fix.replacement)]
    .flatMap(([replacement, own]) => [
      ...own.map(({ suite, fix }) => paragraph(fixLine(fix, suite.name))),
      replacement,
      ...own.map(({ why }) => paragraph(why, 'small')),
    ])
    .map((part) =>
      typeof part === 'string' ? fence(part, 'suggestion') : markdownOf([part], links),
    )
    .join('\n\n');
}
