import type { ReferenceResult, TryResult } from '../../kernel/result/reference-result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { lineHtml, piecesHtml } from '../../report/page/blocks.ts';
import { referenceLink } from '../../report/page/references.ts';
import { answerLine, markedAnswers } from '../../report/sections/answers.ts';
import { NAME_LIMIT, NO_LINKS, type Piece } from '../../report/sections/document.ts';
import { whole } from '../../report/sections/emphasis.ts';
import type { Reports } from '../../report/sections/feature-report.ts';
import { exampleTries } from '../../report/sections/order.ts';
import { percent, counted } from '../../text/amounts.ts';
import { type Markup, markup } from '../../text/markup.ts';
import { shorten } from '../../text/visible.ts';
import { type Side, jsonText } from '../../types/plain.ts';
import type { AttributeIndex, RatedAttribute } from './attribute-index.ts';
import { KIND_WORDS, type ExplainedSuite } from './explained-suites.ts';
import type { AttributeResult, AttributeSample } from './result.ts';

/** In characters. */
const SAMPLE = 300;

const MOST_SKILLS = 12;

type Drop = Extract<AttributeSample, { kind: 'drop' }>;

type Skill = Extract<AttributeSample, { kind: 'skill' }>;

export function ratingsHtml(ratings: readonly RatedAttribute[], characters: number): Markup[] {
  return ratings.map(({ attribute, rating: { affinity, evidence } }) => {
    const rated = affinity === null ? 'not rated' : `affinity ${String(affinity)} of 5`;
    const said = evidence === '' ? null : markup`: ${piecesHtml(whole(evidence, characters))}`;
    return markup`
      <dt>${shorten(attribute.name, NAME_LIMIT)}</dt><dd>${KIND_WORDS[attribute.kind]}, ${rated}${said}</dd>`;
  });
}

export function dropsHtml(
  { samples }: AttributeResult,
  { suite }: ExplainedSuite,
  index: AttributeIndex,
): Markup | null {
  const drops = samples.filter((sample): sample is Drop => sample.kind === 'drop');
  if (drops.length === 0) return null;
  const fall = ({ base, head }: Drop) => `${percent(base)} → ${percent(head)}`;
  return markup`<h4>Largest drops</h4>
    ${drops.map((drop) => sampleHtml(suite, drop.reference, fall(drop), index, null))}`;
}

export function skillsHtml(
  { suite, attributes }: ExplainedSuite,
  index: AttributeIndex,
): Markup | null {
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

/** If `side` is null, shows both sides' answers. */
function sampleHtml(
  suite: SuiteResult | null,
  id: string,
  words: string,
  index: AttributeIndex,
  side: Side | null,
): Markup {
  const reference = suite?.references.find((candidate) => candidate.id === id);
  return markup`
    <div class="sample">
      <p>${referenceLink(suite, id, index.anchor)} <span class="soft">${words}</span></p>
      ${reference === undefined ? null : [inputHtml(reference), answersHtml(reference, side, index.reports)]}
    </div>`;
}

function inputHtml({ input, expected }: ReferenceResult): Markup {
  const entry = ([key, value]: [string, unknown]) => markup`
    <dt>${shorten(key, NAME_LIMIT)}</dt><dd><code>${piecesHtml(whole(String(value), SAMPLE))}</code></dd>`;
  return markup`<dl>
    ${Object.entries(input).map(entry)}
    ${expected === null ? null : entry(['expected', jsonText(expected)])}
  </dl>`;
}

function answersHtml(
  reference: ReferenceResult,
  side: Side | null,
  reports: Reports,
): Markup | null {
  if (side !== null) {
    const made = reference[side]?.tries.find(({ parts }) => parts !== null);
    return made === undefined
      ? null
      : markup`<pre>${lineHtml(answerLine(made, SAMPLE), NO_LINKS)}</pre>`;
  }
  const { base, head } = exampleTries(reference, reports);
  const pieces = markedAnswers(base, head, { characters: SAMPLE, gaps: true });
  const shown = (made: TryResult | null, marked: Piece[] | undefined) =>
    marked === undefined ? lineHtml(answerLine(made, SAMPLE), NO_LINKS) : piecesHtml(marked);
  return markup`<div class="sides">
    <div class="base"><h4>Base</h4><pre>${shown(base, pieces?.base)}</pre></div>
    <div class="head"><h4>Head</h4><pre>${shown(head, pieces?.head)}</pre></div>
  </div>`;
}
