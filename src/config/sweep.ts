import { problem } from '../errors.ts';
import type { Notice, Place, Problem, Settings, Suite } from '../types.ts';
import { isKnownParameter, KNOWN_PARAMETERS } from './parameters.ts';
import { nearest } from './suggest.ts';

/**
 * What is swept, by key: the values of the settings' `sweep` and of overrides with several values.
 */
type Sweep = Settings['sweep'];

/**
 * `2 × 3 = 6 combinations`: how large the product is, said before anything runs; null where nothing
 * is swept.
 */
export function sweepSize(sweep: Sweep): { combinations: number; words: string } | null {
  const keys = Object.entries(sweep);
  if (keys.length === 0) return null;
  const combinations = keys.reduce((product, [, values]) => product * values.length, 1);
  const factors = keys.map(([key, values]) => `${String(values.length)} ${key}`).join(' × ');
  return {
    combinations,
    words: `${factors} = ${combinations.toLocaleString('en-US')} ${combinations === 1 ? 'combination' : 'combinations'}`,
  };
}

/**
 * A sweep that is too large, or over a key that neither a prompt has nor a vendor knows, or that
 * has a value twice: it would send the same request many times.
 */
export function sweepProblems(
  sweep: Sweep,
  suites: readonly Suite[],
  limit: number,
  placeOf: (key: string) => Place | null,
): Problem[] {
  const used = new Set(suites.flatMap(({ prompt }) => Object.keys(prompt.parameters)));
  const unknown = Object.keys(sweep).filter(
    (key) => key !== 'model' && !used.has(key) && !isKnownParameter(key),
  );
  const problems = unknown.map((key) =>
    problem(
      placeOf(key),
      `sweep over "${key.slice(0, 100)}": no prompt has this key, and no vendor takes it${meant(key, ['model', ...used, ...KNOWN_PARAMETERS])}`,
    ),
  );
  for (const [key, values] of Object.entries(sweep)) {
    const repeated = values.find((value, index) => values.indexOf(value) < index);
    if (repeated !== undefined)
      problems.push(
        problem(
          placeOf(key),
          `sweep over "${key.slice(0, 100)}": the value ${JSON.stringify(repeated).slice(0, 100)} is there more than once; each would ask the same again`,
        ),
      );
  }
  const size = sweepSize(sweep);
  const [first = ''] = Object.keys(sweep);
  if (size !== null && size.combinations > limit)
    problems.push(
      problem(
        placeOf(first),
        `the sweep has ${size.words}; the limit is ${limit.toLocaleString('en-US')}. Sweep fewer values at a time`,
      ),
    );
  return problems;
}

function meant(key: string, known: readonly string[]): string {
  const near = nearest(key, known);
  return near === null ? '' : `; did you mean "${near}"?`;
}

/** The size in a notice, where more than one variant runs. */
export function sweepNotice(sweep: Sweep, suites: readonly Suite[]): Notice[] {
  const size = sweepSize(sweep);
  if (size === null || size.combinations < 2 || suites.length === 0) return [];
  const prompts = suites.length === 1 ? '1 prompt' : `${String(suites.length)} prompts`;
  return [{ kind: 'settings', place: null, message: `sweep: ${size.words}, each for ${prompts}` }];
}
