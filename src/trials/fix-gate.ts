import { sideCounts } from '../kernel/result/counts.ts';
import type { ReferenceResult } from '../kernel/result/reference-result.ts';
import type { Generation, AffectedReference } from '../kernel/select/affected-suite.ts';
import { suiteTest } from '../kernel/statistics/suite-test.ts';
import type { Table } from '../kernel/statistics/table.ts';
import type { MakeTries } from './tries.ts';

const MAX_FIX_REFERENCES = 5;

/** Tries of a candidate on what fell, and on what held. */
const TRIES = { fallen: 10, held: 20 };

/** Fewest and most tries of one reference: the fewer fell, the more of each it takes to be sure. */
const TRIES_PER_REFERENCE = { least: 2, most: 5 };

/** References asked together: a draft that breaks one of them is not asked for the next ones. */
const TOGETHER = 10;

interface FixCandidate {
  prompt: string;
  generation(reference: AffectedReference): Generation;
  /** Its words are new, so they could break anything. */
  isNew: boolean;
}

interface FixTrial {
  /** The references of an experiment, in the order of their numbers. */
  references: readonly ReferenceResult[];
  /** Numbers of those that fell, and of those that passed every try on both sides. */
  fallen: readonly number[];
  held: readonly number[];
  make: MakeTries;
}

interface FixEffect {
  restores: { references: number; of: number };
  costs: { references: number; of: number };
  /** Tries of each reference that fell. */
  tries: number;
}

type Counts = Table['head'];

/**
 * Accepts a candidate that is better than head (`level`: chance of a false accept) and breaks no
 * reference that passes on both sides. New words are tried on all of these, others on a sample.
 */
export async function fixGate(
  candidate: FixCandidate,
  { references, fallen, held, make }: FixTrial,
  level: number,
): Promise<FixEffect | 'no better' | 'unjudged'> {
  const worse = fallen.slice(0, MAX_FIX_REFERENCES);
  const { least, most } = TRIES_PER_REFERENCE;
  const tries = Math.max(least, Math.min(most, Math.floor(TRIES.fallen / worse.length)));
  const passedBy = runner(candidate, make);
  const restored = await passedBy(worse, tries);
  if (restored.some((own) => own.tries < tries)) return 'unjudged';
  const tables = restored.map(({ reference, passes, tries: judged }): Table => ({
    base: sideCounts(references[reference]?.head ?? null),
    head: { passes, tries: judged },
  }));
  const better = tables.length > 0 && suiteTest(tables).midUp <= level;
  const whole = restored.filter(({ passes }) => passes === tries).length;
  if (!better || 2 * whole <= worse.length) return 'no better';
  const sampled = Math.floor(TRIES.held / tries);
  const sample = held.slice(0, sampled);
  const rest = candidate.isNew ? held.slice(sampled) : [];
  for (const [numbers, times] of [
    [sample, tries],
    ...chunks(rest).map((chunk) => [chunk, 1] as const),
  ] as const) {
    const own = await passedBy(numbers, times);
    if (own.some(({ tries: judged }) => judged < times)) return 'unjudged';
    if (own.some(({ passes }) => passes < times)) return 'no better';
  }
  return {
    restores: { references: whole, of: worse.length },
    costs: { references: 0, of: sample.length + rest.length },
    tries,
  };
}

function chunks(references: readonly number[]): number[][] {
  return Array.from({ length: Math.ceil(references.length / TOGETHER) }, (_, i) =>
    references.slice(i * TOGETHER, (i + 1) * TOGETHER),
  );
}

function runner(
  { prompt, generation }: FixCandidate,
  make: MakeTries,
): (references: readonly number[], tries: number) => Promise<(Counts & { reference: number })[]> {
  return async (references, tries) => {
    const draws = references.flatMap((reference) => Array.from({ length: tries }, () => reference));
    const passed = await make(draws.map((reference) => ({ reference, prompt, generation })));
    return references.map((reference) => {
      const own = passed.filter((outcome, i) => draws[i] === reference && outcome !== null);
      return { reference, passes: own.filter(Boolean).length, tries: own.length };
    });
  };
}
