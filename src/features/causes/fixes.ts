import type { ReferenceResult } from '../../kernel/result/reference-result.ts';
import type { Prompt } from '../../kernel/suite/suite.ts';
import { count } from '../../text/amounts.ts';
import type { ChangeUnit } from '../../trials/change-unit.ts';
import { splitFallen } from '../../trials/drafts.ts';
import { fixGate } from '../../trials/fix-gate.ts';
import type { AskTools } from '../../trials/grader-question.ts';
import type { Packet } from '../../trials/packet.ts';
import type { PromptChange } from '../../trials/prompt-units.ts';
import type { MakeTries } from '../../trials/tries.ts';
import { draftFixes, editOf, fileEdit, isText, isWhatRan, withEdit } from './fix.ts';
import type { Cause, Fix } from './result.ts';

/** Probability that a useless fix is accepted, for all candidates of a cause together. */
const LEVEL = 0.05;

export interface FixBench {
  change: PromptChange;
  /** First the references that got worse, then the stable ones. */
  references: readonly ReferenceResult[];
  fellCount: number;
  retestRate: number;
  make: MakeTries;
  lines(file: string): readonly string[] | null;
  /** Parses head's prompt as if its file had this text. */
  reread(file: string, text: string): Promise<Prompt | null>;
  grader: AskTools | null;
  packet(shown: readonly ReferenceResult[]): Packet;
  /** Why no further call is allowed. Null if calls are left. */
  ended(): string | null;
}

interface FixDraft {
  kind: Fix['kind'];
  /** Null removes the changed text. */
  text: string | null;
  edit: NonNullable<ReturnType<typeof editOf>>;
}

/** The edit must repair the references that the cause broke, and break no others. */
export async function fixOf(cause: Cause, bench: FixBench): Promise<Pick<Cause, 'fix' | 'no_fix'>> {
  const none = (no_fix: string): Pick<Cause, 'fix' | 'no_fix'> => ({ fix: null, no_fix });
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
  const wanted: Pick<FixDraft, 'kind' | 'text'>[] = [
    ...drafts.map((draft) => ({ kind: 'draft' as const, text: asWide(draft, unit) })),
    { kind: 'set back', text: unit.base_text },
  ];
  const candidates = await withEdits(wanted, unit, bench);
  let unjudged = false;
  for (const candidate of candidates) {
    const tested = candidate.kind === 'draft' ? withheld : fell;
    const level = LEVEL / candidates.length;
    const found = await gateOf(candidate, unit, bench, { tested, level });
    if (found === 'unjudged') unjudged = true;
    else if (found !== 'no better')
      return { fix: fixFrom(candidate, found, tested.length < fell.length) };
  }
  if (candidates.length === 0) return none(whyNoEdit(unit));
  return none(whyNoFix(candidates.length, bench.ended(), unjudged));
}

/**
 * A model drafts fixes only for lines of text, and only if stable references can reveal side
 * effects.
 */
function isDrafted(unit: ChangeUnit, { change, references, fellCount }: FixBench): boolean {
  const isLine = unit.kind === 'line' || unit.kind === 'sentence';
  return isLine && references.length > fellCount && change.revert(unit) === null;
}

function gateOf(
  candidate: FixDraft,
  unit: ChangeUnit,
  bench: FixBench,
  { tested, level }: { tested: readonly ReferenceResult[]; level: number },
): ReturnType<typeof fixGate> {
  const made = madeOf(candidate, unit, bench.change);
  return fixGate(
    {
      prompt: `fix ${candidate.text ?? ''}`,
      generation: (affected) => bench.change.generation(affected, ...made),
      // A reverted line is not new, because base already ran with it.
      isNew: candidate.kind === 'draft',
    },
    { ...bench, ...referenceNumbers(tested, bench) },
    level,
  );
}

function fixFrom(
  { kind, edit }: FixDraft,
  found: Exclude<Awaited<ReturnType<typeof fixGate>>, string>,
  isWithheld: boolean,
): Fix {
  return { kind, ...edit, ...found, ...(isWithheld ? { withheld: true } : {}) };
}

/** Drops a candidate if no edit of head's file gives exactly the tested prompt. */
async function withEdits(
  wanted: readonly Pick<FixDraft, 'kind' | 'text'>[],
  unit: ChangeUnit,
  bench: FixBench,
): Promise<FixDraft[]> {
  const { file } = unit.head;
  const lines = bench.lines(file) ?? [];
  const reverted = bench.change.revert(unit);
  if (reverted !== null) {
    const edit = fileEdit(unit, reverted, lines);
    return wanted.flatMap((draft) => (edit === null ? [] : [{ ...draft, edit }]));
  }
  const before = isText(unit) ? await bench.reread(file, lines.join('\n')) : null;
  const candidates: FixDraft[] = [];
  for (const draft of before === null ? [] : wanted) {
    const body = bench.change.body(...madeOf(draft, unit, bench.change));
    const edit = editOf(unit, draft.text, { head: bench.change.head, wanted: body }, lines);
    const text = edit === null ? null : withEdit(lines.join('\n'), edit);
    const after = text === null ? null : await bench.reread(file, text);
    if (edit !== null && before !== null && after !== null && isWhatRan(after, body, before))
      candidates.push({ ...draft, edit });
  }
  return candidates;
}

function madeOf(
  { kind, text }: Pick<FixDraft, 'kind' | 'text'>,
  own: ChangeUnit,
  { units }: PromptChange,
): Parameters<PromptChange['body']> {
  const unit = units.indexOf(own);
  const all = [...units.keys()];
  return kind === 'set back'
    ? [new Set(all.filter((other) => other !== unit))]
    : [new Set(all), { unit, text: text ?? '' }];
}

function whyNoEdit(unit: ChangeUnit): string {
  return isText(unit)
    ? 'no edit of the file gives exactly the prompt to try'
    : `fixes exist only for lines of text and code, and this is a ${unit.kind}`;
}

function whyNoFix(candidates: number, ended: string | null, unjudged: boolean): string {
  if (ended !== null) return ended;
  if (unjudged) return 'some tries of possible fixes were not judged';
  const ran =
    candidates === 1
      ? 'the only candidate that ran does not fix'
      : `of the ${count(candidates)} candidates that were tried, none fixes`;
  return `${ran} what broke without breaking other tests`;
}

function asWide(draft: string, { base_text, head_text }: ChangeUnit): string {
  const own = head_text ?? base_text ?? '';
  const start = own.length - own.trimStart().length;
  return `${own.slice(0, start)}${draft}${own.slice(own.trimEnd().length)}`;
}

function referenceNumbers(
  tested: readonly ReferenceResult[],
  { references, fellCount }: FixBench,
): { fell: number[]; stable: number[] } {
  return {
    fell: tested.map((reference) => references.indexOf(reference)),
    stable: [...references.keys()].slice(fellCount),
  };
}
