import { z } from 'zod';
import { pathsOf, readTemplate, variableOf } from '../config/imports/templates.ts';
import type { CauseUnit } from '../result/causes.ts';
import type { ReferenceResult, SideResult } from '../result/reference-result.ts';
import { placeholders } from '../suite/template.ts';
import { HIDDEN, shorten } from '../text/visible.ts';
import { ask, type AskTools } from './ask.ts';

/** Drafts that are asked for. */
const MOST_DRAFTS = 3;

/** A longer draft rewrites the prompt rather than fixes its line, in characters. */
const LONGEST_DRAFT = 600;

/** References that a draft is shown, and characters of each answer. */
const SHOWN = { references: 4, characters: 800 };

const written = z.object({
  drafts: z.array(z.string().describe('The line in other words.')).describe('The best first.'),
});

/**
 * Other words for a line that broke references, by the model that grades: they should keep what
 * the change is for, and lose what it broke. What it writes is foreign text: one line, of characters
 * that are seen, with no variable that the line did not have.
 */
export async function draftFixes(
  unit: CauseUnit,
  references: readonly ReferenceResult[],
  tools: AskTools,
): Promise<string[]> {
  const asked = await ask(
    {
      purpose: 'insight',
      name: 'fix',
      reply: written,
      role: 'You fix one line of a prompt that a change made worse.',
      materials: {
        before: unit.base_text ?? '',
        after: unit.head_text ?? '',
        failing: JSON.stringify(references.slice(0, SHOWN.references).map(exampleOf), null, 1),
      },
      text: [
        'A line of a prompt was this before the change (empty: it was not there):\n{{before}}',
        'The change made it this (empty: it was taken out):\n{{after}}',
        'With the change these test cases fail, which passed before it:\n{{failing}}',
        `Write at most ${String(MOST_DRAFTS)} new wordings of that line. Each keeps what the change wanted and brings back what the failing cases need, in general words: no case may be named or answered in it. One line each, at most ${String(LONGEST_DRAFT)} characters, in the language of the line.`,
      ].join('\n'),
    },
    tools,
  );
  if (asked.status === 'failed') return [];
  const drafts = asked.reply.drafts.map((draft) => draft.trim()).filter((one) => isSafe(one, unit));
  return [...new Set(drafts)].slice(0, MOST_DRAFTS);
}

/**
 * Whether a draft may stand in a prompt file, whichever tool's it is: where that is a template, what
 * stands in its braces would be filled in, or run.
 */
function isSafe(draft: string, { base_text, head_text }: CauseUnit): boolean {
  const known = new Set(
    [base_text, head_text].flatMap((text) => placeholders(text ?? '').map(({ name }) => name)),
  );
  return (
    draft !== '' &&
    draft.length <= LONGEST_DRAFT &&
    !/[\r\n\u2028\u2029]/.test(draft) &&
    !new RegExp(HIDDEN.source, HIDDEN.flags.replace('g', '')).test(draft) &&
    draft !== base_text &&
    draft !== head_text &&
    placeholders(draft).every(({ name }) => known.has(name)) &&
    hasOnlyKnownTags(draft, [base_text, head_text])
  );
}

/** Whether what stands in double braces are variables of the line, as other tools write these. */
function hasOnlyKnownTags(draft: string, line: readonly (string | null)[]): boolean {
  const namesIn = (text: string): string[] | null => {
    const template = readTemplate(text);
    const isOpen =
      template.ok && template.parts.some((part) => 'text' in part && part.text.includes('{{'));
    return template.ok && !isOpen ? pathsOf(template).map(variableOf) : null;
  };
  const known = line.flatMap((text) => namesIn(text ?? '') ?? []);
  return namesIn(draft)?.every((name) => known.includes(name)) ?? false;
}

function exampleOf({ input, expected, base, head }: ReferenceResult) {
  return { input, expected, answer_before: answerOf(base), answer_now: answerOf(head) };
}

function answerOf(side: SideResult | null): string | null {
  const answer = side?.tries.find(({ actual }) => actual !== null)?.actual ?? null;
  return answer === null ? null : shorten(answer, SHOWN.characters);
}
