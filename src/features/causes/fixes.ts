import type { ReferenceResult } from '../../kernel/result/reference-result.ts';
import type { ChangeUnit } from '../../trials/change-unit.ts';
import { splitFallen } from '../../trials/drafts.ts';
import { editOf, exactEdit, fileEdit, isText, type HeadFiles } from '../../trials/fix-edit.ts';
import { provenFix, type Fix, type FixCandidate, type FixFound } from '../../trials/fix.ts';
import type { AskTools } from '../../trials/grader-question.ts';
import type { Packet } from '../../trials/packet.ts';
import type { PromptChange } from '../../trials/prompt-units.ts';
import type { MakeTries } from '../../trials/tries.ts';
import { draftFixes } from './drafts.ts';
import type { Cause } from './result.ts';

/** Probability that a useless fix is accepted, for all candidates of a cause together. */
const LEVEL = 0.05;

export interface FixBench extends HeadFiles {
  change: PromptChange;
  /** First the references that got worse, then the stable ones. */
  references: readonly ReferenceResult[];
  fellCount: number;
  retestRate: number;
  make: MakeTries;
  grader: AskTools | null;
  packet(shown: readonly ReferenceResult[]): Packet;
  /** Why no further call is allowed. Null if calls are left. */
  ended(): string | null;
}

interface Rewording {
  kind: Fix['kind'];
  /** Null removes the changed text. */
  text: string | null;
}

/** The edit must repair the references that the cause broke, and break no others. */
export async function fixOf(cause: Cause, bench: FixBench): Promise<FixFound> {
  const none = (no_fix: string): FixFound => ({ fix: null, no_fix });
  const [unit] = cause.units;
  if (unit === undefined || cause.relation === 'either')
    return none('each of several changes has this effect alone, so editing one is not enough');
  const ids = new Set(cause.references.map(({ id }) => id));
  const fell = bench.references.filter(({ id }) => ids.has(id));
  const { shown, withheld } = splitFallen(fell);
  const drafts =
    bench.grader === null || !isDrafted(unit, bench)
      ? []
      : await draftFixes(unit, bench.packet(shown), bench.grader);
  const wanted: Rewording[] = [
    ...drafts.map((draft) => ({ kind: 'draft' as const, text: asWide(draft, unit) })),
    { kind: 'set back', text: unit.base_text },
  ];
  const candidates = await withEdits(wanted, unit, bench);
  if (candidates.length === 0)
    return none(
      isText(unit)
        ? 'no edit of the file gives exactly the prompt to try'
        : `fixes exist only for lines of text and code, and this is a ${unit.kind}`,
    );
  const trialOf = (kind: Fix['kind']): ReturnType<Parameters<typeof provenFix>[1]> => {
    const tested = kind === 'draft' ? withheld : fell;
    const trial = { ...bench, ...referenceNumbers(tested, bench) };
    return tested.length < fell.length ? { ...trial, withheld: true } : trial;
  };
  return provenFix(candidates, trialOf, { level: LEVEL, ended: bench.ended });
}

/**
 * A model drafts fixes only for lines of text, and only if stable references can reveal side
 * effects.
 */
function isDrafted(unit: ChangeUnit, { change, references, fellCount }: FixBench): boolean {
  const isLine = unit.kind === 'line' || unit.kind === 'sentence';
  return isLine && references.length > fellCount && change.revert(unit) === null;
}

/** Drops a candidate if no edit of head's file gives exactly the tested prompt. */
async function withEdits(
  wanted: readonly Rewording[],
  unit: ChangeUnit,
  bench: FixBench,
): Promise<FixCandidate[]> {
  const lines = bench.lines(unit.head.file) ?? [];
  const { change } = bench;
  const reverted = change.revert(unit);
  const candidates: FixCandidate[] = [];
  for (const draft of wanted) {
    const made = madeOf(draft, unit, change);
    const body = reverted === null ? change.body(...made) : null;
    const edit =
      reverted !== null
        ? fileEdit(unit, reverted, lines)
        : body === null
          ? null
          : await exactEdit(
              editOf(unit, draft.text, { head: change.head, wanted: body }, lines),
              body,
              bench,
            );
    if (edit !== null)
      candidates.push({
        kind: draft.kind,
        edit,
        prompt: `fix ${draft.text ?? ''}`,
        generation: (affected) => change.generation(affected, ...made),
      });
  }
  return candidates;
}

function madeOf(
  { kind, text }: Rewording,
  own: ChangeUnit,
  { units }: PromptChange,
): Parameters<PromptChange['body']> {
  const unit = units.indexOf(own);
  const all = [...units.keys()];
  return kind === 'set back'
    ? [new Set(all.filter((other) => other !== unit))]
    : [new Set(all), { unit, text: text ?? '' }];
}

function asWide(draft: string, { base_text, head_text }: ChangeUnit): string {
  const own = head_text ?? base_text ?? '';
  const start = own.length - own.trimStart().length;
  return `${own.slice(0, start)}${draft}${own.slice(own.trimEnd().length)}`;
}

function referenceNumbers(tested: readonly ReferenceResult[], { references, fellCount }: FixBench) {
  return {
    fell: tested.map((reference) => references.indexOf(reference)),
    stable: [...references.keys()].slice(fellCount),
  };
}
