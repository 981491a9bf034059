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
import { type Markup, joined, markup } from '../../text/markup.ts';
import { shorten } from '../../text/visible.ts';
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
export function dialogueHtml({ outcome, turns }: ConversationResult, characters: number): Markup {
  const end = chip(
    OUTCOME_WORDS[outcome],
    outcome === 'complete' ? 'good' : outcome.endsWith('_error') ? 'open' : 'bad',
  );
  return markup`${turns.map((turn, index) => turnHtml(turn, index + 1, characters))}<p>${end}</p>`;
}

function turnHtml(
  { question, asked_by: asker, answer, verdicts, satisfied }: ConversationTurn,
  number: number,
  characters: number,
): Markup {
  const by = asker === null ? null : markup`, asked by <code>${name(asker)}</code>`;
  const met = Object.entries(satisfied ?? {}).map(([criterion, yes]) =>
    chip(`${shorten(criterion, NAME_LIMIT)} ${yes ? 'met' : 'not met'}`, yes ? 'good' : 'bad'),
  );
  const said = verdicts.map((verdict) => verdictHtml(verdict, characters));
  return markup`
    <p class="soft">Question ${number}${by}</p>${textHtml(question, characters)}
    <p class="soft">Answer ${number}</p>
    ${answer === null ? markup`<p>none</p>` : textHtml(answer, characters)}
    ${met.length === 0 ? null : markup`<p>${joined(met, ' ')}</p>`}
    ${said.length === 0 ? null : markup`<details><summary>What the evaluators said</summary>${said}</details>`}`;
}

function verdictHtml(
  { evaluator, words, analysis, follow_up: followUp }: EvaluatorVerdict,
  characters: number,
): Markup {
  const said = Object.entries(words)
    .map(([criterion, word]) => `${criterion} ${word}`)
    .join(', ');
  const asks = (text: string): Markup =>
    markup`<p class="soft">would ask</p>${textHtml(text, characters)}`;
  return markup`
    <p><code>${name(evaluator)}</code> ${shorten(said, 10 * NAME_LIMIT)}</p>
    ${analysis === null ? null : textHtml(analysis, characters)}
    ${followUp === null ? null : asks(followUp)}`;
}

function textHtml(text: string, characters: number): Markup {
  return markup`<pre>${piecesHtml(whole(text, characters))}</pre>`;
}

function name(text: string): string {
  return shorten(text, NAME_LIMIT);
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
export function ratingsHtml(ratings: readonly RatedAttribute[], characters: number): Markup[] {
  return ratings.map(({ attribute, rating: { affinity, evidence } }) => {
    const rated = affinity === null ? 'not rated' : `affinity ${String(affinity)} of 5`;
    const said = evidence === '' ? null : markup`: ${piecesHtml(whole(evidence, characters))}`;
    return markup`
      <dt>${name(attribute.name)}</dt><dd>${KIND_WORDS[attribute.kind]}, ${rated}${said}</dd>`;
  });
}

/** The references of an attribute that fell most, with input and both answers. */
export function dropsHtml(
  { samples }: AttributeResult,
  { suite }: ExplainedSuite,
  index: PageIndex,
): Markup | null {
  const drops = samples.filter((sample): sample is Drop => sample.kind === 'drop');
  if (drops.length === 0) return null;
  const fall = ({ base, head }: Drop): string => `${percent(base)} → ${percent(head)}`;
  return markup`<h4>Largest drops</h4>
    ${drops.map((drop) => sampleHtml(suite, drop.reference, fall(drop), index, null))}`;
}

/**
 * Answers that use a sub-task clearly more or less than the expected ones, largest difference
 * first.
 */
export function skillsHtml({ suite, attributes }: ExplainedSuite, index: PageIndex): Markup | null {
  const found = attributes
    .flatMap((attribute) =>
      attribute.samples.flatMap((sample) =>
        sample.kind === 'skill' ? [{ attribute, sample }] : [],
      ),
    )
    .sort((a, b) => distance(b.sample) - distance(a.sample));
  if (found.length === 0) return null;
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
  return markup`
    <details class="samples">
      <summary>Answers with other skills than expected, ${of}</summary>${items}
    </details>`;
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
): Markup {
  const reference = suite?.references.find((candidate) => candidate.id === id);
  return markup`
    <div class="sample">
      <p>${referenceLink(suite, id, index)} <span class="soft">${words}</span></p>
      ${reference === undefined ? null : [askedHtml(reference), answersHtml(reference, side)]}
    </div>`;
}

function askedHtml({ input, expected }: ReferenceResult): Markup {
  const entry = ([key, value]: [string, unknown]): Markup => markup`
    <dt>${name(key)}</dt><dd><code>${piecesHtml(whole(String(value), SAMPLE))}</code></dd>`;
  return markup`<dl>
    ${Object.entries(input).map(entry)}
    ${expected === null ? null : entry(['expected', jsonText(expected)])}
  </dl>`;
}

function answersHtml(reference: ReferenceResult, side: Side | null): Markup | null {
  if (side !== null) {
    const answer = reference[side]?.tries.find(({ actual }) => actual !== null)?.actual ?? null;
    return answer === null ? null : markup`<pre>${piecesHtml(whole(answer, SAMPLE))}</pre>`;
  }
  const { base, head } = exampleTries(reference);
  const pieces = piecesOf(base?.actual ?? null, head?.actual ?? null);
  return markup`<div class="sides">
    <div class="base"><h4>Base</h4><pre>${piecesHtml(pieces.base)}</pre></div>
    <div class="head"><h4>Head</h4><pre>${piecesHtml(pieces.head)}</pre></div>
  </div>`;
}

function piecesOf(before: string | null, after: string | null): Emphasised {
  if (before !== null && after !== null)
    return emphasise(before, after, { characters: SAMPLE, gaps: true });
  return { base: whole(before ?? 'no answer', SAMPLE), head: whole(after ?? 'no answer', SAMPLE) };
}
