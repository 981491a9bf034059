import { sideCounts } from '../kernel/result/counts.ts';
import type { ReferenceResult } from '../kernel/result/reference-result.ts';
import type { Generation, AffectedReference } from '../kernel/select/affected-suite.ts';
import { suiteTest } from '../kernel/statistics/suite-test.ts';
import type { Counts } from '../kernel/statistics/table.ts';
import type { MakeTries } from './tries.ts';

const MAX_FIX_REFERENCES = 5;

const TRIES = { fell: 10, stable: 20 };

const TRIES_PER_REFERENCE = { least: 2, most: 5 };

const RESTORED_SHARE = 0.8;

/** How many references are tried at once. If a draft breaks one, no more are tried. */
const CHUNK_SIZE = 10;

const ROUNDS = 2;

/**
 * If a stable reference fails, it gets `first` more tries, and if it fails again, `then` more. With
 * `failures` failed tries, it is broken.
 */
const AFTER_FAILURE = { first: 3, then: 4, failures: 3 };

/**
 * A test that passes in some tries is broken if it then passes less than half as often as before.
 * `first` tries must suggest it, and `then` more confirm it.
 */
const VARYING_TRIES = { first: 4, then: 8 };

/**
 * In standard deviations. If failures exceed the expected number by more than this, the draft made
 * all stable references a little worse.
 */
const MAX_DEVIATIONS = 2.6;

interface TriedFix {
  prompt: string;
  generation(reference: AffectedReference): Generation;
  isNew: boolean;
}

export interface FixTrial {
  /** The other lists contain indices into this list. */
  references: readonly ReferenceResult[];
  fell: readonly number[];
  stable: readonly number[];
  /** Tests of head that pass in some of their tries. */
  varying: readonly number[];
  retestRate: number;
  make: MakeTries;
}

interface FixEffect {
  restores: { references: number; of: number };
  costs: { references: number; of: number };
  tries: number;
}

/**
 * Accepts a fix that beats head and breaks no stable reference. `level`: probability of accepting a
 * fix that is no better. Only fixes with new words are tried on all stable references.
 */
export async function fixGate(
  candidate: TriedFix,
  { references, fell, stable, varying, retestRate, make }: FixTrial,
  level: number,
): Promise<FixEffect | 'no better' | 'unjudged'> {
  const worse = fell.slice(0, MAX_FIX_REFERENCES);
  const { least, most } = TRIES_PER_REFERENCE;
  const tries = Math.max(least, Math.min(most, Math.floor(TRIES.fell / worse.length)));
  const passedBy = runner(candidate, make);
  const isBetter = (restored: readonly Restored[]) =>
    restored.length > 0 &&
    suiteTest(
      restored.map(({ reference, passes, tries }) => ({
        base: sideCounts(references[reference]?.head ?? null),
        head: { passes, tries },
      })),
    ).midUp <= level;
  const whole = await countRestored(worse, { candidate, tries, passedBy, isBetter });
  if (typeof whole === 'string') return whole;
  const asked = candidate.isNew ? stable : stable.slice(0, Math.floor(TRIES.stable / tries));
  const kept = await staysStable(asked, passedBy, {
    rounds: candidate.isNew ? ROUNDS : tries,
    retestRate,
  });
  if (kept !== 'kept') return kept === 'broken' ? 'no better' : kept;
  const halved = await anyHalved(varying, references, passedBy);
  if (halved !== false) return halved === null ? 'unjudged' : 'no better';
  return {
    restores: { references: whole, of: worse.length },
    costs: { references: 0, of: asked.length + varying.length },
    tries,
  };
}

type Restored = Counts & { reference: number };

function isRestored({ passes, tries }: Counts): boolean {
  return passes >= RESTORED_SHARE * tries;
}

async function countRestored(
  worse: readonly number[],
  {
    candidate: { isNew },
    tries,
    passedBy,
    isBetter,
  }: {
    candidate: TriedFix;
    tries: number;
    passedBy: PassedBy;
    isBetter(restored: readonly Restored[]): boolean;
  },
): Promise<number | 'no better' | 'unjudged'> {
  const restored = await passedBy(worse, tries);
  if (restored.some((own) => own.tries < tries)) return 'unjudged';
  const failing = restored.filter((own) => !isRestored(own)).map(({ reference }) => reference);
  if (!isBetter(restored) || (!isNew && 2 * failing.length >= worse.length)) return 'no better';
  if (!isNew) return worse.length - failing.length;
  const broken = await anyBreaks(failing, passedBy);
  return broken === null ? 'unjudged' : broken ? 'no better' : worse.length;
}

async function staysStable(
  stable: readonly number[],
  passedBy: PassedBy,
  { rounds, retestRate }: { rounds: number; retestRate: number },
): Promise<'kept' | 'broken' | 'unjudged'> {
  const expected = rounds * stable.length * (1 - retestRate);
  const most = expected + MAX_DEVIATIONS * Math.sqrt(Math.max(1, expected));
  let lost = 0;
  for (const chunk of Array.from({ length: rounds }, () => chunks(stable)).flat()) {
    const own = await passedBy(chunk, 1);
    if (own.some(({ tries }) => tries < 1)) return 'unjudged';
    const failed = own.flatMap(({ reference, passes }) => (passes === 0 ? [reference] : []));
    lost += failed.length;
    const broken = await anyBreaks(failed, passedBy);
    if (broken === null) return 'unjudged';
    if (broken || lost > most) return 'broken';
  }
  return 'kept';
}

async function anyHalved(
  varying: readonly number[],
  references: FixTrial['references'],
  passedBy: PassedBy,
): Promise<boolean | null> {
  const { first, then } = VARYING_TRIES;
  const isHalved = ({ reference, passes, tries }: Restored) => {
    const usual = sideCounts(references[reference]?.head ?? null);
    return 2 * passes * usual.tries < usual.passes * tries;
  };
  const tried = await passedBy(varying, first);
  const doubted = tried.filter(isHalved);
  const again = await passedBy(
    doubted.map(({ reference }) => reference),
    then,
  );
  if (tried.some(({ tries }) => tries < first) || again.some(({ tries }) => tries < then))
    return null;
  return doubted.some(({ passes, ...own }, at) =>
    isHalved({ ...own, passes: passes + (again[at]?.passes ?? 0), tries: first + then }),
  );
}

async function anyBreaks(failed: readonly number[], passedBy: PassedBy): Promise<boolean | null> {
  const found = await Promise.all(failed.map((reference) => breaks(reference, passedBy)));
  return found.includes(null) ? null : found.includes(true);
}

async function breaks(reference: number, passedBy: PassedBy): Promise<boolean | null> {
  const failures = async (count: number) => {
    const [own] = await passedBy([reference], count);
    return own === undefined || own.tries < count ? null : count - own.passes;
  };
  const first = await failures(AFTER_FAILURE.first);
  if (first === null || first === 0) return first === null ? null : false;
  if (first === AFTER_FAILURE.first) return true;
  const then = await failures(AFTER_FAILURE.then);
  return then === null ? null : 1 + first + then >= AFTER_FAILURE.failures;
}

type PassedBy = ReturnType<typeof runner>;

function chunks(references: readonly number[]): number[][] {
  return Array.from({ length: Math.ceil(references.length / CHUNK_SIZE) }, (_, i) =>
    references.slice(i * CHUNK_SIZE, (i + 1) * CHUNK_SIZE),
  );
}

function runner(
  { prompt, generation }: TriedFix,
  make: MakeTries,
): (references: readonly number[], tries: number) => Promise<Restored[]> {
  return async (references, tries) => {
    const draws = references.flatMap((reference) => Array.from({ length: tries }, () => reference));
    const passed = await make(draws.map((reference) => ({ reference, prompt, generation })));
    return references.map((reference) => {
      const own = passed.filter((outcome, i) => draws[i] === reference && outcome !== null);
      return { reference, passes: own.filter(Boolean).length, tries: own.length };
    });
  };
}
