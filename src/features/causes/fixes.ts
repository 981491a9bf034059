import type { ReferenceResult } from '../../kernel/result/reference-result.ts';
import type { SuiteSide } from '../../kernel/select/affected-suite.ts';
import type { ChangeUnit } from '../../trials/change-unit.ts';
import { splitFallen } from '../../trials/drafts.ts';
import { exactEdit, fileEdit, isText, type HeadFiles } from '../../trials/fix-edit.ts';
import { provenFix, type FixCandidate, type FixFound } from '../../trials/fix.ts';
import type { AskTools } from '../../trials/grader-question.ts';
import type { Packet } from '../../trials/packet.ts';
import type { PromptChange } from '../../trials/prompt-units.ts';
import { isWritten, proposedFixes, type ProposalQuestion } from '../../trials/proposals.ts';
import type { MakeTries } from '../../trials/tries.ts';
import type { Cause } from './result.ts';

/** Probability that a useless fix is accepted, for all candidates of a cause together. */
const LEVEL = 0.05;

export interface FixBench extends HeadFiles {
  change: PromptChange;
  side: SuiteSide | null;
  /** First the references that got worse, then the stable ones. */
  references: readonly ReferenceResult[];
  fell: readonly ReferenceResult[];
  stable: readonly ReferenceResult[];
  retestRate: number;
  make: MakeTries;
  grader: AskTools | null;
  packet(shown: readonly ReferenceResult[]): Packet;
  /** Why no further call is allowed. Null if calls are left. */
  ended(): string | null;
}

/** The edit must repair the references that the cause broke, and break no others. */
export async function fixOf(cause: Cause, bench: FixBench): Promise<FixFound> {
  const none = (no_fix: string): FixFound => ({ fix: null, no_fix });
  const [unit] = cause.units;
  if (unit === undefined || cause.relation === 'either')
    return none('each of several changes has this effect alone, so editing one is not enough');
  const ids = new Set(cause.references.map(({ id }) => id));
  const fell = bench.fell.filter(({ id }) => ids.has(id));
  const old = await setBack(unit, bench);
  const drafts = await draftedFixes(unit, splitFallen(fell).shown, bench);
  const others = drafts.filter(({ edit }) => edit.replacement !== old?.edit.replacement);
  const candidates = [...others, ...(old === null ? [] : [old])];
  if (candidates.length === 0)
    return none(
      isText(unit)
        ? 'no edit of the file gives exactly the prompt to try'
        : `fixes exist only for lines of text and code, and this is a ${unit.kind}`,
    );
  return provenFix(candidates, { ...bench, fell }, LEVEL);
}

async function draftedFixes(
  unit: ChangeUnit,
  shown: readonly ReferenceResult[],
  bench: FixBench,
): Promise<FixCandidate[]> {
  const { grader, side, packet, ...files } = bench;
  const question = questionOf(unit, bench);
  if (grader === null || !isWritten(side) || question === null) return [];
  return (await proposedFixes(question, packet(shown), { side, files }, grader)).candidates;
}

/**
 * A model drafts fixes for another model, and for lines of text if stable references can reveal
 * side effects.
 */
function questionOf(unit: ChangeUnit, { change, stable }: FixBench): ProposalQuestion | null {
  const { kind, base_text, head_text } = unit;
  const materials = { before: base_text ?? '', after: head_text ?? '' };
  if (kind === 'model' || kind === 'provider')
    return {
      name: 'insights',
      role: 'You adapt a prompt to the model that answers it from now on.',
      about: 'The model changed from {{before}} to {{after}}. Explain what got worse.',
      materials,
    };
  const isLine = kind === 'line' || kind === 'sentence';
  if (!isLine || stable.length === 0 || change.revert(unit) !== null) return null;
  return {
    name: 'fix',
    role: 'You fix one line of a prompt that a change made worse.',
    about:
      'By experiment, this line of the prompt is the cause. Before the change it was this (empty: ' +
      'it was not there):\n{{before}}\nThe change made it this (empty: it was taken out):\n' +
      '{{after}}\nKeep what the change wanted, and bring back what the cases that got worse need.',
    materials,
  };
}

/** Null if no edit of head's file gives exactly the prompt without the unit. */
async function setBack(unit: ChangeUnit, bench: FixBench): Promise<FixCandidate | null> {
  const { change } = bench;
  const chosen = new Set([...change.units.keys()].filter((at) => change.units[at] !== unit));
  const reverted = change.revert(unit);
  const prompts = { head: change.head, wanted: change.body(chosen) };
  const edit =
    reverted === null
      ? await exactEdit(unit, unit.base_text, prompts, bench)
      : fileEdit(unit.head.file, reverted, await bench.lines(unit.head.file));
  return (
    edit && {
      kind: 'set back',
      edit,
      prompt: `fix ${unit.base_text ?? ''}`,
      generation: (affected) => change.generation(affected, chosen),
    }
  );
}
