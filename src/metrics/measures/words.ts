/**
 * One token per character for scripts written without blanks, else runs of letters, digits and
 * marks.
 */
const WORD =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]|[[\p{L}\p{N}\p{M}]--[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]]+/gv;

/**
 * Lower-case words as ROUGE counts them: on ASCII text exactly the tokens of Google's `rouge_score`
 * without stemming (runs of `a-z0-9`), and beyond ASCII every letter counts, where that tool drops
 * it.
 */
export function rougeWords(text: string): string[] {
  return text.normalize('NFC').toLowerCase().match(WORD) ?? [];
}

/** SQuAD's answer normalisation: lower case, no punctuation, no English articles, single blanks. */
export function squadWords(text: string): string[] {
  const plain = text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\p{P}\p{S}]/gu, '');
  return plain
    .split(/\s+/)
    .filter((word) => word !== '' && word !== 'a' && word !== 'an' && word !== 'the');
}

/**
 * ASCII symbols that mteval-v13a always sets apart: all but apostrophe, comma, full stop and
 * hyphen.
 */
const SYMBOL = /[{|}~[\\\]^_`!"#$%&()*+:;<=>?@/]/g;

/**
 * Words and symbols as the NIST script mteval-v13a cuts them, which is sacreBLEU's default (`13a`).
 */
export function mtevalWords(text: string): string[] {
  const plain = unescaped(
    text.replaceAll('<skipped>', '').replaceAll('-\n', '').replaceAll('\n', ' '),
  );
  const apart = ` ${plain} `
    .replace(SYMBOL, ' $& ')
    .replace(/([^0-9])([.,])/g, '$1 $2 ')
    .replace(/([.,])([^0-9])/g, ' $1 $2')
    .replace(/([0-9])(-)/g, '$1 $2 ');
  return apart.split(/\s+/).filter((word) => word !== '');
}

function unescaped(text: string): string {
  return text.includes('&')
    ? text
        .replaceAll('&quot;', '"')
        .replaceAll('&amp;', '&')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
    : text;
}
