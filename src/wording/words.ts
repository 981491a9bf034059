import { andMore } from '../text/amounts.ts';

/** A sentence, in which reports show names as code. `limit` is in characters. */
export type Words = readonly (string | { name: string; limit?: number })[];

export function plainWords(words: Words): string {
  return words.map((part) => (typeof part === 'string' ? part : part.name)).join('');
}

/** Ends each sentence with one full stop. */
export function joinSentences(sentences: readonly Words[]): Words {
  const ended = sentences.map((words) =>
    /[.!?…]$/.test(plainWords(words)) ? words : [...words, '.'],
  );
  return joinWords(ended, ' ');
}

export function joinWords(parts: readonly Words[], separator: string): Words {
  return parts.flatMap((part, index) => (index === 0 ? part : [separator, ...part]));
}

const MOST_NAMES = 3;

/** For example `a`, `b`, `c` and 2 more. Never says "1 more". */
export function firstOf(parts: readonly Words[], most: number = MOST_NAMES): Words {
  const shown = parts.length === most + 1 ? parts : parts.slice(0, most);
  const more = andMore(parts.length, shown.length);
  return more === '' ? joinWords(shown, ', ') : [...joinWords(shown, ', '), more];
}

export function namedIds(ids: readonly string[], most?: number): Words {
  return firstOf(
    ids.map((name) => [{ name }]),
    most,
  );
}
