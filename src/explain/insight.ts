import { z } from 'zod';
import type { AttributeResult, Insight } from '../result/attributes.ts';
import { percent, counted, pointsBetween, signed } from '../text/amounts.ts';
import { ask, singleLine, type AskTools } from './ask.ts';
import { areCompared, numbersOf, tableText } from './tables.ts';

/** What one insight may say; its suite is added by who knows it. */
export type Finding = Omit<Insight, 'path' | 'suite' | 'variant'>;

interface Findings {
  findings: Finding[];
  /** Why something that the model wrote is not among them. */
  dropped: string[];
}

const MOST = 6;

const TEXT_LENGTH = 600;

const written = z.object({
  insights: z.array(
    z.object({
      text: z.string().describe('One or two sentences.'),
      attributes: z.array(z.string()).describe('Ids of the attributes it is about.'),
      references: z.array(z.string()).describe('Ids of the references it rests on.'),
    }),
  ),
});

const FIGURES =
  '"prior_percent" is the weight of an attribute among those of its kind. "answers_with_other_skills_percent": lower is better.';

const COMPARED = [
  'The tables compare the share of answers that pass before a change (base) and after it (head).\n{{tables}}',
  `${FIGURES} "verdict" is the outcome of a statistical test: call nothing worse or better that it does not call so. "same_references_as" names attributes whose references carry the whole change.`,
  'Write insights that help to fix the change.',
];

const ONE_SIDED = [
  'The tables state the share of answers that pass. Nothing was compared, so nothing got worse or better.\n{{tables}}',
  FIGURES,
  'Write insights that help to see where the application is weak.',
];

/**
 * Insights that the grader writes from the tables alone. One that names an attribute or reference
 * that does not exist, or a number that no table states, is dropped, and `dropped` says so. Without
 * any, sentences of our own from the same tables.
 */
export async function findingsFor(
  attributes: readonly AttributeResult[],
  tools: AskTools | null,
): Promise<Findings> {
  if (tools === null) return { findings: plainFindings(attributes), dropped: [] };
  const asked = await ask(
    {
      purpose: 'insight',
      name: 'insights',
      reply: written,
      role: 'You explain to the owners of an application what tables of figures say about it.',
      materials: { tables: tableText(attributes) },
      text: [
        'The test cases of the application were sorted into domains (what an input is about) and sub-tasks (what answering takes).',
        ...(areCompared(attributes) ? COMPARED : ONE_SIDED),
        `At most ${String(MOST)} in all, the most important first. Use no number that the tables do not state, spelled in digits as there, and name attributes and references by their ids in the lists.`,
      ].join('\n'),
    },
    tools,
  );
  if (asked.status === 'failed')
    return {
      findings: plainFindings(attributes),
      dropped: [`no insights were written: ${asked.reason}`],
    };
  const checked = asked.reply.insights.slice(0, MOST).map((one) => check(one, attributes));
  const findings = checked.flatMap((one) => (typeof one === 'string' ? [] : [one]));
  const dropped = checked
    .filter((one) => typeof one === 'string')
    .map((reason) => `an insight was dropped: ${reason}`);
  return { findings: findings.length > 0 ? findings : plainFindings(attributes), dropped };
}

/** A written insight, or why it is none. */
function check(
  given: z.output<typeof written>['insights'][number],
  attributes: readonly AttributeResult[],
): Finding | string {
  const text = singleLine(given.text, TEXT_LENGTH);
  if (text === '') return 'it says nothing';
  const references = new Set(attributes.flatMap((attribute) => attribute.references));
  const attribute = given.attributes.find((id) => !attributes.some((one) => one.id === id));
  if (attribute !== undefined)
    return `it names the attribute ${quoted(attribute)}, which does not exist`;
  const reference = given.references.find((id) => !references.has(id));
  if (reference !== undefined)
    return `it names the reference ${quoted(reference)}, which does not exist`;
  if (given.attributes.length + given.references.length === 0)
    return 'it rests on no attribute and no reference';
  const number = foreignNumber(
    text,
    attributes,
    [...references].filter((id) => !isNumber(id) || given.references.includes(id)),
  );
  if (number !== null)
    return `it states the number ${quoted(number)}, which is in none of the tables`;
  return {
    text,
    attributes: [...new Set(given.attributes)],
    references: [...new Set(given.references)],
    generated: true,
  };
}

function quoted(text: string): string {
  return JSON.stringify(singleLine(text, 60));
}

/**
 * Whether a reference is called by a number alone: in a text that is a name only where the insight
 * lists it.
 */
function isNumber(id: string): boolean {
  return /^[\p{N}.,]+$/u.test(id);
}

/**
 * The first number of a text that no table states; digits within names of the tables, as whole
 * words, are none.
 */
function foreignNumber(
  text: string,
  attributes: readonly AttributeResult[],
  references: readonly string[],
): string | null {
  const names = [...attributes.flatMap(({ id, name }) => [id, name]), ...references]
    .filter((name) => /\p{N}/u.test(name))
    .sort((a, b) => b.length - a.length);
  const bare = names.reduce((rest, name) => rest.replace(wholeWord(name), ' '), text);
  const known = numbersOf(attributes);
  const numbers = bare.match(/\p{N}+(?:[.,]\p{N}+)*/gu) ?? [];
  return numbers.find((number) => !readings(number).some((value) => known.has(value))) ?? null;
}

/**
 * A name where no letter or digit goes on with it, and no decimals do: `7` is in none of `17`,
 * `7.5` and `r7`.
 */
function wholeWord(name: string): RegExp {
  const literal = name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}]|\\p{N}[.,])${literal}(?![\\p{L}\\p{N}]|[.,]\\p{N})`, 'gu');
}

/** What a number may mean: `1,234` with a thousands separator, `12,5` with a decimal comma. */
function readings(number: string): number[] {
  const ascii = number.normalize('NFKC');
  return [ascii, ascii.replaceAll(',', ''), ascii.replace(',', '.')]
    .map(Number)
    .filter((value) => !Number.isNaN(value));
}

/** Sentences of our own for what regressed and improved, from the tables alone. */
export function plainFindings(attributes: readonly AttributeResult[]): Finding[] {
  const moved = [
    ...attributes
      .filter(({ verdict }) => verdict === 'regressed')
      .sort((a, b) => (a.difference ?? 0) - (b.difference ?? 0)),
    ...attributes
      .filter(({ verdict }) => verdict === 'improved')
      .sort((a, b) => (b.difference ?? 0) - (a.difference ?? 0)),
  ];
  return moved.slice(0, MOST).map((attribute): Finding => {
    const drops = attribute.samples.flatMap((sample) =>
      sample.kind === 'drop' ? [sample.reference] : [],
    );
    return {
      text: `${rates(attribute)}${largest(drops)}${skills(attribute)}`,
      attributes: [attribute.id],
      references: drops.length > 0 ? drops : attribute.references.slice(0, 3),
      generated: false,
    };
  });
}

function rates({ name, kind, verdict, n, base, head, low, high }: AttributeResult): string {
  const interval =
    low === null || high === null ? '' : `, 90 % interval ${signed(low)} to ${signed(high)}`;
  const what = kind === 'domain' ? 'domain' : 'sub-task';
  return `${name} (${what}) ${verdict}: pass rate ${percent(base)} → ${percent(head)} (${pointsBetween(base, head)}${interval}) over ${counted(n, 'reference')}.`;
}

function largest(drops: readonly string[]): string {
  return drops.length === 0 ? '' : ` Largest drops: ${drops.join(', ')}.`;
}

function skills({ alignment }: AttributeResult): string {
  if (
    alignment === null ||
    alignment.base === null ||
    alignment.head === null ||
    alignment.head <= alignment.base
  )
    return '';
  return ` Answers that use it otherwise than expected: ${percent(alignment.base)} → ${percent(alignment.head)}.`;
}
