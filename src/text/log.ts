import type { Conclusion } from '../types/plain.ts';
import { HIDDEN, visible } from './visible.ts';

/** Everything that some reader of a log takes for the end of a line. */
const LINE_ENDS = /\r\n|[\r\n\v\f\u0085\u2028\u2029]/;

/**
 * Foreign text for the job log or a terminal. The log is an interpreter: the runner obeys
 * `::name::` at the start of a line and `##[name]` anywhere in it, and splits lines at a lone
 * carriage return. So each line is prefixed with `| `, hidden characters are shown, and both
 * openings are broken with a backslash, also where a caller puts text in front.
 */
export function logText(text: string): string {
  return text
    .split(LINE_ENDS)
    .map((line) => `| ${logLine(line)}`)
    .join('\n');
}

/**
 * Foreign text inside a line of the log that we begin ourselves: no prefix, and line ends are shown
 * as escapes.
 */
export function logLine(text: string): string {
  return visible(text)
    .replace(/\n/g, '\\u{a}')
    .replaceAll('##[', '##\\[')
    .replace(/:(?=:)/g, ':\\');
}

/**
 * A value as JSON that the runner finds no command in (inside a line only `##[` is one) and in
 * which nothing hides or turns the text around it. Escapes of both are the same JSON.
 */
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

const MEANINGS: Readonly<Record<Conclusion, string>> = {
  success: 'the gate passed',
  failure: 'the gate failed',
  neutral: 'not red',
  error: 'nothing was judged',
};

/** The last line of every run: how it ended, what that means, and why. */
export function endLine(
  conclusion: Conclusion,
  why: string,
  meaning: string = MEANINGS[conclusion],
): string {
  return `evaldiff: ${conclusion} (${meaning}). ${why}`;
}
