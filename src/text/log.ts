import type { Conclusion } from '../types/plain.ts';
import { HIDDEN, visible } from './visible.ts';

/** Includes line ends that only some log viewers recognise. */
const LINE_ENDS = /\r\n|[\r\n\v\f\u0085\u2028\u2029]/;

/**
 * Commands to GitHub's runner have the form `::name::` or `##[name]`. Text must not contain them.
 */
export function logText(text: string): string {
  return text
    .split(LINE_ENDS)
    .map((line) => `| ${logLine(line)}`)
    .join('\n');
}

/** For text inside one of evaldiff's log lines: also escapes line ends. */
export function logLine(text: string): string {
  return visible(text)
    .replace(/\n/g, '\\u{a}')
    .replaceAll('##[', '##\\[')
    .replace(/:(?=:)/g, ':\\');
}

export function logJson(value: unknown, indent = 1): string {
  return JSON.stringify(value, null, indent)
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
