import type { Result } from '../../kernel/result/result.ts';
import { count, counted } from '../../text/amounts.ts';
import { type Markup, markup, trustedHtml, markupText } from '../../text/markup.ts';
import { shorten } from '../../text/visible.ts';
import { suitesWorstFirst } from '../../wording/figures.ts';
import { variantWords } from '../../wording/variants.ts';
import { bytes } from '../sections/detail.ts';
import { NAME_LIMIT, type Links } from '../sections/document.ts';
import {
  filterOf,
  type AnchorOf,
  type PageParts,
  type ReferenceFilter,
  type Reports,
} from '../sections/feature-report.ts';
import { promptKey, referenceEntries, type ReferenceEntry } from '../sections/order.ts';
import { repeatedNames, STATUS_ORDER } from '../sections/phrases.ts';
import { noteHtml } from './blocks.ts';
import { SEARCH_HTML, choicesHtml, frequentTags } from './filter.ts';
import { referenceHtml } from './references.ts';

export function referencesWorstFirst({ suites }: Result): ReferenceEntry[] {
  return referenceEntries(suitesWorstFirst(suites)).sort((a, b) => rank(a) - rank(b));
}

function rank({ reference: { status } }: ReferenceEntry): number {
  return STATUS_ORDER.indexOf(status);
}

interface ListInput {
  result: Result;
  entries: readonly ReferenceEntry[];
  anchor: AnchorOf;
  reports: Reports;
  parts: PageParts;
  characters: number;
  links: Links;
}

export async function listHtml(
  input: ListInput,
  notes: readonly string[],
  limit: number,
): Promise<Markup | null> {
  const rows = await rowsWithin(listRows(input), limit);
  if (rows === null) return null;
  const facets = facetsOf(input);
  const contents = await packValue(contentsOf(input, facets));
  const unscripted = 'The other references need JavaScript. result.json contains all of them.';
  return markup`
    <section id="references"><h2>References</h2>
      ${notes.map(noteHtml)}
      ${filterHtml(input, facets)}
      <div id="list" data-pack="${PACK_ROWS}">${rows.open.map(trustedHtml)}</div>
      ${rows.packs.length === 0 ? null : markup`<noscript><p>${unscripted}</p></noscript>`}
      <p id="rest" hidden></p>
      ${[contents, ...rows.packs].map((pack) => markup`<div class="pack" hidden>${pack}</div>`)}
    </section>`;
}

function* listRows(input: ListInput): Generator<string> {
  const { entries, result, parts, characters } = input;
  const repeated = repeatedNames(result.suites);
  for (const entry of entries) {
    const { name, variant } = entry.suite;
    const of = repeated.has(name) ? `${name}, ${variantWords(variant)}` : name;
    const suite = result.suites.length > 1 ? shorten(of, NAME_LIMIT) : null;
    const known = [...parts.values()].flatMap(
      (part) => part?.facts(entry.suite, entry.reference.id, characters) ?? [],
    );
    yield markupText(referenceHtml(entry, { ...input, suite, known }));
  }
}

interface Facets {
  suites: Map<ReferenceEntry['suite'], number>;
  tags: Map<string, number>;
  flipped: ReadonlySet<ReferenceEntry>;
  own: ReferenceFilter | null;
}

function facetsOf({ result, entries, reports }: ListInput): Facets {
  const tags = frequentTags(entries.map(({ reference }) => reference.tags));
  const flippedIn = new Map(
    result.scoring.map((scoring) => [
      promptKey(scoring),
      new Set(scoring.flipped.map(({ id }) => id)),
    ]),
  );
  return {
    suites: new Map(suitesWorstFirst(result.suites).map((suite, at) => [suite, at])),
    tags: new Map(tags.map((tag, at) => [tag, at])),
    flipped: new Set(
      entries.filter(({ suite, reference }) =>
        (flippedIn.get(promptKey(suite)) ?? NO_FLIPPED).has(reference.id),
      ),
    ),
    own: filterOf(reports, [result]),
  };
}

const NO_FLIPPED: ReadonlySet<string> = new Set();

function contentsOf(
  { entries, anchor }: ListInput,
  { suites, tags, flipped, own }: Facets,
): object {
  const rows = entries.map((entry) => {
    const { suite, reference } = entry;
    const { id, status } = reference;
    const differs = flipped.has(entry) ? [1] : [];
    const kinds = (own?.valuesOf(suite, id) ?? []).map(Number);
    const known = reference.tags.flatMap((tag) => tags.get(tag) ?? []);
    return [
      Number(anchor(suite, id)?.slice(1)),
      STATUS_ORDER.indexOf(status),
      suites.get(suite) ?? 0,
      ...(known.length + kinds.length + differs.length === 0 ? [] : [known, kinds, ...differs]),
    ];
  });
  return { statuses: STATUS_ORDER, rows };
}

function filterHtml({ entries }: ListInput, { suites, tags, flipped, own }: Facets): Markup {
  const choices = choicesHtml({
    statuses: entries.map(({ reference }) => reference.status),
    suites: [...suites].map(([{ name, variant }, at]) => {
      const words = variantWords(variant);
      return { value: String(at), words: words === '' ? name : `${name}, ${words}` };
    }),
    tags: [...tags].map(([tag, at]) => ({ value: String(at), words: tag })),
    scoring:
      flipped.size === 0
        ? []
        : [{ value: 'flipped', words: `judged differently (${count(flipped.size)})` }],
    own,
  });
  return markup`
    <fieldset id="filter" hidden><legend>Show</legend>
      ${choices}${SEARCH_HTML}
      <button type="button" data-open="yes">Open all</button>
      <button type="button" data-open="no">Close all</button>
      <button type="button" data-print>Print</button>
      <output aria-live="polite"></output>
      <p class="soft">On a row: ↑ ↓ to the next, Enter opens, Esc closes, / finds.</p>
    </fieldset>`;
}

export function listNotes(
  { entries }: Pick<ListInput, 'entries'>,
  { characters, left }: { characters: number | null; left: number },
): string[] {
  if (entries.length + left === 0) return [];
  return [
    ...(entries.some(({ reference: { p, q } }) => p !== null || q !== null)
      ? [
          'p: chance that head passes this much less often if nothing changed. ' +
            'q: expected share of false alarms if references like it are called regressed.',
        ]
      : []),
    ...(characters === null
      ? []
      : [
          `Texts are cut after ${count(characters)} characters to keep this file small; ` +
            `result.json has them whole.`,
        ]),
    ...(left === 0
      ? []
      : [
          `${counted(left, 'reference')} with the mildest status are left out; result.json has them.`,
        ]),
  ];
}

/** This many rows are plain HTML. The script unpacks the others. */
export const OPEN_ROWS = 100;

const PACK_ROWS = 100;

interface Rows {
  open: string[];
  packs: string[];
}

async function rowsWithin(rows: Iterable<string>, limit: number): Promise<Rows | null> {
  const open: string[] = [];
  const packs: string[] = [];
  let size = 0;
  let next: string[] = [];
  const pack = async () => {
    if (next.length === 0) return;
    const packed = await packValue(next);
    packs.push(packed);
    size += packed.length;
    next = [];
  };
  for (const row of rows) {
    if (open.length < OPEN_ROWS) {
      open.push(row);
      size += bytes(row);
    } else if (next.push(row) === PACK_ROWS) await pack();
    if (size > limit) return null;
  }
  await pack();
  return size > limit ? null : { open, packs };
}

async function packValue(value: unknown): Promise<string> {
  const stream = new Blob([JSON.stringify(value)])
    .stream()
    .pipeThrough(new CompressionStream('deflate-raw'));
  return Buffer.from(await new Response(stream).arrayBuffer()).toString('base64');
}
