import type { Result } from '../../kernel/result/result.ts';
import { COMMENT_LIMIT } from '../../report/comment.ts';
import { markdownOf } from '../../report/markdown.ts';
import { paragraph, type Links } from '../../report/sections/document.ts';
import type { SuggestedEdit } from '../../report/sections/feature-report.ts';
import { fence } from '../../text/markdown.ts';
import { visible } from '../../text/visible.ts';
import { fixLine } from '../../trials/fix-lines.ts';
import type { Fix } from '../../trials/fix.ts';
import type { ChangedFile } from '../../types/repository.ts';
import { causeLine } from './cause-lines.ts';
import type { Cause, SuiteCauses } from './result.ts';

const MAX_SUGGESTIONS = 10;

interface Proven {
  suite: SuiteCauses;
  cause: Cause;
  fix: Fix;
}

/**
 * Makes one suggestion per place in changed files. Skips edits with invisible characters, because
 * maintainers must see what they apply.
 */
export function suggestions(
  { causes = [], trust }: Result,
  changed: readonly ChangedFile[],
  { root, marker, links }: { root: string; marker: string; links: Links },
): SuggestedEdit[] {
  if (trust === 'untrusted') return [];
  const files = new Set(changed.flatMap(({ path, deleted }) => (deleted ? [] : [path])));
  const places = new Map<string, Proven[]>();
  for (const suite of causes)
    for (const cause of suite.causes) {
      const { fix } = cause;
      if (!fix || !files.has(fix.file) || visible(fix.replacement) !== fix.replacement) continue;
      const place = JSON.stringify([fix.file, fix.lines]);
      places.set(place, [...(places.get(place) ?? []), { suite, cause, fix }]);
    }
  return [...places.values()]
    .flatMap((all): SuggestedEdit[] => {
      const [first] = all;
      if (first === undefined) return [];
      const { file, lines } = first.fix;
      const body = `${marker}\n${suggestionBody(all, links)}\n`;
      return [{ path: `${root}${file}`, startLine: lines.from, endLine: lines.to, body }];
    })
    .filter(({ body }) => body.length <= COMMENT_LIMIT)
    .slice(0, MAX_SUGGESTIONS);
}

function suggestionBody(all: readonly Proven[], links: Links): string {
  const texts = [...new Set(all.map(({ fix }) => fix.replacement))];
  return texts
    .flatMap((replacement) => {
      const own = all.filter(({ fix }) => fix.replacement === replacement);
      return [
        ...own.map(({ suite, fix }) => paragraph(fixLine(fix, suite.suite))),
        replacement,
        ...own.map(({ suite, cause }) => paragraph(causeLine(cause, suite, []), 'small')),
      ];
    })
    .map((part) =>
      typeof part === 'string' ? fence(part, 'suggestion') : markdownOf([part], links),
    )
    .join('\n\n');
}
