import type { ReferenceResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import { type Markup, type MarkupPart, markup } from '../../text/markup.ts';
import { shorten } from '../../text/visible.ts';
import { outcomeLook } from '../../wording/outcomes.ts';
import { answerText } from '../answers/text.ts';
import { bytes, EVERYTHING } from '../sections/detail.ts';
import { type Links, NAME_LIMIT, placeLinks } from '../sections/document.ts';
import {
  pageParts,
  tryView,
  type AnchorOf,
  type PageParts,
  type Reports,
} from '../sections/feature-report.ts';
import { SECTION_NAMES, sectionBlocks, type SectionName } from '../sections/index.ts';
import type { ReferenceEntry } from '../sections/order.ts';
import { shortSha } from '../sections/phrases.ts';
import { rankedPrompts, rankingBlocks } from '../sections/tables.ts';
import { htmlOf, noteHtml, pageHtml, verdictHtml } from './blocks.ts';
import { costCharts } from './charts.ts';
import { OPEN_ROWS, listHtml, listNotes, referencesWorstFirst } from './list.ts';
import { FULL_META, groups } from './references.ts';
import { metricsHtml, suitesHtml } from './tables.ts';

/** Largest page in bytes, or {@link BYTES_PER_REFERENCE} per reference if that is more. */
export const HTML_LIMIT = 2_000_000;

/** Keeps a page of ten thousand references below 3 MB. */
const BYTES_PER_REFERENCE = 290;

const MOST_PACKED = 20;

/** In bytes. Browsers struggle with larger pages. */
const HTML_MOST = 25_000_000;

/** Characters per answer. The page uses the first of these limits with which it fits. */
const ANSWER_LEVELS = [1_048_576, 20_000, 5_000, 1_500, 500, 150, 50, 20] as const;

const LEAST_AROUND = 30;

export async function renderHtml(
  result: Result,
  reports: Reports,
  links: Links = placeLinks(result),
): Promise<string> {
  const entries = referencesWorstFirst(result);
  const limit = Math.min(HTML_MOST, Math.max(HTML_LIMIT, entries.length * BYTES_PER_REFERENCE));
  const costs = await costCharts(result);
  const parts = await pageParts(result, reports);
  const { least, longest } = sizesOf(entries, reports, parts);
  const withRoom = async (room: { characters: number; references: number }) => {
    const shown = entries.slice(0, room.references);
    const anchor = anchorsOf(result, new Set(shown.map(({ reference }) => reference)));
    const page = { result, reports, parts, anchor, links };
    const { characters } = room;
    const notes = listNotes(
      { entries: shown },
      {
        characters: characters < ANSWER_LEVELS[0] ? characters : null,
        left: entries.length - shown.length,
      },
    );
    const list =
      entries.length === 0
        ? markup``
        : await listHtml({ ...page, entries: shown, characters }, notes, limit);
    if (list === null) return null;
    const html = pageOf({ ...page, costs, list });
    return bytes(html) <= limit || room.references === 0 ? html : null;
  };
  let tooLarge = false;
  for (const characters of ANSWER_LEVELS) {
    if (tooLarge && characters >= Math.max(longest, FULL_META)) continue;
    if (least(characters) > limit) continue;
    const page = await withRoom({ characters, references: entries.length });
    if (page !== null) return page;
    tooLarge = true;
  }
  for (let references = entries.length; ;) {
    references = Math.floor(references / 2);
    const page = await withRoom({ characters: 20, references });
    if (page !== null) return page;
  }
}

interface Sizes {
  /** Returns a lower bound for the page's bytes if texts are cut to `characters`. */
  least(characters: number): number;
  longest: number;
}

function sizesOf(entries: readonly ReferenceEntry[], reports: Reports, parts: PageParts): Sizes {
  const open: number[] = [];
  const packed: number[] = [];
  let around = 0;
  let longest = 0;
  for (const part of parts.values()) longest = Math.max(longest, part?.longest ?? 0);
  entries.forEach(({ reference: { input, expected, base, head } }, index) => {
    const isOpen = index < OPEN_ROWS;
    longest = Math.max(longest, JSON.stringify([input, expected]).length);
    for (const { key, tries } of [base, head].flatMap((side) =>
      groups(side?.tries ?? [], reports),
    )) {
      const [first] = tries;
      const lengths = tryView(first, reports)?.lengths() ?? [answerText(first)?.length ?? 0];
      (isOpen ? open : packed).push(...lengths);
      around += isOpen ? LEAST_AROUND : LEAST_AROUND / MOST_PACKED;
      longest = Math.max(longest, key.length);
    }
  });
  const shown = (lengths: readonly number[], characters: number) =>
    lengths.reduce((sum, length) => sum + Math.min(length, characters), 0);
  return {
    longest,
    least: (characters) =>
      around + shown(open, characters) + shown(packed, characters) / MOST_PACKED,
  };
}

function anchorsOf({ suites }: Result, shown: ReadonlySet<ReferenceResult>): AnchorOf {
  let next = 0;
  const anchors = new Map(
    suites.map((suite) => [
      suite,
      new Map(
        suite.references.map((reference) => {
          next += 1;
          return [reference.id, shown.has(reference) ? `r${next}` : null];
        }),
      ),
    ]),
  );
  return (suite, id) => anchors.get(suite)?.get(id) ?? null;
}

interface PageInput {
  result: Result;
  reports: Reports;
  parts: PageParts;
  anchor: AnchorOf;
  costs: ReadonlyMap<string, Markup>;
  links: Links;
  list: Markup;
}

type PageSection = (page: PageInput) => MarkupPart;

const asBlocks =
  (name: SectionName): PageSection =>
  ({ result, reports, links }) =>
    htmlOf(sectionBlocks(result, EVERYTHING, reports, [name]), links);

function withAnswers(name: SectionName): PageSection {
  return ({ result, reports, links }) =>
    htmlOf(sectionBlocks(result, { ...EVERYTHING, answers: 2 }, reports, [name]), links);
}

const withinAnotherSection: PageSection = () => null;

const OWN: Partial<Record<SectionName, PageSection>> = {
  verdict: (page) => verdictHtml(page, ['problems', 'errors']),
  problems: withinAnotherSection,
  errors: withinAnotherSection,
  worstReference: withAnswers('worstReference'),
  newFailures: withAnswers('newFailures'),
  otherNew: withinAnotherSection,
  suites: ({ result, links }) => suitesHtml(result, links),
  ranking: variantsHtml,
  handoff: withinAnotherSection,
  brokenReferences: ({ list }) => list,
  belowReferences: ({ result, reports, parts, anchor, links }) =>
    reports.map(
      (report) =>
        parts.get(report)?.html(anchor) ??
        htmlOf(sectionBlocks(result, EVERYTHING, [report], ['belowReferences']), links),
    ),
  metrics: (page) => [metricsHtml(page.result), asBlocks('metrics')(page)],
  movedReferences: withinAnotherSection,
};

function partOf(name: SectionName, page: PageInput): MarkupPart {
  return (OWN[name] ?? asBlocks(name))(page);
}

function pageOf(page: PageInput): string {
  const { result } = page;
  const { sign, outcome } = outcomeLook(result);
  const { base, head, mode } = result;
  return pageHtml({
    title: `${sign} ${outcome} – evaldiff`,
    top: [
      mode === 'diff' ? 'base against head' : 'full sweep',
      base === null ? shortSha(head.sha) : `${shortSha(base.sha)} … ${shortSha(head.sha)}`,
    ],
    main: SECTION_NAMES.filter((name) => name !== 'footer').map((name) => partOf(name, page)),
    footer: partOf('footer', page),
  });
}

function variantsHtml({ result, costs, links }: PageInput): Markup | null {
  const prompts = rankedPrompts(result);
  if (prompts.length === 0) return null;
  const parts = prompts.map((prompt) => {
    const card = costs.get(prompt.key);
    return markup`
      <h3><code>${shorten(prompt.name, NAME_LIMIT)}</code><span class="soft">best first</span></h3>
      ${htmlOf(rankingBlocks(prompt, EVERYTHING.collapsedItems), links)}
      ${
        card === undefined
          ? noteHtml('There is no chart, because no cost is known.')
          : markup`<div class="cards">${card}</div>`
      }`;
  });
  return markup`<section id="variants"><h2>Variants</h2>${parts}</section>`;
}
