import { z } from 'zod';
import type { ReferenceResult } from '../kernel/result/reference-result.ts';
import { count } from '../text/amounts.ts';
import { countSchema } from '../types/usage-totals.ts';
import { splitFallen } from './drafts.ts';
import type { Edit } from './fix-edit.ts';
import { fixGate, type FixTrial } from './fix-gate.ts';

export const fixSchema = z.strictObject({
  kind: z
    .enum(['set back', 'draft', 'test', 'shorter'])
    .describe(
      '`set back`: the cause is reverted. `draft`: new text from the grader model. `test`: a new ' +
        'test from it, which fails without an untested line. `shorter`: lines without an effect ' +
        'are removed.',
    ),
  file: z.string().describe('The file on head.'),
  lines: z
    .strictObject({
      from: countSchema.describe('First replaced line, from 1.'),
      to: countSchema.describe('Last replaced line.'),
    })
    .describe('The replaced text of head.'),
  replaced: z.string().describe('Those lines, unchanged.'),
  replacement: z.string().describe('The new lines; empty: none.'),
  restores: z
    .strictObject({
      references: countSchema.describe('References that pass again with the fix.'),
      of: countSchema.describe('References that got worse.'),
    })
    .describe('Effect of the fix on references that got worse; `test`: passes with the line.'),
  costs: z
    .strictObject({
      references: countSchema.describe(
        'References that pass less often with the fix than on base.',
      ),
      of: countSchema.describe(
        'References that passed every try on both sides and were run again.',
      ),
    })
    .describe(
      'Effect of the fix on references that passed on both sides; `test`: passes without the line.',
    ),
  tries: countSchema.describe('Tries of each reference that got worse.'),
  withheld: z
    .literal(true)
    .describe('The model that wrote the fix did not see the references that pass again.')
    .exactOptional(),
  loss: z
    .number()
    .min(0)
    .max(1)
    .describe('`shorter`: the most that the pass rate may have fallen, with 95 % confidence.')
    .exactOptional(),
});

export type Fix = z.infer<typeof fixSchema>;

/** `no_fix`: why there is no fix, as a clause. */
export interface FixFound {
  fix?: Fix | null;
  no_fix?: string;
}

export interface FixCandidate extends Pick<Parameters<typeof fixGate>[0], 'prompt' | 'generation'> {
  kind: Fix['kind'];
  edit: Edit;
}

interface ProofBench extends Pick<FixTrial, 'references' | 'retestRate' | 'make'> {
  fell: readonly ReferenceResult[];
  stable: readonly ReferenceResult[];
  varying?: readonly ReferenceResult[];
  /** Why no further call is allowed. Null if calls are left. */
  ended(): string | null;
}

/**
 * Tries the candidates in order. `level`: probability of accepting a useless one, for all together.
 */
export async function provenFix(
  candidates: readonly FixCandidate[],
  { references, fell, stable, varying = [], ended, ...tools }: ProofBench,
  level: number,
): Promise<FixFound> {
  const numbersOf = (some: readonly ReferenceResult[]) =>
    some.map((reference) => references.indexOf(reference));
  let unjudged = false;
  for (const { kind, edit, ...tried } of candidates) {
    const tested = kind === 'draft' ? splitFallen(fell).withheld : fell;
    const found = await fixGate(
      // A reverted line is not new, because base already ran with it.
      { ...tried, isNew: kind === 'draft' },
      {
        ...{ ...tools, references, fell: numbersOf(tested) },
        ...{ stable: numbersOf(stable), varying: numbersOf(varying) },
      },
      level / candidates.length,
    );
    if (found === 'unjudged') unjudged = true;
    else if (found !== 'no better') {
      const isHalf = tested.length < fell.length;
      return { fix: { kind, ...edit, ...found, ...(isHalf ? { withheld: true } : {}) } };
    }
  }
  return { fix: null, no_fix: whyNoFix(candidates.length, ended(), unjudged) };
}

export const UNJUDGED_FIXES = 'some tries of possible fixes were not judged';

function whyNoFix(candidates: number, ended: string | null, unjudged: boolean): string {
  if (ended !== null) return ended;
  if (unjudged) return UNJUDGED_FIXES;
  const ran =
    candidates === 1
      ? 'the only candidate that ran does not fix'
      : `of the ${count(candidates)} candidates that were tried, none fixes`;
  return `${ran} what broke without breaking other tests`;
}
