import { problem } from '../../errors.ts';
import type { NoiseResult, Problem, Result } from '../../types.ts';
import { readNoiseValue } from './noise-result.ts';
import { readResultValue } from './result.ts';

/** A file that a run or a measurement left behind. */
export type Saved =
  | { kind: 'result'; result: Result }
  | { kind: 'noise'; noise: NoiseResult }
  | { kind: 'unreadable'; problems: Problem[] };

/**
 * Reads a `result.json` or a `noise.json`, told apart by what is in them; the file's name says
 * nothing.
 */
export function readSaved(file: string, text: string): Saved {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return {
      kind: 'unreadable',
      problems: [
        problem(
          { file, line: 0 },
          'is not JSON; give the result.json that a run wrote, or the noise.json of a measurement',
        ),
      ],
    };
  }
  if (value !== null && typeof value === 'object' && 'noise_version' in value) {
    const { noise, problems } = readNoiseValue(file, value);
    return noise === null ? { kind: 'unreadable', problems } : { kind: 'noise', noise };
  }
  const { result, problems } = readResultValue(file, value);
  return result === null ? { kind: 'unreadable', problems } : { kind: 'result', result };
}
