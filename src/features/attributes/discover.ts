import { z } from 'zod';
import { createRandom, shuffle } from '../../kernel/statistics/random.ts';
import { firstWords } from '../../text/amounts.ts';
import {
  askForJson,
  singleLine,
  type AskTools,
  type GraderReply,
} from '../../trials/grader-question.ts';
import { CHUNK, GROUP, PER_GROUP, SHRINK } from './cost.ts';
import {
  EXPLANATION_LENGTH,
  KINDS,
  NAME_LENGTH,
  attributeLimit,
  foldName,
  referenceText,
  type Attribute,
  type ReferenceText,
  withIds,
} from './text.ts';

/** In characters, for each reference. A prompt contains five references. */
const MAX_REFERENCE_CHARS = 8_000;

interface DiscoverySettings {
  most: number;
  seed: number;
  /** Base's prompt, so that a pull request cannot affect the attributes. */
  prompt: string;
}

export interface Discovery {
  attributes: Attribute[];
  task: string | null;
  failures: Failures;
  /** Attributes that were cut because the model's list stayed too long. */
  dropped: string[];
}

/** `reason`: of the first question that failed. */
interface Failures {
  failed: number;
  asked: number;
  reason: string | null;
}

export function discoveryNotes({
  attributes,
  failures: { failed, asked, reason },
  dropped,
}: Discovery): string[] {
  return [
    ...(failed === 0
      ? []
      : [
          `attributes are based on only part of the references: ${failed} of ${asked} ` +
            `questions about them failed (${reason ?? 'no reply'})`,
        ]),
    ...(dropped.length === 0
      ? []
      : [`too many attributes were found; left out: ${firstWords(dropped, 5)}`]),
    ...(attributes.length === 0 && failed === 0
      ? ['no attributes were found in the references']
      : []),
  ];
}

interface AttributeCandidate {
  name: string;
  explanation: string;
  support: number;
}

/** Asks a model for the attributes of groups of references, then merges them in rounds. */
export async function discover(
  references: readonly ReferenceText[],
  options: DiscoverySettings,
  tools: AskTools,
): Promise<Discovery> {
  const texts = [
    ...new Set(references.map((reference) => referenceText(reference, MAX_REFERENCE_CHARS))),
  ].sort();
  const shuffled = shuffle(texts, createRandom(`attributes ${options.seed}`));
  const groups = Array.from({ length: Math.ceil(shuffled.length / GROUP) }, (_, group) =>
    shuffled.slice(group * GROUP, (group + 1) * GROUP),
  );
  const replies = await Promise.all(groups.map((group) => propose(group, options.prompt, tools)));
  const failures: Failures = { failed: 0, asked: 0, reason: null };
  countFailures(replies, failures);
  const limit = attributeLimit(references.length, options.most);
  const tasks = replies.map((reply) =>
    reply.status === 'ok' ? singleLine(reply.reply.task, EXPLANATION_LENGTH) : '',
  );
  const task = tasks.find((words) => words !== '') ?? null;
  const kinds = await Promise.all(
    KINDS.map(async ({ kind, key }) => {
      const found = candidatesOf(
        replies.map((reply) => (reply.status === 'ok' ? reply.reply[key] : [])),
      );
      const merging = { kind, task, limit, groups: groups.length, failures };
      return { kind, ...(await shrink(found, merging, tools)) };
    }),
  );
  const named = kinds.flatMap(({ kind, kept }) =>
    kept.map(({ name, explanation }) => ({ kind, name, explanation })),
  );
  const dropped = kinds.flatMap((own) => own.dropped);
  return { attributes: withIds(named), task, failures, dropped };
}

const proposal = z.object({
  name: z.string().describe('Two to five words.'),
  explanation: z.string().describe('One sentence.'),
});

const proposals = z.object({
  task: z.string().describe('What the application does, in one sentence.'),
  domains: z.array(proposal),
  subtasks: z.array(proposal),
});

type Proposal = z.output<typeof proposal>;

function propose(
  group: readonly string[],
  prompt: string,
  tools: AskTools,
): Promise<GraderReply<z.output<typeof proposals>>> {
  const examples = Object.fromEntries(group.map((text, index) => [`example ${index + 1}`, text]));
  return askForJson(
    {
      purpose: 'qualeval',
      name: 'attributes',
      reply: proposals,
      materials: { prompt, ...examples },
      role:
        'You sort the test cases of an application into kinds, so that its owners see ' +
        'which kinds of cases go wrong.',
      text: [
        'The application sends this prompt to a model:\n{{prompt}}',
        `Here are ${group.length} of many test cases: an input each, and the answer ` +
          'expected, where one is given.',
        ...Object.keys(examples).map((name) => `{{${name}}}`),
        '"domains": what such inputs are about, as topics or fields that a case can belong to.',
        '"subtasks": what a model must be able to do to answer, each a single skill, and ' +
          'never the task as a whole.',
        'Start from these cases, and word each entry so widely that it fits others like ' +
          `them. Give up to ${PER_GROUP} of each, the clearest first.`,
      ].join('\n'),
    },
    tools,
  );
}

const merged = z.object({ attributes: z.array(proposal) });

interface Merging {
  kind: Attribute['kind'];
  task: string | null;
}

async function shrink(
  candidates: readonly AttributeCandidate[],
  {
    limit,
    groups,
    failures,
    ...of
  }: Merging & { limit: number; groups: number; failures: Failures },
  tools: AskTools,
): Promise<{ kept: AttributeCandidate[]; dropped: string[] }> {
  let kept = [...candidates];
  // Merges even short lists, because groups may name an attribute differently.
  let open = kept.length > limit || (groups > 1 && kept.length > 1);
  while (open) {
    const target = Math.max(limit, Math.ceil(kept.length / SHRINK));
    const chunks = chunksOf(kept, kept.length <= CHUNK ? 1 : Math.ceil(kept.length / CHUNK));
    const replies = await Promise.all(
      chunks.map(async (chunk) => {
        const most = Math.max(1, Math.floor((target * chunk.length) / kept.length));
        return { chunk, ...(await merge(chunk, of, most, tools)) };
      }),
    );
    countFailures(replies, failures);
    const support = new Map(kept.map((own) => [foldName(own.name), own.support]));
    const next = candidatesOf(
      replies.map((merged) => (merged.status === 'ok' ? merged.reply : merged.chunk)),
    ).map((own) => ({ ...own, support: support.get(foldName(own.name)) ?? own.support }));
    open = next.length > limit && next.length < kept.length;
    if (next.length <= kept.length) kept = next;
  }
  return { kept: kept.slice(0, limit), dropped: kept.slice(limit).map(({ name }) => name) };
}

async function merge(
  chunk: readonly AttributeCandidate[],
  { kind, task }: Merging,
  most: number,
  tools: AskTools,
): Promise<GraderReply<AttributeCandidate[]>> {
  const what =
    kind === 'domain'
      ? 'topics or fields that inputs of an application belong to'
      : 'skills that a model needs to answer such inputs';
  const asked = await askForJson(
    {
      purpose: 'qualeval',
      name: 'merged',
      reply: merged,
      role: 'You tidy a list of labels that were proposed independently of each other.',
      materials: {
        task: task ?? '',
        proposals: chunk
          .map(({ name, explanation, support }) =>
            JSON.stringify({ name, explanation, proposals: support }),
          )
          .join('\n'),
      },
      text: [
        ...(task === null ? [] : ['What the application does:\n{{task}}']),
        `These labels are ${what}.\n{{proposals}}`,
        '"proposals" is how often a label was proposed. ' +
          'Merge labels that mean the same, and keep those that cover the most proposals, at ' +
          `most ${most} in all. No two of them may overlap.`,
        'Give each a name of two to five words and one sentence of explanation, the one that ' +
          'covers the most first.',
      ].join('\n'),
    },
    tools,
  );
  if (asked.status === 'failed') return asked;
  const best = candidatesOf([asked.reply.attributes]).slice(0, most);
  return best.length === 0
    ? { status: 'failed', reason: 'the grader kept no label' }
    : { status: 'ok', reply: best };
}

function candidatesOf(lists: readonly (readonly Proposal[])[]): AttributeCandidate[] {
  const found = new Map<string, AttributeCandidate>();
  for (const list of lists) {
    for (const given of list) {
      const name = tidy(given.name, NAME_LENGTH);
      const key = foldName(name);
      if (key === '') continue;
      const earlier = found.get(key) ?? {
        name,
        explanation: tidy(given.explanation, EXPLANATION_LENGTH),
        support: 0,
      };
      found.set(key, { ...earlier, support: earlier.support + 1 });
    }
  }
  return [...found.values()].sort((a, b) => b.support - a.support);
}

function tidy(text: string, length: number): string {
  return singleLine(text, length)
    .replace(/^(?:[-*•]|\d+[.)]) +/, '')
    .replace(/^[*_`"]+|[*_`"]+$/g, '');
}

function chunksOf<Item>(items: readonly Item[], count: number): Item[][] {
  return Array.from({ length: count }, (_, index) =>
    items.slice(
      Math.floor((index * items.length) / count),
      Math.floor(((index + 1) * items.length) / count),
    ),
  );
}

function countFailures(replies: readonly GraderReply<unknown>[], failures: Failures): void {
  failures.asked += replies.length;
  for (const reply of replies) {
    if (reply.status !== 'failed') continue;
    failures.failed += 1;
    failures.reason ??= reply.reason;
  }
}
