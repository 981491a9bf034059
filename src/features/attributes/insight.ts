import { z } from 'zod';
import { percent, counted, pointsBetween } from '../../text/amounts.ts';
import { askForJson, type AskTools } from '../../trials/grader-question.ts';
import type { ReferenceGroup } from '../../types/reference-group.ts';
import { insightFault, insightFinding, type InsightFinding } from './check-insight.ts';
import { KIND_WORDS } from './explained-suites.ts';
import type { AttributeResult } from './result.ts';
import { areCompared, tableText } from './tables.ts';

interface Findings {
  findings: InsightFinding[];
  /** Number of model insights that were rejected. */
  dropped: number;
  notes: string[];
}

const MAX_INSIGHTS = 6;

const insightReplySchema = z.object({
  insights: z.array(
    z.object({
      why: z
        .string()
        .describe('One or two sentences on what the cause may be or what to do, without figures.'),
      attributes: z.array(z.string()).describe('Ids of the attributes it is about.'),
      references: z.array(z.string()).describe('Ids of the references it rests on.'),
    }),
  ),
});

const FIGURES =
  '"prior_percent" is the weight of an attribute among those of its kind. ' +
  '"answers_with_other_skills_percent": lower is better.';

const COMPARISON_PROMPT = [
  'The tables compare the share of answers that pass before a change (base) and after it (head).\n{{tables}}',
  `${FIGURES} "verdict" is the outcome of a statistical test: call nothing worse or better ` +
    'that it does not call so. "same_references_as" names attributes that explain a change ' +
    'called "also", because they share references.',
  'Write insights that help to fix the change.',
];

const ONE_SIDED = [
  'The tables state the share of answers that pass. Nothing was compared, so nothing got ' +
    'worse or better.\n{{tables}}',
  FIGURES,
  'Write insights that help to see where the application is weak.',
];

/** The grader's insights, written from the tables alone. If all are rejected, plain sentences. */
export async function findingsFor(
  attributes: readonly AttributeResult[],
  tools: AskTools | null,
): Promise<Findings> {
  if (tools === null) return { findings: plainFindings(attributes), dropped: 0, notes: [] };
  const asked = await askForJson(
    {
      purpose: 'insight',
      name: 'insights',
      reply: insightReplySchema,
      role: 'You explain to the owners of an application what tables of figures say about it.',
      materials: { tables: tableText(attributes) },
      text: [
        'The test cases of the application were sorted into domains (what an input is about) ' +
          'and sub-tasks (what answering takes).',
        ...(areCompared(attributes) ? COMPARISON_PROMPT : ONE_SIDED),
        `At most ${String(MAX_INSIGHTS)} in all, the most important first. Name attributes and ` +
          'references by their ids in the lists. "why" states no number and does not say what got ' +
          'better or worse: the figures of the attributes are shown in front of it.',
      ].join('\n'),
    },
    tools,
  );
  if (asked.status === 'failed')
    return {
      findings: plainFindings(attributes),
      dropped: 0,
      notes: [`no insights were written: ${asked.reason}`],
    };
  const written = asked.reply.insights
    .slice(0, MAX_INSIGHTS)
    .map((insight) => ({ insight, fault: insightFault(insight, attributes) }));
  const findings = written.flatMap(({ insight, fault }) =>
    fault === null
      ? [insightFinding(insight, figureSentences(insight.attributes, attributes))]
      : [],
  );
  const faults = written.flatMap(({ fault }) => fault ?? []);
  return {
    findings: findings.length > 0 ? findings : plainFindings(attributes),
    dropped: faults.length,
    notes: faults.map((fault) => `an insight was dropped: ${fault}`),
  };
}

/** Maximum attributes whose figures an insight shows. */
const SHOWN_FIGURES = 2;

function figureSentences(ids: readonly string[], attributes: readonly AttributeResult[]): string[] {
  return attributes
    .filter(({ id }) => ids.includes(id))
    .slice(0, SHOWN_FIGURES)
    .map(rateSentence);
}

export function plainFindings(attributes: readonly AttributeResult[]): InsightFinding[] {
  const moved = [
    ...attributes
      .filter(({ verdict }) => verdict === 'regressed')
      .sort((a, b) => (a.difference ?? 0) - (b.difference ?? 0)),
    ...attributes
      .filter(({ verdict }) => verdict === 'improved')
      .sort((a, b) => (b.difference ?? 0) - (a.difference ?? 0)),
  ];
  return moved.slice(0, MAX_INSIGHTS).map((attribute): InsightFinding => {
    const drops = attribute.samples.flatMap((sample) =>
      sample.kind === 'drop' ? [sample.reference] : [],
    );
    const largest = drops.length === 0 ? '' : ` Largest drops: ${drops.join(', ')}.`;
    return {
      text: `${rateSentence(attribute)}${largest}${skills(attribute)}`,
      attributes: [attribute.id],
      references: drops.length > 0 ? drops : attribute.references.slice(0, 3),
      generated: false,
    };
  });
}

function rateSentence(attribute: AttributeResult): string {
  const { name, kind, verdict, difference } = attribute;
  const what = difference === null ? '' : ` ${verdict}`;
  return `${name} (${KIND_WORDS[kind]})${what}: ${rateWords(attribute)}.`;
}

/** The attribute as other features see it. */
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

export function rateWords({ n, base, head, difference }: AttributeResult): string {
  const over = `over ${counted(n, 'test')}`;
  if (difference === null) return `pass rate ${percent(head ?? base)} ${over}`;
  return `pass rate ${percent(base)} → ${percent(head)} (${pointsBetween(base, head)}) ${over}`;
}

function skills({ alignment }: AttributeResult): string {
  if (
    alignment === null ||
    alignment.base === null ||
    alignment.head === null ||
    alignment.head <= alignment.base
  )
    return '';
  return (
    ` Answers that use it otherwise than expected: ${percent(alignment.base)} → ` +
    `${percent(alignment.head)}.`
  );
}
