import type { AttributeResult } from '../../result/attributes.ts';
import type { Result } from '../../result/result.ts';
import type { ReferenceResult, ReferenceStatus } from '../../result/suite-result.ts';
import { count, counted } from '../../text/amounts.ts';
import { escapeMarkup, shorten } from '../../text/visible.ts';
import { NAME_LIMIT, NO_LINKS, bytes, type Detail, type Links } from '../sections/document.ts';
import { sectionBlocks, type SectionName } from '../sections/index.ts';
import { suitesWorstFirst } from '../sections/order.ts';
import { headline } from '../sections/outcomes.ts';
import { STATUS_WORDS, shortSha } from '../sections/phrases.ts';
import { explainedSuites } from '../sections/suites.ts';
import { rankedPrompts, rankingBlocks } from '../sections/tables.ts';
import { htmlOf, lineHtml, lines, pageHtml, pageIndex, type PageIndex } from './blocks.ts';
import { chartsOf, type Charts } from './charts.ts';
import { dashboardHtml } from './dashboard.ts';
import { STATUS_ORDER, groups, suiteHtml } from './references.ts';
import { dialogueLengths } from './samples.ts';
import { suitesHtml } from './suites.ts';

/**
 * A report of up to a thousand references stays below this; each further one adds room for itself.
 * Bytes.
 */
export const HTML_LIMIT = 2_000_000;

const BYTES_PER_REFERENCE = 2_000;

/** Beyond this no browser is comfortable; the mildest references are then left out. */
const HTML_MOST = 25_000_000;

/**
 * Characters of one answer: the first that fits is taken. Row 75 of the inputs we expect asks for 1
 * MiB.
 */
const ANSWER_LEVELS = [1_048_576, 20_000, 5_000, 1_500, 500, 150, 50, 20] as const;

/**
 * Bytes that the shortest markup around an answer takes: its `<div>` and the words "Try 1: pass".
 */
const LEAST_AROUND = 30;

const EVERYTHING: Detail = {
  suites: Infinity,
  answers: 0,
  lines: 400,
  counts: 0,
  characters: 2_000,
  items: 1_000,
  problems: Infinity,
  said: null,
};

/** What is shown: characters of an answer, and how many references in all, the mildest left out. */
interface Room {
  characters: number;
  references: number;
}

/**
 * The whole result as one file for a browser: no request leaves it, its policy lets nothing but its
 * own style and script apply, every text in it is escaped. Answers are cut, and said to be, where
 * the file would grow past its limit.
 */
export async function renderHtml(result: Result, links: Links = NO_LINKS): Promise<string> {
  const total = result.suites.reduce((sum, { references }) => sum + references.length, 0);
  const limit = Math.min(HTML_MOST, Math.max(HTML_LIMIT, total * BYTES_PER_REFERENCE));
  const { lengths, around } = answerLengths(result);
  const charts = await chartsOf(result);
  for (const characters of ANSWER_LEVELS) {
    // The answers with what stands around each are a lower bound that costs no rendering.
    if (lengths.reduce((sum, length) => sum + Math.min(length, characters), around) > limit)
      continue;
    const page = pageOf(result, { characters, references: total }, charts, links);
    if (bytes(page) <= limit) return page;
  }
  for (
    let references = Math.floor(total / 2);
    references > 0;
    references = Math.floor(references / 2)
  ) {
    const page = pageOf(result, { characters: 20, references }, charts, links);
    if (bytes(page) <= limit) return page;
  }
  return pageOf(result, { characters: 20, references: 0 }, charts, links);
}

/**
 * Lengths of all answers, each group of equal tries once, as they are shown; and the least that
 * stands around them.
 */
function answerLengths({ suites }: Result): { lengths: number[]; around: number } {
  const sides = suites.flatMap(({ references }) =>
    references.flatMap(({ base, head }) => [base?.tries ?? [], head?.tries ?? []]),
  );
  const shown = sides.flatMap((tries) => groups(tries).map(([first]) => first));
  const lengths = shown.flatMap(({ conversation, actual }) =>
    conversation ? dialogueLengths(conversation) : [actual?.length ?? 0],
  );
  return { lengths, around: shown.length * LEAST_AROUND };
}

/** Everything that a part of the page is made from. */
interface PageInput {
  result: Result;
  room: Room;
  charts: Charts;
  index: PageIndex;
  links: Links;
}

type PagePart = (page: PageInput) => string;

/** A section as every other output shows it. */
const asBlocks =
  (...names: SectionName[]): PagePart =>
  ({ result, links }) =>
    htmlOf(sectionBlocks(result, EVERYTHING, names), links);

/** What the page shows within another section. */
const shownAbove: PagePart = () => '';

/**
 * How the page shows each section, in its order: a section of the report that is missing here does
 * not compile.
 */
const PARTS = {
  verdict: verdictHtml,
  changedLines: asBlocks('changedLines'),
  worstCase: asBlocks('worstCase'),
  problems: shownAbove,
  errors: shownAbove,
  reasons: shownAbove,
  suites: ({ result, links }) => suitesHtml(result, links),
  ranking: variantsHtml,
  attributes: ({ result, charts, index }) => dashboardHtml(result, charts, index),
  brokenCases: referencesHtml,
  movedCases: shownAbove,
  said: asBlocks('said'),
  conversations: asBlocks('conversations'),
  metricValues: asBlocks('metricValues'),
  preferences: asBlocks('preferences'),
  classes: asBlocks('classes'),
  scoringChange: asBlocks('scoringChange'),
  details: asBlocks('details'),
  footer: asBlocks('footer'),
} satisfies Record<SectionName, PagePart>;

function pageOf(result: Result, room: Room, charts: Charts, links: Links): string {
  const { sign, outcome } = headline(result);
  const chosen = new Set(
    byStatus(result.suites.flatMap(({ references }) => references)).slice(0, room.references),
  );
  const page = { result, room, charts, index: pageIndex(result, chosen), links };
  const { base, head, mode } = result;
  const { footer, ...main } = PARTS;
  return pageHtml({
    title: `${sign} ${outcome} – evaldiff`,
    top: [
      mode === 'diff' ? 'base against head' : 'full sweep',
      base === null ? shortSha(head.sha) : `${shortSha(base.sha)} … ${shortSha(head.sha)}`,
    ],
    main: Object.values(main).map((part) => part(page)),
    footer: footer(page),
  });
}

function verdictHtml(page: PageInput): string {
  const { sign, tone, outcome, subject, line } = headline(page.result);
  const more = asBlocks('problems', 'errors', 'reasons')(page);
  return `<section class="verdict ${tone}"><h1>${sign} ${escapeMarkup(outcome)}${subject.length === 0 ? '' : `: ${lineHtml(subject, page.links)}`}</h1><p>${lineHtml(line, page.links)}</p>${more}</section>`;
}

/** A sweep's variants, ranked, and their quality against their cost. */
function variantsHtml({ result, charts: { costs }, links }: PageInput): string {
  const prompts = rankedPrompts(result);
  if (prompts.length === 0) return '';
  const parts = prompts.map((prompt) =>
    [
      `<h3><code>${escapeMarkup(shorten(prompt.name, NAME_LIMIT))}</code><span class="soft">the best first</span></h3>`,
      htmlOf(rankingBlocks(prompt, EVERYTHING.items), links),
      costs.has(prompt.key)
        ? `<div class="cards">${costs.get(prompt.key) ?? ''}</div>`
        : '<p class="soft">The cost of no variant is known, so none is drawn.</p>',
    ].join('\n'),
  );
  return lines(['<section id="variants"><h2>Variants</h2>', ...parts, '</section>']);
}

function referencesHtml({ result, room: { characters }, index, links }: PageInput): string {
  const all = result.suites.flatMap(({ references }) => references);
  if (all.length === 0) return '';
  const chosen = index.shown;
  const left = all.length - all.filter((one) => chosen.has(one)).length;
  const notes = [
    ...(result.mode === 'diff'
      ? [
          'p: chance of head passing this much less often if nothing changed; q: false-discovery rate at which the reference would be called regressed.',
        ]
      : []),
    ...(characters < ANSWER_LEVELS[0]
      ? [
          `Texts are cut after ${count(characters)} characters to keep this file small; result.json has them whole.`,
        ]
      : []),
    ...(left > 0
      ? [
          `${counted(left, 'reference')} with the mildest status are left out; result.json has them.`,
        ]
      : []),
  ];
  return lines([
    '<section id="references"><h2>References</h2>',
    ...notes.map((note) => `<p class="soft">${escapeMarkup(note)}</p>`),
    filterHtml(
      result,
      all.filter((one) => chosen.has(one)),
      index,
    ),
    ...suitesWorstFirst(result.suites).map((suite) =>
      suiteHtml(
        suite,
        byStatus(suite.references).filter((one) => chosen.has(one)),
        index,
        characters,
        links,
      ),
    ),
    '</section>',
  ]);
}

function byStatus(references: readonly ReferenceResult[]): ReferenceResult[] {
  return [...references].sort(
    (a, b) => STATUS_ORDER.indexOf(a.status) - STATUS_ORDER.indexOf(b.status),
  );
}

/** Hidden until the script that serves it runs. */
function filterHtml(result: Result, shown: readonly ReferenceResult[], index: PageIndex): string {
  const number = (status: ReferenceStatus): number =>
    shown.filter((one) => one.status === status).length;
  const boxes = STATUS_ORDER.filter((status) => number(status) > 0).map(
    (status) =>
      `<label><input type="checkbox" value="${status}" checked> ${escapeMarkup(STATUS_WORDS[status])} (${count(number(status))})</label>`,
  );
  return (
    `<fieldset id="filter" hidden><legend>Show</legend>${boxes.join('')}${kindsHtml(result, index)}<input type="search" placeholder="Find in references" aria-label="Find in references">` +
    '<button type="button" data-open="yes">Open all</button><button type="button" data-open="no">Close all</button><output aria-live="polite"></output></fieldset>'
  );
}

/** The attributes of all suites as a choice beside the statuses. */
function kindsHtml(result: Result, index: PageIndex): string {
  const groups = explainedSuites(result, suitesWorstFirst(result.suites)).flatMap((of) =>
    KINDS.map(({ kind, words }) => ({
      label: `${of.name}: ${words}`,
      attributes: of.attributes.filter((one) => one.kind === kind),
    })),
  );
  const option = (one: AttributeResult): string =>
    `<option value="${index.kind(one) ?? ''}">${escapeMarkup(`${shorten(one.name, NAME_LIMIT)} (${count(one.references.length)})`)}</option>`;
  const options = groups
    .filter(({ attributes }) => attributes.length > 0)
    .map(
      ({ label, attributes }) =>
        `<optgroup label="${escapeMarkup(shorten(label, NAME_LIMIT))}">${attributes.map(option).join('')}</optgroup>`,
    );
  return options.length === 0
    ? ''
    : `<select aria-label="Attribute"><option value="">All attributes</option>${options.join('')}</select>`;
}

const KINDS = [
  { kind: 'domain', words: 'domains' },
  { kind: 'subtask', words: 'sub-tasks' },
] as const;
