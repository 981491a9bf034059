import { z } from 'zod';
import { percent, counted, pointsBetween, signed } from '../../text/amounts.ts';
import { askForJson, type AskTools } from '../../trials/grader-question.ts';
import { checkInsight, type InsightFinding } from './check-insight.ts';
import type { AttributeResult } from './result.ts';
import { areCompared, tableText } from './tables.ts';

interface Findings {
  findings: InsightFinding[];
  /** Insights that the model wrote and that are not among them. */
  dropped: number;
  notes: string[];
}

const MAX_INSIGHTS = 6;

const insightReplySchema = z.object({
  insights: z.array(
    z.object({
      text: z.string().describe('One or two sentences.'),
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
    'that it does not call so. "same_references_as" names attributes whose references carry ' +
    'the whole change.',
  'Write insights that help to fix the change.',
];

const ONE_SIDED = [
  'The tables state the share of answers that pass. Nothing was compared, so nothing got ' +
    'worse or better.\n{{tables}}',
  FIGURES,
  'Write insights that help to see where the application is weak.',
];

/** Insights by the grader, from the tables alone. If none agrees with them, plain sentences. */
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
        `At most ${String(MAX_INSIGHTS)} in all, the most important first. Use no number ` +
          'that the tables do not state, spelled in digits as there; call an attribute by its ' +
          'name wherever you state figures of it; and name attributes and references by their ' +
          'ids in the lists.',
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
  const checked = asked.reply.insights
    .slice(0, MAX_INSIGHTS)
    .map((insight) => checkInsight(insight, attributes));
  const findings = checked.flatMap((finding) => (typeof finding === 'string' ? [] : [finding]));
  const reasons = checked.filter((finding) => typeof finding === 'string');
  return {
    findings: findings.length > 0 ? findings : plainFindings(attributes),
    dropped: reasons.length,
    notes: reasons.map((reason) => `an insight was dropped: ${reason}`),
  };
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

function rateSentence({ name, kind, verdict, n, base, head, low, high }: AttributeResult): string {
  const interval =
    low === null || high === null ? '' : `, 90 % interval ${signed(low)} to ${signed(high)}`;
  const what = kind === 'domain' ? 'domain' : 'sub-task';
  return (
    `${name} (${what}) ${verdict}: pass rate ${percent(base)} → ${percent(head)} ` +
    `(${pointsBetween(base, head)}${interval}) over ${counted(n, 'reference')}.`
  );
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
