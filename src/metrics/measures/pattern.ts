import { RE2JS, RE2JSException } from 're2js';
import { toSafePattern } from './javascript-pattern.ts';

interface PatternFlags {
  ignore_case: boolean;
  multiline: boolean;
  dot_all: boolean;
  /** Whose pattern it is; absent: RE2's own. */
  syntax?: 're2' | 'javascript';
}

/**
 * What the engine leaves out on purpose, because it cannot be matched in linear time (or is spelled
 * otherwise).
 */
const unsupported = [
  '(?=',
  '(?!',
  '(?<=',
  '(?<!',
  '(?>',
  '(?(',
  '(?R',
  '\\k',
  '\\Z',
  '\\1',
  '\\2',
  '\\3',
  '\\4',
  '\\5',
  '\\6',
  '\\7',
  '\\8',
  '\\9',
  '*+',
  '++',
  '?+',
  '}+',
];

/**
 * A pattern ready to match in time linear in the text, or one line that says what is wrong with it.
 */
export function compilePattern(written: string, flags: PatternFlags): RE2JS | string {
  const pattern = flags.syntax === 'javascript' ? toSafePattern(written) : written;
  if (pattern === null) {
    const feature = unsupportedFeature(written);
    return `the pattern uses ${feature ?? 'something'}, which the safe engine does not have`;
  }
  const bits =
    (flags.ignore_case ? RE2JS.CASE_INSENSITIVE : 0) |
    (flags.multiline ? RE2JS.MULTILINE : 0) |
    (flags.dot_all ? RE2JS.DOTALL : 0);
  try {
    return RE2JS.compile(pattern, bits);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const feature = unsupportedFeature(pattern);
    if (feature !== null) return `the pattern uses ${feature}, which the safe engine does not have`;
    return `the pattern is not valid: ${error.message.replace(/^error parsing regexp: /, '')}`;
  }
}

/**
 * The first feature of a refused pattern that other engines have; escaped characters and classes
 * are passed over.
 */
function unsupportedFeature(pattern: string): string | null {
  let inClass = false;
  for (let i = 0; i < pattern.length; i++) {
    const found = inClass
      ? undefined
      : unsupported.find((feature) => pattern.startsWith(feature, i));
    if (found !== undefined) return found;
    if (pattern[i] === '\\') i++;
    else if (pattern[i] === '[') inClass = true;
    else if (pattern[i] === ']') inClass = false;
  }
  return null;
}
