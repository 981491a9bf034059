import { z } from 'zod';
import type { SuiteSide } from '../kernel/select/affected-suite.ts';
import { createGeneration, withScript } from '../kernel/select/generation.ts';
import type { Prompt } from '../kernel/suite/suite.ts';
import { isSafeLine } from './drafts.ts';
import { exactEdit, type HeadFiles } from './fix-edit.ts';
import type { FixCandidate } from './fix.ts';
import { askForJson, type AskTools } from './grader-question.ts';
import { PACKET_TEXT, type Packet } from './packet.ts';
import { linePlaces } from './unit-places.ts';

const MOST_PROPOSALS = 2;

/** In characters. A longer addition rewrites the prompt instead of fixing it. */
const MOST_ADDED = 300;

const proposalSchema = z.object({
  was: z.string().describe('Words of one line of the prompt after the change, copied exactly.'),
  becomes: z.string().describe('The words that replace them, on one line.'),
});

const proposalReplySchema = z.object({ insights: z.array(proposalSchema) });

/** `about`: what to explain, with `{{name}}` for its materials. */
export interface ProposalQuestion {
  name: string;
  role: string;
  about: string;
  materials: Readonly<Record<string, string>>;
}

interface ProposalPrompt {
  side: SuiteSide;
  files: HeadFiles;
}

/**
 * A model's changes of one line each that could repair the tests that got worse. `why`: why there
 * are none.
 */
export async function proposedFixes(
  { name, role, about, materials }: ProposalQuestion,
  packet: Packet,
  prompt: ProposalPrompt,
  tools: AskTools,
): Promise<{ candidates: FixCandidate[]; why: string }> {
  const asked = await askForJson(
    {
      purpose: 'fix',
      name,
      reply: proposalReplySchema,
      role,
      materials: { ...packet.materials, ...materials },
      text: [
        PACKET_TEXT,
        about,
        `Write at most ${MOST_PROPOSALS} insights, the best first. Each changes one line ` +
          'of the prompt so that these cases pass again and no other case gets worse. Use general ' +
          'words: no case may be named or answered. A change adds at most ' +
          `${MOST_ADDED} characters and no variable.`,
      ].join('\n'),
    },
    tools,
  );
  if (asked.status === 'failed') return { candidates: [], why: asked.reason };
  const candidates: FixCandidate[] = [];
  for (const proposal of asked.reply.insights.slice(0, MOST_PROPOSALS)) {
    const own = packet.quotes(proposal.becomes) ? null : await candidateOf(proposal, prompt);
    if (own !== null) candidates.push(own);
  }
  return { candidates, why: 'no written change can be tried' };
}

/** Whether the prompt has messages that no code generates. */
export function isWritten(side: SuiteSide | null): side is SuiteSide {
  const { code, made } = side?.suite.prompt ?? {};
  return code === null && made === undefined;
}

type ProposedChange = z.output<typeof proposalSchema>;

/** Null if the words do not occur exactly once, or if the new ones are unsafe or too long. */
function replaceOnce(messages: Prompt['messages'], { was, becomes }: ProposedChange) {
  if (was.trim() === '' || was.includes('\n')) return null;
  const places = messages.flatMap((message) =>
    message.parts === undefined
      ? message.content
          .split(was)
          .slice(1)
          .map(() => message)
      : [],
  );
  const [message] = places;
  if (message === undefined || places.length > 1) return null;
  const content = message.content.replace(was, () => becomes);
  const line = message.content.slice(0, message.content.indexOf(was)).split('\n').length - 1;
  const isSafe =
    becomes !== was &&
    becomes.length <= was.length + MOST_ADDED &&
    !becomes.includes('\n') &&
    isSafeLine(content.split('\n')[line] ?? '', [message.content]);
  const { written: _, ...plain } = message;
  const changed = messages.map((each) => (each === message ? { ...plain, content } : each));
  return isSafe ? { messages: changed, message, line } : null;
}

async function candidateOf(
  proposal: ProposedChange,
  {
    side: {
      suite: { prompt, tests },
      variant,
    },
    files,
  }: ProposalPrompt,
): Promise<FixCandidate | null> {
  const replaced = replaceOnce(prompt.messages, proposal);
  if (replaced === null) return null;
  const { messages, message, line } = replaced;
  const { was, becomes } = proposal;
  const { file, line: start } = message.place;
  const lines = await files.lines(file);
  const at = linePlaces(lines, start, message.content)[line]?.from ?? 0;
  const from = at > 0 ? at : start;
  const passage = {
    kind: 'line' as const,
    side: 'head' as const,
    head: { file },
    lines: { from, to: from },
    head_text: was,
  };
  const changed = { ...prompt, messages };
  const edit = await exactEdit(passage, becomes, { head: prompt, wanted: changed }, files);
  if (edit === null) return null;
  return {
    kind: 'draft',
    edit,
    prompt: `insight ${was} → ${becomes}`,
    generation: ({ reference }) =>
      withScript(createGeneration(changed, variant, reference), tests, reference),
  };
}
