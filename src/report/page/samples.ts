import { KIND_WORDS, type ExplainedSuite } from '../../features/attributes/explained-suites.ts';
import type { AttributeResult, AttributeSample } from '../../features/attributes/result.ts';
import type {
  ConversationResult,
  ConversationTurn,
  EvaluatorVerdict,
} from '../../features/conversations/result.ts';
import type { ReferenceResult } from '../../kernel/result/reference-result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { percent, counted } from '../../text/amounts.ts';
import { escapeMarkup, shorten } from '../../text/visible.ts';
import { type Side, jsonText } from '../../types/plain.ts';
import { NAME_LIMIT } from '../sections/document.ts';
import { emphasise, type Emphasised, whole } from '../sections/emphasis.ts';

import { OUTCOME_WORDS, exampleTries } from '../sections/order.ts';
import { chip, piecesHtml } from './blocks.ts';
import { referenceLink, type PageIndex, type RatedAttribute } from './page-index.ts';

/**
 * A dialogue turn by turn with the criteria met and the evaluators' remarks; `characters` bounds
 * each text.
 */
export function dialogueHtml({ outcome, turns }: ConversationResult, characters: number): string {
  const end = chip(
    OUTCOME_WORDS[outcome],
    outcome === 'complete' ? 'good' : outcome.endsWith('_error') ? 'open' : 'bad',
  );
  return `${turns.map((turn, index) => turnHtml(turn, index + 1, characters)).join('')}<p>${end}</p>`;
}

function turnHtml(
  { question, asked_by: asker, answer, verdicts, satisfied }: ConversationTurn,
  number: number,
  characters: number,
): string {
  const by = asker === null ? '' : `, asked by <code>${name(asker)}</code>`;
  const met = Object.entries(satisfied ?? {}).map(([criterion, yes]) =>
    chip(`${shorten(criterion, NAME_LIMIT)} ${yes ? 'met' : 'not met'}`, yes ? 'good' : 'bad'),
  );
  return [
    `<p class="soft">Question ${String(number)}${by}</p>`,
    textHtml(question, characters),
    `<p class="soft">Answer ${String(number)}</p>`,
    answer === null ? '<p>none</p>' : textHtml(answer, characters),
    met.length === 0 ? '' : `<p>${met.join(' ')}</p>`,
    verdicts.length === 0
      ? ''
      : `<details><summary>What the evaluators said</summary>${verdicts.map((verdict) => verdictHtml(verdict, characters)).join('')}</details>`,
  ].join('');
}

function verdictHtml(
  { evaluator, words, analysis, follow_up: followUp }: EvaluatorVerdict,
  characters: number,
): string {
  const said = Object.entries(words)
    .map(([criterion, word]) => `${criterion} ${word}`)
    .join(', ');
  return [
    `<p><code>${name(evaluator)}</code> ${escapeMarkup(shorten(said, 10 * NAME_LIMIT))}</p>`,
    analysis === null ? '' : textHtml(analysis, characters),
    followUp === null ? '' : `<p class="soft">would ask</p>${textHtml(followUp, characters)}`,
  ].join('');
}

function textHtml(text: string, characters: number): string {
  return `<pre>${piecesHtml(whole(text, characters))}</pre>`;
}

function name(text: string): string {
  return escapeMarkup(shorten(text, NAME_LIMIT));
}

/** Lengths of all texts that a dialogue shows. */
export function dialogueLengths({ turns }: ConversationResult): number[] {
  return turns.flatMap(({ question, answer, verdicts }) =>
    [
      question,
      answer ?? '',
      ...verdicts.flatMap(({ analysis, follow_up: followUp }) => [analysis ?? '', followUp ?? '']),
    ].map((text) => text.length),
  );
}

/** Characters per text of a sample; the reference has the full text. */
const SAMPLE = 300;

/** Answers shown per suite. */
const MOST_SKILLS = 12;

type Drop = Extract<AttributeSample, { kind: 'drop' }>;

type Skill = Extract<AttributeSample, { kind: 'skill' }>;

/** Why the reference was assigned each of its attributes. */
export function ratingsHtml(ratings: readonly RatedAttribute[], characters: number): string {
  return ratings
    .map(({ attribute: { name, kind }, rating: { affinity, evidence } }) => {
      const said = evidence === '' ? '' : `: ${piecesHtml(whole(evidence, characters))}`;
      return [
        `<dt>${escapeMarkup(shorten(name, NAME_LIMIT))}</dt><dd>${KIND_WORDS[kind]}, `,
        affinity === null ? 'not rated' : `affinity ${String(affinity)} of 5`,
        `${said}</dd>`,
      ].join('');
    })
    .join('');
}

/** The references of an attribute that fell most, with input and both answers. */
export function dropsHtml(
  { samples }: AttributeResult,
  { suite }: ExplainedSuite,
  index: PageIndex,
): string {
  const drops = samples.filter((sample): sample is Drop => sample.kind === 'drop');
  if (drops.length === 0) return '';
  return `<h4>Largest drops</h4>${drops.map((drop) => sampleHtml(suite, drop.reference, `${percent(drop.base)} → ${percent(drop.head)}`, index, null)).join('')}`;
}

/**
 * Answers that use a sub-task clearly more or less than the expected ones, largest difference
 * first.
 */
export function skillsHtml({ suite, attributes }: ExplainedSuite, index: PageIndex): string {
  const found = attributes
    .flatMap((attribute) =>
      attribute.samples.flatMap((sample) =>
        sample.kind === 'skill' ? [{ attribute, sample }] : [],
      ),
    )
    .sort((a, b) => distance(b.sample) - distance(a.sample));
  if (found.length === 0) return '';
  const shown = found.slice(0, MOST_SKILLS);
  const items = shown.map(({ attribute, sample }) => {
    const words = [
      `${sample.side}'s answer uses "${shorten(attribute.name, NAME_LIMIT)}" `,
      sample.output < sample.expected ? 'less' : 'more',
      ` than expected: affinity ${String(sample.output)}`,
      ` where the expected answer has ${String(sample.expected)}`,
    ].join('');
    return sampleHtml(suite, sample.reference, words, index, sample.side);
  });
  const of =
    found.length > shown.length
      ? `${String(shown.length)} of ${counted(found.length, 'sample')}`
      : counted(found.length, 'sample');
  return `<details class="samples"><summary>Answers with other skills than expected, ${of}</summary>${items.join('')}</details>`;
}

function distance({ expected, output }: Skill): number {
  return Math.abs(expected - output);
}

/** `side`: the one answer shown beside the expected one; null: both sides' answers. */
function sampleHtml(
  suite: SuiteResult | null,
  id: string,
  words: string,
  index: PageIndex,
  side: Side | null,
): string {
  const reference = suite?.references.find((candidate) => candidate.id === id);
  const head = `<p>${referenceLink(suite, id, index)} <span class="soft">${escapeMarkup(words)}</span></p>`;
  return `<div class="sample">${head}${reference === undefined ? '' : `${askedHtml(reference)}${answersHtml(reference, side)}`}</div>`;
}

function askedHtml({ input, expected }: ReferenceResult): string {
  const entry = (name: string, value: string): string =>
    `<dt>${escapeMarkup(shorten(name, NAME_LIMIT))}</dt><dd><code>${piecesHtml(whole(value, SAMPLE))}</code></dd>`;
  return `<dl>${Object.entries(input)
    .map(([name, value]) => entry(name, String(value)))
    .join('')}${expected === null ? '' : entry('expected', jsonText(expected))}</dl>`;
}

function answersHtml(reference: ReferenceResult, side: Side | null): string {
  if (side !== null) {
    const answer = reference[side]?.tries.find(({ actual }) => actual !== null)?.actual ?? null;
    return answer === null ? '' : `<pre>${piecesHtml(whole(answer, SAMPLE))}</pre>`;
  }
  const { base, head } = exampleTries(reference);
  const pieces = piecesOf(base?.actual ?? null, head?.actual ?? null);
  return [
    '<div class="sides"><div class="base"><h4>Base</h4><pre>',
    `${piecesHtml(pieces.base)}</pre></div><div class="head"><h4>Head</h4><pre>`,
    `${piecesHtml(pieces.head)}</pre></div></div>`,
  ].join('');
}

function piecesOf(before: string | null, after: string | null): Emphasised {
  if (before !== null && after !== null)
    return emphasise(before, after, { characters: SAMPLE, gaps: true });
  return { base: whole(before ?? 'no answer', SAMPLE), head: whole(after ?? 'no answer', SAMPLE) };
}
