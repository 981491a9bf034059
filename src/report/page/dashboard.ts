import {
  KIND_WORDS,
  droppedWords,
  attributesWorstFirst,
  explainedSuites,
  explainers,
  suiteKey,
  type ExplainedSuite,
} from '../../features/attributes/explained-suites.ts';
import type { AttributeResult, Insight } from '../../features/attributes/result.ts';
import { alignmentWords } from '../../features/attributes/section.ts';
import type { Result } from '../../kernel/result/result.ts';
import { percent, count, counted } from '../../text/amounts.ts';
import { escapeMarkup, shorten } from '../../text/visible.ts';
import { NAME_LIMIT } from '../sections/document.ts';
import { suitesWorstFirst } from '../sections/order.ts';
import { andMore, change, rates, signedInterval } from '../sections/phrases.ts';
import { chip, tableHtml } from './blocks.ts';
import type { Charts } from './charts.ts';
import { kindLink, referenceLink, type PageIndex } from './page-index.ts';
import { dropsHtml, skillsHtml } from './samples.ts';

/** Suites, and moved attributes per suite, shown in full; the rest is counted. */
const MOST_SUITES = 20;

const MOST_MOVED = 10;

const MOST_ROWS = 60;

/** References named after an insight. */
const MOST_NAMED = 12;

const SENTENCE = 600;

/**
 * The attributes of every suite: insights, changes with samples, charts, and all attributes with
 * their references.
 */
export function dashboardHtml(result: Result, charts: Charts, index: PageIndex): string {
  const suites = explainedSuites(result, suitesWorstFirst(result.suites));
  if (suites.length === 0) return '';
  const shown = suites.slice(0, MOST_SUITES);
  const notes = [
    ...(suites.length > shown.length
      ? [
          `The attributes of ${counted(suites.length - shown.length, 'suite')} are left out; result.json has them.`,
        ]
      : []),
    ...(charts.left > 0
      ? [
          `Charts are drawn for the worst suites, to keep this file small; those of ${counted(charts.left, 'suite')} are left out; result.json has the numbers.`,
        ]
      : []),
  ];
  return [
    '<section id="kinds"><h2>Attributes</h2>',
    ...(result.attributes.length === 0 ? [] : [`<p>${escapeMarkup(summaryOf(result))}</p>`]),
    ...shown.map((suite) => suiteDashboard(suite, result.mode, charts, index)),
    ...notes.map((note) => `<p class="soft">${escapeMarkup(note)}</p>`),
    '</section>',
  ].join('\n');
}

function summaryOf({ attributes, mode }: Result): string {
  const of = (verdict: AttributeResult['verdict']): number =>
    attributes.filter((attribute) => attribute.verdict === verdict).length;
  if (mode === 'sweep')
    return `${counted(attributes.length, 'attribute')}, worked out from the references.`;
  const few = of('too few');
  return [
    `${count(of('regressed'))} regressed, ${count(of('improved'))} improved, `,
    `of ${counted(attributes.length, 'attribute')}`,
    few === 0 ? '' : `; ${count(few)} with too few references to judge`,
    '.',
  ].join('');
}

function suiteDashboard(
  of: ExplainedSuite,
  mode: Result['mode'],
  charts: Charts,
  index: PageIndex,
): string {
  const { attributes, insights } = of;
  const moved = attributesWorstFirst(
    attributes.filter(
      ({ verdict }) => mode === 'diff' && (verdict === 'regressed' || verdict === 'improved'),
    ),
  );
  const more = andMore(moved.length, MOST_MOVED);
  const [first] = attributes;
  const cards = first === undefined ? undefined : charts.kinds.get(suiteKey(first));
  return [
    `<section class="kinds"><h3><code>${escapeMarkup(shorten(of.name, NAME_LIMIT))}</code></h3>`,
    insightsHtml(insights, of, index),
    cards === undefined || cards.domains === ''
      ? ''
      : `<h4>Domains: what inputs are about</h4><div class="cards">${cards.domains}</div>`,
    cards === undefined || cards.subtasks === ''
      ? ''
      : `<h4>Sub-tasks: what answering takes</h4><div class="cards">${cards.subtasks}</div>`,
    ...moved.slice(0, MOST_MOVED).map((attribute) => movedHtml(attribute, of, index)),
    ...(more === null ? [] : [`<p>${escapeMarkup(more)}, in the table of all attributes.</p>`]),
    skillsHtml(of, index),
    allHtml(of, index),
    '</section>',
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function insightsHtml(insights: readonly Insight[], of: ExplainedSuite, index: PageIndex): string {
  const dropped = droppedWords(of.dropped);
  if (insights.length === 0 && dropped === null) return '';
  const generated = insights.some((insight) => insight.generated);
  const items = insights.map(({ text, attributes, references }) => {
    const kinds = attributes
      .flatMap((id) => of.attributes.find((attribute) => attribute.id === id) ?? [])
      .map((attribute) => kindLink(attribute, shorten(attribute.name, NAME_LIMIT), index));
    const names = references.slice(0, MOST_NAMED).map((id) => referenceLink(of.suite, id, index));
    const more = andMore(references.length, names.length);
    const rests = [...kinds, ...names, ...(more === null ? [] : [escapeMarkup(more)])];
    return `<li>${escapeMarkup(shorten(text, SENTENCE))}${rests.length === 0 ? '' : `<br><span class="soft">rests on</span> ${rests.join(', ')}`}</li>`;
  });
  const title = `${counted(insights.length, 'insight')}${generated ? ', generated by a model' : ''}`;
  const note = generated
    ? '<p class="soft">Generated text, without influence on the verdict. Check it against the references it names.</p>'
    : '';
  const list = items.length === 0 ? '' : `<ul>${items.join('')}</ul>`;
  const left = dropped === null ? '' : `<p class="soft">${escapeMarkup(dropped)}</p>`;
  return `<div class="insights"><h4>${title}</h4>${note}${list}${left}</div>`;
}

/** A regressed or improved attribute: numbers, description, affected references and samples. */
function movedHtml(attribute: AttributeResult, of: ExplainedSuite, index: PageIndex): string {
  const { name, kind, explanation, n, base, head, low, high, verdict, alignment } = attribute;
  const worse = verdict === 'regressed';
  const numbers = `${KIND_WORDS[kind]}, ${counted(n, 'reference')}: ${rates(base, head)}, ${change(attribute)}, 90 % interval ${signedInterval(low, high)}`;
  const along = of.attributes
    .filter((other) => other.explained_by.includes(attribute.id))
    .map((other) => escapeMarkup(shorten(other.name, NAME_LIMIT)));
  return [
    [
      '<details class="kind" open><summary>',
      chip(worse ? '✗ regressed' : '↑ improved', worse ? 'bad' : 'good'),
      ` <b>${escapeMarkup(shorten(name, NAME_LIMIT))}</b>`,
      ` <span class="soft">${escapeMarkup(numbers)}</span></summary><div class="body">`,
    ].join(''),
    explanation === '' ? '' : `<p>${escapeMarkup(shorten(explanation, SENTENCE))}</p>`,
    along.length === 0
      ? ''
      : `<p class="soft">Moved only with references shared with it: ${along.join(', ')}.</p>`,
    alignment === null
      ? ''
      : `<p class="soft">Answers with other skills than expected, lower is better: ${escapeMarkup(alignmentWords(attribute))}.</p>`,
    `<p>${kindLink(attribute, `Show its ${counted(attribute.references.length, 'reference')}`, index)}</p>`,
    dropsHtml(attribute, of, index),
    '</div></details>',
  ].join('');
}

function allHtml(of: ExplainedSuite, index: PageIndex): string {
  const { attributes } = of;
  if (attributes.length === 0) return '';
  const rows = attributes.slice(0, MOST_ROWS).map((attribute) => {
    const { name, kind, explanation, prior, explained_by: by } = attribute;
    const shared =
      by.length === 0
        ? ''
        : `<br><span class="soft">moved only with references shared with ${escapeMarkup(
            explainers(attribute, of)
              .map((explainer) => shorten(explainer, NAME_LIMIT))
              .join(', '),
          )}</span>`;
    return [
      {
        html: `<b>${escapeMarkup(shorten(name, NAME_LIMIT))}</b> <span class="soft">${KIND_WORDS[kind]}</span>${shared}`,
        own: false,
      },
      { html: percent(prior), own: true },
      {
        html: kindLink(attribute, counted(attribute.references.length, 'reference'), index),
        own: true,
      },
      { html: escapeMarkup(shorten(explanation, SENTENCE)), own: false },
    ];
  });
  const more = andMore(attributes.length, rows.length);
  return [
    '<details class="samples"><summary>All ',
    `${counted(attributes.length, 'attribute')}</summary>`,
    tableHtml(['Attribute', 'Prior', 'Assigned', 'What it is'], rows),
    more === null ? '' : `<p>${escapeMarkup(more)}.</p>`,
    '</details>',
  ].join('');
}
