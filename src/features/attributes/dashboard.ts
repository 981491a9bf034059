import type { Result } from '../../kernel/result/result.ts';
import { chip, noteHtml, ownCell, tableHtml, wrappedCell } from '../../report/page/blocks.ts';
import { referenceLink } from '../../report/page/references.ts';
import { NAME_LIMIT } from '../../report/sections/document.ts';
import { andMore, change, signedInterval } from '../../report/sections/phrases.ts';
import { percent, count, counted } from '../../text/amounts.ts';
import { type Markup, joinMarkup, markup } from '../../text/markup.ts';
import { shorten } from '../../text/visible.ts';
import { fixWords } from '../../trials/fix-lines.ts';
import { suitesWorstFirst } from '../../wording/figures.ts';
import { kindLink, type AttributeIndex } from './attribute-index.ts';
import type { AttributeCharts } from './charts.ts';
import {
  GENERATED_WORDS,
  KIND_WORDS,
  attributeWords,
  attributesWorstFirst,
  explainedSuites,
  didMove,
  insightsTitle,
  movedCounts,
  attributeNames,
  sharedTestWords,
  type ExplainedSuite,
} from './explained-suites.ts';
import { rateSentence } from './insight.ts';
import { suiteKey, type AttributeResult, type Insight } from './result.ts';
import { dropsHtml, skillsHtml } from './samples.ts';
import { alignmentWords } from './section.ts';

const MAX_DASHBOARD_SUITES = 20;
const MOST_MOVED = 10;
const MAX_TABLE_ROWS = 60;
const MOST_NAMED = 12;
const MAX_SUMMARY_CHARS = 600;

export function dashboardHtml(
  result: Result,
  charts: AttributeCharts,
  index: AttributeIndex,
): Markup | null {
  const suites = explainedSuites(result, suitesWorstFirst(result.suites));
  if (suites.length === 0) return null;
  const shown = suites.slice(0, MAX_DASHBOARD_SUITES);
  const notes = [
    ...(suites.length > shown.length
      ? [
          `The attributes of ${counted(suites.length - shown.length, 'suite')} are left out; ` +
            'result.json has them.',
        ]
      : []),
    ...(charts.left > 0
      ? [
          'Charts are drawn for the worst suites, to keep this file small; those of ' +
            `${counted(charts.left, 'suite')} are left out; result.json has the numbers.`,
        ]
      : []),
  ];
  return markup`
    <section id="kinds"><h2>Attributes</h2>
      ${result.attributes.length === 0 ? null : markup`<p>${attributeSummary(result)}</p>`}
      ${shown.map((suite) => suiteDashboard(suite, result.mode, charts, index))}
      ${notes.map(noteHtml)}
    </section>`;
}

function attributeSummary({ attributes, mode }: Result): string {
  if (mode === 'sweep')
    return `${counted(attributes.length, 'attribute')}, derived from the references.`;
  const few = attributes.filter(({ verdict }) => verdict === 'too few').length;
  const unjudged =
    few === 0 ? '' : `; ${count(few)} not compared: too few tests have it, or too few lack it`;
  return `${movedCounts(attributes)}${unjudged}.`;
}

function suiteDashboard(
  of: ExplainedSuite,
  mode: Result['mode'],
  charts: AttributeCharts,
  index: AttributeIndex,
): Markup {
  const { attributes, insights } = of;
  const moved = mode === 'diff' ? attributesWorstFirst(attributes.filter(didMove)) : [];
  const more = andMore(moved.length, MOST_MOVED);
  const [first] = attributes;
  const cards = first === undefined ? undefined : charts.kinds.get(suiteKey(first));
  const cardsHtml = (title: string, drawn: readonly Markup[] = []) =>
    drawn.length === 0 ? null : markup`<h4>${title}</h4><div class="cards">${drawn}</div>`;
  return markup`
    <section class="kinds"><h3><code>${shorten(of.name, NAME_LIMIT)}</code></h3>
      ${insightsHtml(insights, of, index)}
      ${cardsHtml('Domains: what inputs are about', cards?.domains)}
      ${cardsHtml('Sub-tasks: skills that the answers need', cards?.subtasks)}
      ${moved.slice(0, MOST_MOVED).map((attribute) => movedHtml(attribute, of, index))}
      ${more === null ? null : markup`<p>${more}, in the table of all attributes.</p>`}
      ${skillsHtml(of, index)}
      ${allHtml(of, index)}
    </section>`;
}

function insightsHtml(
  insights: readonly Insight[],
  of: ExplainedSuite,
  index: AttributeIndex,
): Markup | null {
  if (insights.length === 0) return null;
  const items = insights.map(({ attribute: id, references, fix, no_fix: none = '' }) => {
    const own = of.attributes.find((attribute) => attribute.id === id);
    const kind = own && kindLink(own, shorten(own.name, NAME_LIMIT), index);
    const names = references
      .slice(0, MOST_NAMED)
      .map((reference) => referenceLink(of.suite, reference, index.anchor));
    const more = andMore(references.length, names.length);
    const rests = [...(kind ? [kind] : []), ...names, ...(more === null ? [] : [more])];
    const on = markup`<br><span class="soft">rests on</span> ${joinMarkup(rests, ', ')}`;
    const rate = own ? rateSentence(own) : '';
    const tried =
      fix &&
      markup`<br>${fix.file}:${String(fix.lines.from)}:
        <del>${fix.replaced}</del> → <ins>${fix.replacement}</ins>`;
    const words = `${rate} ${fix === null ? `No fix is proven: ${none}` : `The change ${fixWords(fix)}`}.`;
    return markup`<li>${shorten(words, MAX_SUMMARY_CHARS)}${tried}${on}</li>`;
  });
  return markup`
    <div class="insights">
      <h4>${insightsTitle(insights)}</h4>
      ${insights.some(({ fix }) => fix !== null) ? noteHtml(GENERATED_WORDS) : null}
      <ul>${items}</ul>
    </div>`;
}

function movedHtml(attribute: AttributeResult, of: ExplainedSuite, index: AttributeIndex): Markup {
  const { name, kind, explanation, n, low, high, verdict, alignment } = attribute;
  const worse = verdict === 'regressed';
  const numbers =
    `${KIND_WORDS[kind]}, ${counted(n, 'test')}: ${attributeWords(attribute)}` +
    (low === null ? '' : `, ${change(attribute)}, 90 % interval ${signedInterval(low, high)}`);
  const along = of.attributes
    .filter((other) => other.explained_by.includes(attribute.id))
    .map((other) => shorten(other.name, NAME_LIMIT));
  const notes = [
    ...(along.length === 0
      ? []
      : [`${worse ? 'Also fell' : 'Also rose'} and share tests with it: ${along.join(', ')}.`]),
    ...(alignment === null
      ? []
      : [
          `Answers with other skills than expected, lower is better: ${alignmentWords(attribute)}.`,
        ]),
  ];
  const show = `Show its ${counted(attribute.references.length, 'test')}`;
  return markup`
    <details class="kind" open>
      <summary>${chip(worse ? '✗ regressed' : '↑ improved', worse ? 'bad' : 'good')}${' '}
        <b>${shorten(name, NAME_LIMIT)}</b> <span class="soft">${numbers}</span></summary>
      <div class="body">
        ${explanation === '' ? null : markup`<p>${shorten(explanation, MAX_SUMMARY_CHARS)}</p>`}
        ${notes.map(noteHtml)}
        <p>${kindLink(attribute, show, index)}</p>
        ${dropsHtml(attribute, of, index)}
      </div>
    </details>`;
}

function allHtml(of: ExplainedSuite, index: AttributeIndex): Markup | null {
  const { attributes } = of;
  if (attributes.length === 0) return null;
  const rows = attributes.slice(0, MAX_TABLE_ROWS).map((attribute) => {
    const { name, kind, explanation, prior, references, assigned } = attribute;
    const also = alsoWords(attribute, of);
    return [
      wrappedCell(markup`
        <b>${shorten(name, NAME_LIMIT)}</b> <span class="soft">${KIND_WORDS[kind]}</span>
        ${also === null ? null : markup`<br><span class="soft">${also}</span>`}`),
      ownCell(percent(prior)),
      ownCell(kindLink(attribute, counted(references.length, 'test'), index)),
      ownCell(count(assigned.length)),
      wrappedCell(shorten(explanation, MAX_SUMMARY_CHARS)),
    ];
  });
  const more = andMore(attributes.length, rows.length);
  return markup`
    <details class="samples"><summary>All ${counted(attributes.length, 'attribute')}</summary>
      ${tableHtml(['Attribute', 'Prior', 'Rated 3 or more', 'Assigned', 'What it is'], rows)}
      ${more === null ? null : markup`<p>${more}.</p>`}
    </details>`;
}

function alsoWords(attribute: AttributeResult, of: ExplainedSuite): string | null {
  const { verdict, explained_by: ids, alternatives } = attribute;
  if (!verdict.startsWith('also')) return null;
  const names = (list: readonly string[]) =>
    attributeNames(list, of)
      .map((name) => shorten(name, NAME_LIMIT))
      .join(', ');
  if (alternatives.length > 0)
    return `${verdict}: this or ${names(alternatives.map(({ id }) => id))}; ${sharedTestWords(attribute)}`;
  return ids.length === 0 ? verdict : `${verdict} and shares tests with ${names(ids)}`;
}
