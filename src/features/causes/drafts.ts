import { z } from 'zod';
import type { ChangeUnit } from '../../trials/change-unit.ts';
import { isSafeLine } from '../../trials/drafts.ts';
import { type AskTools, askForJson } from '../../trials/grader-question.ts';
import { PACKET_TEXT, type Packet } from '../../trials/packet.ts';

const MOST_DRAFTS = 3;

/** In characters. A longer draft rewrites the prompt instead of fixing a line. */
const LONGEST_DRAFT = 600;

const draftReplySchema = z.object({
  drafts: z.array(z.string().describe('The line in other words.')).describe('The best first.'),
});

/** Drafts are untrusted, so each must be one visible line without new variables. */
export async function draftFixes(
  unit: ChangeUnit,
  packet: Packet,
  tools: AskTools,
): Promise<string[]> {
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
