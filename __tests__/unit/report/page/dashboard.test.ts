import type { Result } from '../../../../src/kernel/result/result.ts';
import { HTML_LIMIT } from '../../../../src/report/page/page.ts';
import {
  attributeOf,
  below,
  elementsOfPage,
  spacedTextOf as textOf,
  type Element,
} from '../../../stand-ins/elements.ts';
import { hostileTexts } from '../../../stand-ins/hostile-text.ts';
import { packedIn } from '../../../stand-ins/page-rows.ts';
import { renderHtml } from '../../../stand-ins/reports.ts';
import { sweepOfModels, thirty, withKinds } from '../kinds.ts';
import { resultOf } from '../results.ts';

const within = (element: Element | undefined, tag: string) =>
  element === undefined ? [] : below(element).filter(({ tagName }) => tagName === tag);
/** Cards by title; domains come before sub-tasks. */
const cards = (all: Element[]): [string, Element][] =>
  all
    .filter((element) => attributeOf(element, 'class') === 'card')
    .map((element) => [textOf(within(element, 'b')[0]!), element]);
const rows = (card: Element) =>
  within(card, 'tr')
    .map((row) =>
      below(row)
        .filter(({ tagName }) => tagName === 'td')
        .map(textOf),
    )
    .filter(({ length }) => length > 0);
const drawn = (card: Element) => within(card, 'text').map(textOf);

const rated = (result: Result, evidence: string): Result => ({
  ...result,
  attributes: result.attributes.map((attribute) => ({
    ...attribute,
    ratings: attribute.references.map((reference) => ({ reference, affinity: 4, evidence })),
  })),
});

test('the proficiency table shows the means of a metric and escapes its name', async () => {
  const given = withKinds();
  const attributes = given.attributes.map((attribute) => ({
    ...attribute,
    values: { metric: '<b>rouge', n: attribute.n, base: 0.41, head: 0.33 },
  }));
  const html = await renderHtml({ ...given, attributes });
  const [, card] = cards(elementsOfPage(html)).find(([title]) => title === 'Proficiency')!;
  expect(within(card, 'th').map(textOf).at(-1)).toBe('Mean of <b>rouge');
  expect(rows(card).every((row) => row.at(-1) === '0.41 → 0.33')).toBe(true);
  expect(textOf(card)).toContain('shown but not tested');
});

describe('the dashboard of a comparison', () => {
  const result = withKinds();
  let html: string;
  let all: Element[];
  beforeAll(async () => {
    html = await renderHtml(result);
    all = elementsOfPage(html);
  });

  test('has charts of prior and proficiency for domains and for sub-tasks, and one of skill alignment', () => {
    expect(cards(all).map(([title]) => title)).toEqual([
      'Prior',
      'Proficiency',
      'Prior',
      'Proficiency',
      'Skill alignment',
    ]);
    expect(textOf(cards(all)[4]![1])).toContain('lower is better');
  });

  test('repeats each chart as a table', () => {
    for (const [, card] of cards(all)) {
      const words = drawn(card).map((line) => line.replace(/^[✗↑] /, ''));
      for (const cells of rows(card)) {
        expect(words).toContain(cells[0]);
        if (!cells.includes('too few'))
          expect(words.some((word) => cells.slice(1).includes(word))).toBe(true);
      }
      expect(rows(card)).toHaveLength(drawn(card).length / 2 - 1.5);
    }
    expect(rows(cards(all)[1]![1])[0]?.join(' | ')).toBe(
      'Refunds and returns | 20 | 100.0 % → 60.0 % | −40.0 points | −51.2 to −28.8 | regressed',
    );
  });

  test('shows no rates for an attribute with too few references', () => {
    const words = drawn(cards(all)[1]![1]);
    expect(words[words.indexOf('Praise and complaints') + 1]).toBe('6 tests: too few');
  });

  test('labels every chart for screen readers', () => {
    for (const [, card] of cards(all)) {
      const [svg] = within(card, 'svg');
      expect(attributeOf(svg!, 'role')).toBe('img');
      expect(attributeOf(svg!, 'aria-label')).toMatch(
        /\d (?:rows|domains|sub-tasks)\b.*numbers are in the table below\.$/,
      );
    }
  });

  test('links insights and attributes to their references, which are all on the page', () => {
    const ids = new Set(all.map((element) => attributeOf(element, 'id')));
    const links = all
      .filter(({ tagName }) => tagName === 'a')
      .map((element) => attributeOf(element, 'href') ?? '');
    expect(links.length).toBeGreaterThan(15);
    for (const link of links) expect(ids).toContain(link.replace(/^#/, ''));
    const insight = all.find((element) => attributeOf(element, 'class') === 'insights');
    expect(within(insight, 'a').map(textOf)).toEqual([
      'Refunds and returns',
      'mail-001',
      'mail-013',
      'mail-019',
      'Refusing politely',
      'mail-001',
    ]);
    const [, reference] = within(insight, 'a');
    const target = all.find(
      (element) => attributeOf(element, 'id') === attributeOf(reference!, 'href')?.slice(1),
    );
    expect(textOf(target!)).toContain('mail-001');
  });

  test('marks every reference with its attributes', () => {
    const values = new Map(
      all
        .filter(({ tagName }) => tagName === 'option')
        .map((element) => [attributeOf(element, 'value'), textOf(element)]),
    );
    expect(values.size).toBe(12);
    for (const [at, attribute] of result.attributes.entries()) {
      const value = String(at + 1);
      expect(values.get(value)).toBe(`${attribute.name} (${attribute.references.length})`);
      const marked = packedIn(html).rows.flatMap(([number, , , , kinds = []]) =>
        kinds.includes(at + 1) ? (result.suites[0]!.references[number - 1]?.id ?? '') : [],
      );
      expect(marked.sort()).toEqual([...attribute.references].sort());
    }
  });

  test('shows for a reference why it has each of its attributes', async () => {
    const page = await renderHtml(rated(result, "the mail's <b>own</b> words"));
    const row = elementsOfPage(page).find(
      (element) => attributeOf(element, 'class') === 'case' && textOf(element).includes('mail-001'),
    );
    const own = result.attributes.filter(({ references }) => references.includes('mail-001'));
    expect(own).toHaveLength(5);
    for (const { name, kind } of own)
      expect(textOf(row!)).toContain(
        `${name} ${kind === 'domain' ? 'domain' : 'sub-task'}, affinity 4 of 5: the mail's <b>own</b> words`,
      );
    expect(page).not.toContain('<b>own');
    expect(textOf(row!)).not.toContain('not rated');
  });

  test('shows the largest drops with both answers, and answers whose skills differ from the expected ones', () => {
    const moved = all.find((element) => attributeOf(element, 'class') === 'kind');
    const samples = below(moved!)
      .filter((element) => attributeOf(element, 'class') === 'sample')
      .map((element) => textOf(element).replace(/\s+/g, ' '));
    expect(samples).toHaveLength(3);
    expect(samples[0]).toMatch(
      /mail-001.*100\.0 % → 0\.0 %.*My order from March.*You get your money back within five days.*A refund is not possible/,
    );
    expect(textOf(moved!)).toContain('Also fell and share tests with it: Refusing politely.');
    expect(html).toContain(
      'head&#39;s answer uses &quot;Refusing politely&quot; less than expected: affinity 1 where the expected answer has 5',
    );
  });

  test('is the same for the same result', async () => {
    expect(await renderHtml(withKinds())).toBe(html);
  });

  test('is absent if there are no attributes or insights', async () => {
    const plain = await renderHtml({ ...result, attributes: [], insights: [] });
    expect(plain).not.toContain('Attributes');
    expect(plain).not.toContain('<select');
    expect(packedIn(plain).rows.every((row) => row.length === 3)).toBe(true);
  });
});

describe('the size limit of a page', () => {
  test('is not reached by a thousand references with fifteen domains and fifteen sub-tasks', async () => {
    const html = await renderHtml(rated(withKinds(1_000, thirty), 'money back '.repeat(27)));
    expect(Buffer.byteLength(html)).toBeLessThan(HTML_LIMIT);
    const all = elementsOfPage(html);
    expect(packedIn(html).rows.filter((row) => row[4] !== undefined)).toHaveLength(1_000);
    expect(within(cards(all)[1]![1], 'circle')).toHaveLength(30);
  });

  test('shortens the texts quoted for ratings no more than necessary', async () => {
    const html = await renderHtml(rated(withKinds(24), 'money back '.repeat(3_000)));
    expect(/Texts are cut after [\d,]+/.exec(html)?.[0]).toBe('Texts are cut after 20,000');
  });

  test('keeps charts for the worst of many suites, and the page says which are missing', async () => {
    const one = withKinds(40, thirty);
    const path = (at: number) => `prompts/triage-${at}.yaml`;
    const every = Array.from({ length: 30 }, (_, at) => at);
    const [suite] = one.suites;
    const many: Result = {
      ...one,
      insights: [],
      suites: every.map((at) => ({ ...suite!, path: path(at), name: `triage-${at}` })),
      attributes: every.flatMap((at) =>
        one.attributes.map((attribute) => ({ ...attribute, path: path(at) })),
      ),
    };
    const html = await renderHtml(many);
    expect(Buffer.byteLength(html)).toBeLessThanOrEqual(30 * 40 * 2_000);
    expect(html).toMatch(
      /Charts are drawn for the worst suites, to keep this file small; those of \d+ suites are left out; result\.json has the numbers\./,
    );
    expect(html).toContain('The attributes of 10 suites are left out; result.json has them.');
  });

  test('applies to long names too, which are shortened and escaped', async () => {
    const texts = Object.values(hostileTexts);
    const long = (at: number) => 'x'.repeat(at % 5 === 0 ? 9_000 : 0);
    const sorts = texts.map((explanation, at) => ({
      kind: at % 2 === 0 ? ('domain' as const) : ('subtask' as const),
      explanation,
      name: `${explanation} ${long(at)}`,
    }));
    const one = withKinds(60, sorts);
    const html = await renderHtml({
      ...one,
      insights: texts.map((text) => ({
        ...one.insights[0]!,
        attribute: one.attributes[0]!.id,
        references: [text],
      })),
    });
    const all = elementsOfPage(html);
    expect(/[\u200b\u202e\ufeff\p{Cs}]|[^\P{Cc}\n\t]/u.test(html)).toBe(false);
    expect(
      all
        .filter(({ tagName }) => ['h1', 'style', 'script'].includes(tagName))
        .map(({ tagName }) => tagName)
        .sort(),
    ).toEqual(['h1', 'script', 'style']);
    for (const { tagName, attrs } of all) {
      expect(['img', 'iframe', 'object', 'link', 'form', 'foreignObject']).not.toContain(tagName);
      for (const { name } of attrs) expect(name).not.toMatch(/^on|^style$/);
    }
    expect(html).not.toContain('x'.repeat(300));
  });
});

describe('the dashboard of a sweep', () => {
  test('draws quality against cost, and lists variants of unknown cost in words', async () => {
    const all = elementsOfPage(await renderHtml(sweepOfModels()));
    const [, card] = cards(all).find(([title]) => title === 'Quality against cost, capitals')!;
    expect(textOf(card).replace(/\s+/g, ' ')).toContain(
      'Not drawn, because the cost is not known: local-llama, temperature 0 .',
    );
    expect(rows(card)).toEqual([
      ['1', 'gpt-4o, temperature 0', '$5.20', '95.0 %', '89.5 to 97.7 %'],
      ['2', 'claude-sonnet, temperature 0', '$6.40', '95.0 %', '89.5 to 97.7 %'],
      ['3', 'claude-haiku, temperature 0', '$1.10', '90.0 %', '83.3 to 94.2 %'],
      ['4', 'gpt-4o-mini, temperature 0', '$0.31', '87.5 %', '80.4 to 92.3 %'],
    ]);
    expect(drawn(card).filter((words) => /^\d$/.test(words))).toEqual(['1', '2', '3', '4']);
  });

  test('explains that no cost is known instead of drawing', async () => {
    const sweep = sweepOfModels();
    const html = await renderHtml({
      ...sweep,
      attributes: [],
      suites: sweep.suites.map((suite) => ({ ...suite, cost_per_1000_calls: null })),
    });
    expect(html).toContain('There is no chart, because no cost is known.');
    expect(html).not.toContain('<svg class="chart"');
  });

  test('shows the pass rates of attributes without a verdict', async () => {
    const all = elementsOfPage(await renderHtml(sweepOfModels()));
    const proficiency = cards(all).find(([title]) => title === 'Proficiency')![1];
    const head = within(proficiency, 'th').map(textOf);
    expect(head).toEqual(['Attribute', 'Tests judged', 'Pass rate']);
    expect(textOf(proficiency)).not.toMatch(/too few|no change/);
  });
});

test('a result without suites has no dashboard', async () => {
  expect(await renderHtml(resultOf({}))).not.toContain('class="cards"');
});
