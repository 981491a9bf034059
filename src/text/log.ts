import type { Conclusion } from '../types/plain.ts';
import { HIDDEN, visible } from './visible.ts';

/** Every line end that at least one log viewer recognises. */
const LINE_ENDS = /\r\n|[\r\n\v\f\u0085\u2028\u2029]/;

/** Escapes runner commands (`::name::` and `##[name]`). */
export function logText(text: string): string {
  return text
    .split(LINE_ENDS)
    .map((line) => `| ${logLine(line)}`)
    .join('\n');
}

/** Also escapes line ends, for use within our own log line. */
export function logLine(text: string): string {
  return visible(text)
    .replace(/\n/g, '\\u{a}')
    .replaceAll('##[', '##\\[')
    .replace(/:(?=:)/g, ':\\');
}

/** Escapes runner commands (`##[`) and hidden characters. */
export function logJson(value: unknown): string {
  return JSON.stringify(value, null, 1)
    .replaceAll('##[', '##\\u005b')
    .replace(HIDDEN, (character) =>
      Array.from(
        { length: character.length },
        (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`,
      ).join(''),
    );
}

const CONCLUSION_WORDS: Readonly<Record<Conclusion, string>> = {
  success: 'the gate passed',
  failure: 'the gate failed',
  neutral: 'not red',
  error: 'nothing was judged',
};

export function endLine(
  conclusion: Conclusion,
  why: string,
  meaning: string = CONCLUSION_WORDS[conclusion],
): string {
  return `evaldiff: ${conclusion} (${meaning}). ${why}`;
}
