import { countsForVerdict } from '../../kernel/result/counts.ts';
import type {
  ReferenceResult,
  SideResult,
  TryResult,
} from '../../kernel/result/reference-result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { probability, count } from '../../text/amounts.ts';
import { type Markup, type MarkupPart, joinMarkup, markup } from '../../text/markup.ts';
import { shorten } from '../../text/visible.ts';
import type { Score } from '../../types/metric.ts';
import { answerKey, answerText } from '../answers/text.ts';
import {
  answerImages,
  answerPieces,
  markedAnswers,
  expectedLine,
  stepLines,
} from '../sections/answers.ts';
import { NAME_LIMIT, place, standsOn, type Links, type Piece } from '../sections/document.ts';
import { COMPARED_CHARACTERS, whole } from '../sections/emphasis.ts';
import { fileNote, marksOf, stripLine, stripName, stripsOf } from '../sections/evidence.ts';
import { referenceLabel } from '../sections/faces.ts';
import { tryView, type AnchorOf, type Reports } from '../sections/feature-report.ts';
import { exampleTries, type ReferenceEntry } from '../sections/order.ts';
import {
  STATUS_WORDS,
  lacksPasses,
  isShownValue,
  passWords,
  rateInterval,
  STATUS_TONES,
  shownNumber,
} from '../sections/phrases.ts';
import { chip, lineHtml, piecesHtml } from './blocks.ts';

interface BodyInput {
  characters: number;
  links: Links;
  reports: Reports;
}

interface RowInput extends BodyInput {
  suite: string | null;
  anchor: AnchorOf;
  known: readonly Markup[];
}

export function referenceHtml({ suite, reference }: ReferenceEntry, input: RowInput): Markup {
  const { id, status, base, head, tags } = reference;
  const anchor = input.anchor(suite, id);
  return markup`
    <details class="case"${anchor === null ? null : markup` id="${anchor}"`} data-status="${status}">
      <summary>
        ${chip(STATUS_WORDS[status], STATUS_TONES[status])}
        <span class="face">${lineHtml(referenceLabel(reference), input.links)}</span>
        ${input.suite === null ? null : markup`<span class="soft">${input.suite}</span>`}
        ${countsForVerdict(reference) ? null : chip('does not gate', 'neutral')}
        ${tags.map((tag) => chip(tag, 'neutral'))}
        <span class="dots">
          ${base === null ? null : dots(base, '○')}
          ${head === null ? null : dots(head, base === null ? '' : '●')}
        </span>
      </summary>
      ${referenceBody(reference, input, input.known)}
    </details>`;
}

export function referenceBody(
  reference: ReferenceResult,
  input: BodyInput,
  known: readonly Markup[] = [],
): Markup {
  const { base, head } = reference;
  return markup`
    <div class="body">
      <dl>${facts(reference, input)}${known}</dl>
      <div class="sides${base === null || head === null ? ' one' : ''}">
        ${sidesHtml(reference, input)}
      </div>
    </div>`;
}

function facts(reference: ReferenceResult, input: BodyInput): Markup[] {
  const { input: given, expected, file, line, status, p, q, history } = reference;
  const { characters, links } = input;
  const entry = (name: string, html: MarkupPart) => markup`<dt>${name}</dt><dd>${html}</dd>`;
  return [
    ...Object.entries(given).map(([name, value]) =>
      entry(
        shorten(name, NAME_LIMIT),
        markup`<code>${piecesHtml(whole(String(value), characters))}</code>`,
      ),
    ),
    ...(reference.files ?? []).map((shown) =>
      entry(shown.type, markup`<code>${shown.path}</code> ${fileNote(shown)}`),
    ),
    ...(expected === null
      ? []
      : [entry('expected', lineHtml(expectedLine(expected, characters), links))]),
    entry('at', lineHtml([place(file, line, standsOn({ status }))], links)),
    ...stripsHtml(reference, input).map(([name, html]) => entry(name, html)),
    ...(p === null || q === null
      ? []
      : [entry('p, q', markup`<code>${probability(p)}, ${probability(q)}</code>`)]),
    ...(history === undefined
      ? []
      : [
          entry(
            'passed so far on base',
            `${count(history.passes)} of ${count(history.tries)}, 95 % interval ${rateInterval(history)}`,
          ),
        ]),
  ];
}

function stripsHtml(
  reference: ReferenceResult,
  { characters, links, reports }: BodyInput,
): [string, Markup][] {
  const tries = exampleTries(reference, reports);
  return stripsOf(tries.base, tries.head).map((strip) => [
    `${shorten(strip.metric, NAME_LIMIT)} ${stripName(strip)}`,
    markup`<span class="strip">${lineHtml(stripLine(strip, characters), links)}</span>`,
  ]);
}

export function dots(side: SideResult, sign: string): Markup {
  if (lacksPasses(side)) return markup`<span>${sign} ${passWords(side)}</span>`;
  const runs =
    side.tries
      .map(({ outcome }) => (outcome === 'pass' ? 'p✓' : outcome === 'fail' ? 'f✗' : 'o?'))
      .join('')
      .match(/(?:p✓)+|(?:f✗)+|(?:o\?)+/g) ?? [];
  const marks = runs.map(
    (run) => markup`<b class="${run.charAt(0)}">${run.replace(/[pfo]/g, '')}</b>`,
  );
  return markup`<span>${sign} ${marks} ${count(side.passes)}/${count(side.tries_judged)}</span>`;
}

function sidesHtml({ status, base, head }: ReferenceResult, input: BodyInput): Markup[] {
  const unmoved = status === 'unchanged' || status === 'pass';
  const marked = unmoved ? null : marks(base, head, input.characters);
  const side = (of: SideResult, name: string, kind: string, own: Marked | null) => markup`
    <div class="tries ${kind}">
      <h3>${name} – ${passWords(of)}</h3>${triesHtml(of, own, input)}
    </div>`;
  return [
    ...(base === null ? [] : [side(base, 'Base', 'base', marked?.base ?? null)]),
    ...(head === null
      ? []
      : base === null
        ? [side(head, 'Tries', '', null)]
        : [side(head, 'Head', 'head', marked?.head ?? null)]),
  ];
}

interface Marked {
  answer: string;
  pieces: Piece[];
}

function marks(
  base: SideResult | null,
  head: SideResult | null,
  characters: number,
): { base: Marked; head: Marked } | null {
  const before = base?.tries.find(({ parts }) => parts !== null) ?? null;
  const answer = before === null ? null : answerText(before);
  const after = head?.tries.find((made) => made.parts !== null && answerText(made) !== answer);
  const other = after === undefined ? null : answerText(after);
  if (
    answer === null ||
    other === null ||
    Math.max(answer.length, other.length) > COMPARED_CHARACTERS
  )
    return null;
  const pieces = markedAnswers(before, after ?? null, { characters, gaps: false });
  return pieces === null
    ? null
    : {
        base: { answer, pieces: pieces.base },
        head: { answer: other, pieces: pieces.head },
      };
}

/** If answers are cut to fewer characters, also omits images, token counts and times. */
export const FULL_META = 500;

function triesHtml(
  side: SideResult,
  marked: Marked | null,
  { characters, reports }: BodyInput,
): Markup[] {
  return groups(side.tries, reports).map(({ tries: [first, ...others] }) => {
    const numbers = tryNumbers([first, ...others]);
    const shown = marked !== null && marked.answer === answerText(first) ? marked.pieces : null;
    const answer =
      tryView(first, reports)?.html(characters) ?? answerHtml(first, shown, characters);
    const error =
      first.error === null ? null : markup`<p>${piecesHtml(whole(first.error, characters))}</p>`;
    const meta = characters < FULL_META ? '' : spentWords(first);
    return markup`
        <div>
          <span>${others.length === 0 ? 'Try' : 'Tries'} ${numbers}: ${first.outcome}${meta}</span>
          ${answer}${error}${scoresHtml(first, characters)}
        </div>`;
  });
}

function answerHtml(made: TryResult, marked: Piece[] | null, characters: number): Markup | null {
  const pieces = marked ?? answerPieces(made, characters);
  if (pieces === null) return null;
  const steps = stepLines(made).map(
    (line) => markup`<li>${piecesHtml(whole(line, characters))}</li>`,
  );
  return markup`
    ${steps.length === 0 ? null : markup`<ol class="steps">${steps}</ol>`}
    <pre>${piecesHtml(pieces)}</pre>
    ${(characters < FULL_META ? [] : answerImages(made)).map(
      ({ media_type, data }) => markup`<img alt="" src="data:${media_type};base64,${data}">`,
    )}`;
}

function tryNumbers(tries: readonly TryResult[]): string {
  const spans: { from: number; to: number }[] = [];
  for (const { try: index } of tries) {
    const last = spans.at(-1);
    if (last !== undefined && last.to === index) last.to = index + 1;
    else spans.push({ from: index + 1, to: index + 1 });
  }
  return spans
    .map(({ from, to }) => (to - from > 1 ? `${from}–${to}` : [...new Set([from, to])].join(', ')))
    .join(', ');
}

interface Group {
  key: string;
  tries: [TryResult, ...TryResult[]];
}

export function groups(tries: readonly TryResult[], reports: Reports): Group[] {
  const found = new Map<string, Group>();
  for (const tryResult of tries) {
    const key = JSON.stringify([
      tryResult.outcome,
      tryResult.parts === null ? null : answerKey(tryResult.parts),
      tryResult.error,
      tryResult.scores.map(({ grade: _grade, objects, ...score }) => ({
        ...score,
        objects: objects?.scores.map(({ grade: _own, ...each }) => each),
      })),
      tryView(tryResult, reports)?.value ?? null,
    ]);
    const group = found.get(key);
    if (group === undefined) found.set(key, { key, tries: [tryResult] });
    else group.tries.push(tryResult);
  }
  return [...found.values()];
}

const COMPLETE: ReadonlySet<string> = new Set(['stop', 'tool_calls']);

function spentWords({ usage, latency_ms, reused, ended }: TryResult): string {
  const parts = [
    ...(usage === null
      ? []
      : [`${count(usage.input_tokens)} + ${count(usage.output_tokens)} tokens`]),
    ...(latency_ms === null ? [] : [`${count(Math.round(latency_ms))} ms`]),
    ...(reused ? ['reused'] : []),
    ...(ended === null || COMPLETE.has(ended) ? [] : [`ended by ${ended}`]),
  ];
  return parts.length === 0 ? '' : ` · ${parts.join(' · ')}`;
}

function scoresHtml({ outcome, scores: all }: TryResult, characters: number): Markup | null {
  const scores = all.filter(
    ({ status, value, reason, skip }) =>
      outcome !== 'pass' ||
      status !== 'pass' ||
      skip ||
      reason !== null ||
      isShownValue(value, skip),
  );
  if (scores.length === 0) return null;
  const line = ({ metric, status, value, reason, skip, objects }: Score) => {
    const shown = [
      chip(status, status === 'pass' ? 'good' : status === 'fail' ? 'bad' : 'open'),
      markup`<code>${metric}</code>`,
      isShownValue(value, skip)
        ? markup`<code>${piecesHtml(whole(shownNumber(value), characters))}</code>`
        : null,
      objects === undefined ? null : markup`<code>${marksOf(objects, null)}</code>`,
      reason === null ? null : piecesHtml(whole(reason, characters)),
      skip ? markup`<span class="soft">(does not gate)</span>` : null,
    ];
    return markup`<li>${joinMarkup(
      shown.filter((part) => part !== null),
      ' ',
    )}</li>`;
  };
  return markup`<ul>${scores.map(line)}</ul>`;
}

export function referenceLink(suite: SuiteResult | null, id: string, anchorOf: AnchorOf): Markup {
  const name = markup`<code>${shorten(id, NAME_LIMIT)}</code>`;
  const anchor = suite === null ? null : anchorOf(suite, id);
  return anchor === null ? name : markup`<a href="#${anchor}">${name}</a>`;
}
