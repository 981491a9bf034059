import { diffArrays } from 'diff';

/** A piece of both texts. If `changed` is false, it is equal, or one side has no text. */
export interface Stretch {
  changed: boolean;
  base: string;
  head: string;
}

/** With more edits, nearly everything would be marked, so nothing is marked. */
const MAX_EDITS = 400;

/** If a larger share of the characters changed, nothing is marked. */
const MAX_CHANGED = 0.75;

/** Matches words, numbers and blanks. Other characters, such as Chinese, match one by one. */
const TOKENS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}\p{N}_]+|\s+|[^]/gu;

/** Marks the words that differ. Null if so many differ that marks would not help. */
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
  const length = (of: readonly Stretch[]): number =>
    of.reduce((sum, { base, head }) => sum + base.length + head.length, 0);
  return length(runs.filter(({ changed }) => changed)) / Math.max(1, length(runs));
}
