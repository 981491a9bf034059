/** Counts under the two Flesch formulas; null when the text has no words. English only. */
function counts(text: string): { words: number; sentences: number; syllables: number } | null {
  const words = text.match(/[\p{L}\p{N}]+(?:['’][\p{L}]+)*/gu) ?? [];
  if (words.length === 0) return null;
  const sentences = text.split(/[.!?…]+/).filter((part) => /[\p{L}\p{N}]/u.test(part)).length;
  return {
    words: words.length,
    sentences,
    syllables: words.reduce((sum, word) => sum + syllablesIn(word), 0),
  };
}

/**
 * Vowel groups, without a silent final e; a heuristic that is off by one on some words, equally on
 * both sides of a comparison.
 */
export function syllablesIn(word: string): number {
  const plain = word.toLowerCase().replace(/['’]/g, '');
  const groups = plain.match(/[aeiouyäöüéèêáàâíóôú]+/g)?.length ?? 0;
  const silent =
    plain.length > 2 &&
    plain.endsWith('e') &&
    !/[aeiouy]e$/.test(plain) &&
    !/[^aeiouy]le$/.test(plain);
  return Math.max(1, groups - (silent ? 1 : 0));
}

/** 206.835 − 1.015 × words per sentence − 84.6 × syllables per word (Flesch, 1948). */
export function fleschReadingEase(text: string): number | null {
  const found = counts(text);
  if (found === null) return null;
  return 206.835 - 1.015 * (found.words / found.sentences) - 84.6 * (found.syllables / found.words);
}

/** 0.39 × words per sentence + 11.8 × syllables per word − 15.59 (Kincaid et al., 1975). */
export function fleschKincaidGrade(text: string): number | null {
  const found = counts(text);
  if (found === null) return null;
  return 0.39 * (found.words / found.sentences) + 11.8 * (found.syllables / found.words) - 15.59;
}
