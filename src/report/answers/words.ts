import { diffArrays } from 'diff';

/**
 * Matching pieces of both texts. Either can be empty. If `changed`, reports mark them as different.
 */
export interface Stretch {
  changed: boolean;
  base: string;
  head: string;
}

/** With more edits, nearly all text would be marked, so nothing is marked. */
const MAX_EDITS = 400;

const MAX_CHANGED = 0.75;

/** Matches words, numbers and blanks. Other characters, such as Chinese, match one by one. */
const TOKENS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}\p{N}_]+|\s+|[^]/gu;

export function wordRuns(base: string, head: string): Stretch[] | null {
  if (base === head) return [unchangedStretch(base)];
  const changes = diffArrays(tokens(base), tokens(head), { maxEditLength: MAX_EDITS });
  if (changes === undefined) return null;
  const runs = changes.map(({ value, added, removed }): Stretch => {
    const text = value.join('');
    return {
      changed: added || removed,
      base: added ? '' : text,
      head: removed ? '' : text,
    };
  });
  return changedShare(runs) > MAX_CHANGED ? null : runs;
}

export function unchangedStretch(base: string, head = base): Stretch {
  return { changed: false, base, head };
}

export function tokens(text: string): string[] {
  return text.match(TOKENS) ?? [];
}

function changedShare(runs: readonly Stretch[]): number {
  const length = (of: readonly Stretch[]) =>
    of.reduce((sum, { base, head }) => sum + base.length + head.length, 0);
  return length(runs.filter(({ changed }) => changed)) / Math.max(1, length(runs));
}
