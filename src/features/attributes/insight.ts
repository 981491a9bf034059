import { z } from 'zod';
import type { Prompt, PromptMessage } from '../../kernel/suite/suite.ts';
import { percent, percentage, counted, pointsBetween } from '../../text/amounts.ts';
import { isSafeLine } from '../../trials/drafts.ts';
import { askForJson, singleLine, type AskTools } from '../../trials/grader-question.ts';
import { PACKET_TEXT, type Packet } from '../../trials/packet.ts';
import type { ReferenceGroup } from '../../types/reference-group.ts';
import { KIND_WORDS, attributeWords } from './explained-suites.ts';
import type { AttributeResult } from './result.ts';

/** The model's proposals for an attribute are tried until one passes. */
const MOST_PROPOSALS = 2;

const WHY_LENGTH = 400;

/** In characters. A longer addition rewrites the prompt instead of fixing it. */
const MOST_ADDED = 300;

/** How much a stated figure may be rounded, in percentage points. */
const ROUNDING = 0.5;

const proposalSchema = z.object({
  before_percent: z.number().describe('Pass rate of the attribute before the change.'),
  after_percent: z.number().describe('Pass rate of the attribute after the change.'),
  why: z
    .string()
    .describe('One sentence without figures: what the answers lack, and which words are to blame.'),
  was: z.string().describe('Words of one line of the prompt after the change, copied exactly.'),
  becomes: z.string().describe('The words that replace them, on one line.'),
});

const insightReplySchema = z.object({ insights: z.array(proposalSchema) });

export interface ProposedInsight {
  why: string;
  messages: PromptMessage[];
  /** `message`: the prompt message's index. `was`, `becomes`: the changed line before and after. */
  change: { message: number; line: number; was: string; becomes: string };
}

interface Proposals {
  insights: ProposedInsight[];
  faults: string[];
}

/** The model is untrusted, so proposals with wrong pass rates are dropped. */
export async function proposeInsights(
  attribute: AttributeResult,
  packet: Packet,
  messages: Prompt['messages'],
  tools: AskTools,
): Promise<Proposals> {
  const asked = await askForJson(
    {
      purpose: 'insight',
      name: 'insights',
      reply: insightReplySchema,
      role: 'You find out why a change of a prompt made one kind of test case worse.',
      materials: { ...packet.materials, attribute: rateSentence(attribute) },
      text: [
        PACKET_TEXT,
        'Explain this kind of test cases:\n{{attribute}}',
        `Write at most ${String(MOST_PROPOSALS)} insights, the best first. Each states the two ` +
          'pass rates of that kind, says why they fell, and changes one line of the prompt so ' +
          'that these cases pass again and no other case gets worse. Use general words: no case ' +
          `may be named or answered. A change adds at most ${String(MOST_ADDED)} characters and ` +
          'no variable.',
      ].join('\n'),
    },
    tools,
  );
  if (asked.status === 'failed')
    return { insights: [], faults: [`no insight was written: ${asked.reason}`] };
  const found: Proposals = { insights: [], faults: [] };
  for (const written of asked.reply.insights.slice(0, MOST_PROPOSALS)) {
    const why = singleLine(written.why, WHY_LENGTH);
    const changed = replaceOnce(messages, written.was, written.becomes);
    const fault =
      figureFault(written, attribute) ??
      wordsFault(why, attribute) ??
      (typeof changed === 'string' ? changed : null) ??
      (packet.quotes(`${why} ${written.becomes}`) ? 'it quotes a test' : null);
    if (fault !== null || typeof changed === 'string')
      found.faults.push(`an insight was dropped: ${fault ?? ''}`);
    else found.insights.push({ why, ...changed });
  }
  return found;
}

function figureFault(
  { before_percent, after_percent }: z.output<typeof proposalSchema>,
  { name, base, head }: AttributeResult,
): string | null {
  const isRight = (stated: number, share: number | null): boolean =>
    share !== null && Math.abs(stated - percentage(share)) <= ROUNDING;
  return isRight(before_percent, base) && isRight(after_percent, head)
    ? null
    : `it does not state the pass rates of ${singleLine(name, 60)}`;
}

/** Rejects the model's own figures and claims of success, because only evaldiff may state them. */
function wordsFault(why: string, { name }: AttributeResult): string | null {
  if (why === '') return 'it says nothing';
  const words = why.replaceAll(name, ' ');
  const [stated] = /\p{N}+(?:[.,]\p{N}+)*/u.exec(words) ?? DIRECTION.exec(words) ?? [];
  return stated === undefined ? null : `it states ${JSON.stringify(stated)} itself`;
}

const DIRECTION = new RegExp(
  [
    String.raw`\b(?:rose|rises|increase[ds]|climbed|gained|grew|improve[ds]|recovered`,
    String.raw`approved?|merge[ds]?|passes|(?:got|gets|is|are|became|performs?) (?:better|fine|safe))\b`,
  ].join('|'),
  'iu',
);

function replaceOnce(
  messages: Prompt['messages'],
  was: string,
  becomes: string,
): Omit<ProposedInsight, 'why'> | string {
  const places = messages.flatMap(({ content, parts }, message) =>
    was.trim() === '' || parts !== undefined
      ? []
      : content
          .split(was)
          .slice(1)
          .map(() => message),
  );
  const [message] = places;
  const own = message === undefined ? undefined : messages[message];
  if (message === undefined || own === undefined || places.length > 1 || was.includes('\n'))
    return 'it changes words that do not occur exactly once in the prompt';
  const content = own.content.replace(was, () => becomes);
  const line = own.content.slice(0, own.content.indexOf(was)).split('\n').length - 1;
  const [before = '', after = ''] = [own.content, content].map((text) => text.split('\n')[line]);
  const isSafe =
    becomes !== was &&
    becomes.length <= was.length + MOST_ADDED &&
    !becomes.includes('\n') &&
    isSafeLine(after, [own.content]);
  return isSafe
    ? {
        messages: messages.map((each, i) => (i === message ? { ...each, content } : each)),
        change: { message, line, was: before, becomes: after },
      }
    : 'its change is longer than allowed, adds a variable or has invisible characters';
}

function rateSentence(attribute: AttributeResult): string {
  const { name, kind, verdict, difference } = attribute;
  const what = difference === null ? '' : ` ${verdict}`;
  return `${name} (${KIND_WORDS[kind]})${what}: ${rateWords(attribute)}.`;
}

export function referenceGroup(attribute: AttributeResult): ReferenceGroup {
  const { id, verdict, references, ratings = [] } = attribute;
  const reasons = new Map(ratings.map(({ reference, evidence }) => [reference, evidence]));
  return {
    id,
    words: `${id}: ${rateSentence(attribute)}`,
    isWorse: verdict === 'regressed',
    members: references.map((member) => ({ id: member, reason: reasons.get(member) ?? '' })),
  };
}

export function insightText(
  attribute: AttributeResult,
  { why, recovers, stable }: { why: string; recovers: StatedCounts; stable: number },
): string {
  const gain =
    `The change recovers ${String(recovers.references)} of ${String(recovers.of)} in ` +
    `${attribute.name}, no loss found in ${counted(stable, 'other test')}.`;
  return `${rateSentence(attribute)} ${why} ${gain}`;
}

interface StatedCounts {
  references: number;
  of: number;
}

export function rateWords(attribute: AttributeResult): string {
  const { n, base, head, difference, values } = attribute;
  const over = `over ${counted(n, 'test')}`;
  if (values?.tested) return `${attributeWords(attribute)} ${over}`;
  if (difference === null) return `pass rate ${percent(head ?? base)} ${over}`;
  return `pass rate ${percent(base)} → ${percent(head)} (${pointsBetween(base, head)}) ${over}`;
}
