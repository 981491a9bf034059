import { z } from 'zod';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import type { Prompt, PromptMessage } from '../../kernel/suite/suite.ts';
import { NAME_LIMIT } from '../../report/sections/document.ts';
import { wilson } from '../../report/sections/intervals.ts';
import { percent, counted, pointsBetween } from '../../text/amounts.ts';
import { shorten } from '../../text/visible.ts';
import { isSafeLine } from '../../trials/drafts.ts';
import { askForJson, type AskTools } from '../../trials/grader-question.ts';
import { PACKET_TEXT, type Packet } from '../../trials/packet.ts';
import type { ReferenceGroup } from '../../types/reference-group.ts';
import { KIND_WORDS, attributeWords } from './explained-suites.ts';
import { suiteAttributes, type AttributeResult, type Insight } from './result.ts';
import { FEWEST_UNITS } from './verdicts.ts';

/** The model's proposals for an attribute are tried until one passes. */
const MOST_PROPOSALS = 2;

/** In characters. A longer addition rewrites the prompt instead of fixing it. */
const MOST_ADDED = 300;

const proposalSchema = z.object({
  was: z.string().describe('Words of one line of the prompt after the change, copied exactly.'),
  becomes: z.string().describe('The words that replace them, on one line.'),
});

const insightReplySchema = z.object({ insights: z.array(proposalSchema) });

export interface ProposedChange {
  was: string;
  becomes: string;
  messages: PromptMessage[];
  message: PromptMessage;
  /** Number of the changed line in the message, from 0. */
  line: number;
}

/** Returns why there are none if the model does not answer. */
export async function proposeChanges(
  attribute: AttributeResult,
  packet: Packet,
  messages: Prompt['messages'],
  tools: AskTools,
): Promise<ProposedChange[] | string> {
  const asked = await askForJson(
    {
      purpose: 'fix',
      name: 'insights',
      reply: insightReplySchema,
      role: 'You find out why a change of a prompt made one kind of test case worse.',
      materials: { ...packet.materials, attribute: rateSentence(attribute) },
      text: [
        PACKET_TEXT,
        'Explain this kind of test cases:\n{{attribute}}',
        `Write at most ${MOST_PROPOSALS} insights, the best first. Each changes one line ` +
          'of the prompt so that these cases pass again and no other case gets worse. Use general ' +
          'words: no case may be named or answered. A change adds at most ' +
          `${MOST_ADDED} characters and no variable.`,
      ].join('\n'),
    },
    tools,
  );
  if (asked.status === 'failed') return asked.reason;
  return asked.reply.insights
    .slice(0, MOST_PROPOSALS)
    .filter(({ becomes }) => !packet.quotes(becomes))
    .flatMap((written) => replaceOnce(messages, written) ?? []);
}

/** Null if the words do not occur exactly once, or if the new ones are unsafe or too long. */
function replaceOnce(
  messages: Prompt['messages'],
  { was, becomes }: z.output<typeof proposalSchema>,
): ProposedChange | null {
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
  return isSafe ? { was, becomes, messages: changed, message, line } : null;
}

export function rateSentence(attribute: AttributeResult): string {
  const { name, kind, verdict, difference } = attribute;
  const what = difference === null ? '' : ` ${verdict}`;
  return `${shorten(name, NAME_LIMIT)} (${KIND_WORDS[kind]})${what}: ${rateWords(attribute)}.`;
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

export function rateWords(attribute: AttributeResult): string {
  const { n, base, head, difference, values } = attribute;
  const over = `over ${counted(n, 'test')}`;
  if (values?.tested) return `${attributeWords(attribute)} ${over}`;
  if (difference === null) return `pass rate ${percent(head ?? base)} ${over}`;
  return `pass rate ${percent(base)} → ${percent(head)} (${pointsBetween(base, head)}) ${over}`;
}

/** Of a suite. */
const MOST_WEAK = 3;

/** The attributes that pass less often than their suite, beyond chance, the weakest first. */
export function weakInsights(
  suite: SuiteResult,
  attributes: readonly AttributeResult[],
): Insight[] {
  const { path, name, variant, pass_rate, references } = suite;
  return suiteAttributes(suite, attributes)
    .filter(({ head, n }) => {
      const range = head === null ? null : wilson({ passes: head * n, tries: n });
      return n >= FEWEST_UNITS && range !== null && range.high < (pass_rate.head ?? 0);
    })
    .sort((a, b) => (a.head ?? 0) - (b.head ?? 0))
    .slice(0, MOST_WEAK)
    .map(({ id, references: own }) => ({
      ...{ path, suite: name, variant, attribute: id, fix: null },
      references: references.flatMap((each) =>
        each.status === 'fail' && own.includes(each.id) ? [each.id] : [],
      ),
    }));
}
