import { z } from 'zod';
import type { ReferenceResult } from '../../kernel/result/reference-result.ts';
import type { SuiteSide } from '../../kernel/select/affected-suite.ts';
import type { ChangeUnit } from '../../trials/change-unit.ts';
import { isSafeLine, splitFallen } from '../../trials/drafts.ts';
import { exactEdit, fileEdit, isText, type HeadFiles } from '../../trials/fix-edit.ts';
import { provenFix, type FixCandidate, type FixFound } from '../../trials/fix.ts';
import { askForJson, type AskTools } from '../../trials/grader-question.ts';
import { PACKET_TEXT, type Packet } from '../../trials/packet.ts';
import type { PromptChange } from '../../trials/prompt-units.ts';
import { proposedFixes, writtenMessages } from '../../trials/proposals.ts';
import type { MakeTries } from '../../trials/tries.ts';
import type { Cause } from './result.ts';

/** Probability that a useless fix is accepted, for all candidates of a cause together. */
const LEVEL = 0.05;

export interface FixBench extends HeadFiles {
  change: PromptChange;
  side: SuiteSide | null;
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

/** The edit must repair the references that the cause broke, and break no others. */
export async function fixOf(cause: Cause, bench: FixBench): Promise<FixFound> {
  const none = (no_fix: string): FixFound => ({ fix: null, no_fix });
  const [unit] = cause.units;
  if (unit === undefined || cause.relation === 'either')
    return none('each of several changes has this effect alone, so editing one is not enough');
  const ids = new Set(cause.references.map(({ id }) => id));
  const fell = bench.references.filter(({ id }) => ids.has(id));
  const drafts =
    bench.grader === null || !isDrafted(unit, bench)
      ? []
      : await draftFixes(unit, bench.packet(splitFallen(fell).shown), bench.grader);
  const candidates: FixCandidate[] = [];
  for (const draft of [...drafts, null]) {
    const candidate = await candidateOf(draft, unit, bench);
    if (candidate !== null) candidates.push(candidate);
  }
  const isOtherModel = unit.kind === 'model' || unit.kind === 'provider';
  if (isOtherModel && candidates.length === 0)
    candidates.push(...(await fixesForModel(unit, bench, splitFallen(fell).shown)));
  if (candidates.length === 0)
    return none(
      isText(unit)
        ? 'no edit of the file gives exactly the prompt to try'
        : `fixes exist only for lines of text and code, and this is a ${unit.kind}`,
    );
  const stable = bench.references.slice(bench.fellCount);
  return provenFix(candidates, { ...bench, fell, stable }, LEVEL);
}

/** Changes of the prompt that could help another model. */
async function fixesForModel(
  { base_text, head_text }: ChangeUnit,
  { grader, side, packet, ...files }: FixBench,
  shown: readonly ReferenceResult[],
): Promise<FixCandidate[]> {
  const messages = writtenMessages(side);
  if (grader === null || side === null || messages === null) return [];
  const question = {
    name: 'insights',
    role: 'You adapt a prompt to the model that answers it from now on.',
    about: 'The model changed from {{before}} to {{after}}. Explain what got worse.',
    materials: { before: base_text ?? '', after: head_text ?? '' },
  };
  const prompt = { side, messages, files };
  return (await proposedFixes(question, packet(shown), prompt, grader)).candidates;
}

/**
 * A model drafts fixes only for lines of text, and only if stable references can reveal side
 * effects.
 */
function isDrafted(unit: ChangeUnit, { change, references, fellCount }: FixBench): boolean {
  const isLine = unit.kind === 'line' || unit.kind === 'sentence';
  return isLine && references.length > fellCount && change.revert(unit) === null;
}

/**
 * The unit with a model's words, or set back if the draft is null. Null if no edit of head's file
 * gives exactly the tested prompt.
 */
async function candidateOf(
  draft: string | null,
  unit: ChangeUnit,
  bench: FixBench,
): Promise<FixCandidate | null> {
  const { change } = bench;
  const all = [...change.units.keys()];
  const text = draft === null ? unit.base_text : asWide(draft, unit);
  const made: Parameters<PromptChange['body']> =
    draft === null
      ? [new Set(all.filter((other) => change.units[other] !== unit))]
      : [new Set(all), { unit: change.units.indexOf(unit), text: text ?? '' }];
  const reverted = change.revert(unit);
  const edit =
    reverted === null
      ? await exactEdit(unit, text, { head: change.head, wanted: change.body(...made) }, bench)
      : fileEdit(unit.head.file, reverted, await bench.lines(unit.head.file));
  return (
    edit && {
      kind: draft === null ? 'set back' : 'draft',
      edit,
      prompt: `fix ${text ?? ''}`,
      generation: (affected) => change.generation(affected, ...made),
    }
  );
}

function asWide(draft: string, { base_text, head_text }: ChangeUnit): string {
  const own = head_text ?? base_text ?? '';
  const start = own.length - own.trimStart().length;
  return `${own.slice(0, start)}${draft}${own.slice(own.trimEnd().length)}`;
}

const MOST_DRAFTS = 3;

/** In characters. A longer draft rewrites the prompt instead of fixing a line. */
const LONGEST_DRAFT = 600;

const draftReplySchema = z.object({
  drafts: z.array(z.string().describe('The line in other words.')).describe('The best first.'),
});

/** Drafts are untrusted, so each must be one visible line without new variables. */
async function draftFixes(unit: ChangeUnit, packet: Packet, tools: AskTools): Promise<string[]> {
  const known = [unit.base_text ?? '', unit.head_text ?? ''];
  const asked = await askForJson(
    {
      purpose: 'fix',
      name: 'fix',
      reply: draftReplySchema,
      role: 'You fix one line of a prompt that a change made worse.',
      materials: { ...packet.materials, before: known[0] ?? '', after: known[1] ?? '' },
      text: [
        PACKET_TEXT,
        'By experiment, this line of the prompt is the cause. Before the change it was this ' +
          '(empty: it was not there):\n{{before}}',
        'The change made it this (empty: it was taken out):\n{{after}}',
        `Write at most ${MOST_DRAFTS} new wordings of that line. Each keeps what the ` +
          'change wanted and brings back what the cases that got worse need, in general words: no ' +
          'case may be named or answered in it. One line each, at most ' +
          `${LONGEST_DRAFT} characters, in the language of the line.`,
      ].join('\n'),
    },
    tools,
  );
  if (asked.status === 'failed') return [];
  const drafts = asked.reply.drafts
    .map((draft) => draft.trim())
    .filter(
      (draft) =>
        draft.length <= LONGEST_DRAFT &&
        !known.includes(draft) &&
        isSafeLine(draft, known) &&
        !packet.quotes(draft),
    );
  return [...new Set(drafts)].slice(0, MOST_DRAFTS);
}
