import { createHash } from 'node:crypto';
import type { ReferenceResult } from '../../../../src/kernel/result/reference-result.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { POLICY, SCRIPT, STYLE } from '../../../../src/report/page/assets.ts';
import { htmlOf } from '../../../../src/report/page/blocks.ts';
import { HTML_LIMIT } from '../../../../src/report/page/page.ts';
import { NO_LINKS, code, lineBreak, text } from '../../../../src/report/sections/document.ts';
import { markupText } from '../../../../src/text/markup.ts';
import { attributeOf, elementsOfPage, textOf, type Element } from '../../../stand-ins/elements.ts';
import { wholeResultSchema } from '../../../stand-ins/features.ts';
import { packedIn } from '../../../stand-ins/page-rows.ts';
import { renderComment, renderHtml } from '../../../stand-ins/reports.ts';
import { sweepOfModels, withKinds } from '../kinds.ts';
import {
  goldens,
  hostile,
  neutral,
  referenceOf,
  regression,
  resultOf,
  score,
  sideOf,
  suiteOf,
  withProblems,
  passed,
  failed,
} from '../results.ts';

const links = {
  report: null,
  run: null,
  place: (file: string) => `https://github.com/acme/support/blob/main/${file}`,
};

/** A text that does not compress well. */
function noise(from: string, characters: number) {
  const parts = Array.from({ length: Math.ceil(characters / 44) }, (_, at) =>
    createHash('sha256').update(`${from} ${at}`).digest('base64'),
  );
  return parts.join('').slice(0, characters);
}

function large(references: number, tries: number, characters: number) {
  const answer = (index: number, at: number) => noise(`${index}.${at}`, characters);
  const list = Array.from({ length: references }, (_, index): ReferenceResult =>
    referenceOf(`case-${index}`, index % 10 === 0 ? 'regressed' : 'unchanged', {
      base: sideOf(
        Array.from({ length: tries }, (_, at) => ({ outcome: 'pass', actual: answer(index, at) })),
      ),
      head: sideOf(
        Array.from({ length: tries }, (_, at) => ({
          outcome: index % 10 === 0 ? 'fail' : 'pass',
          actual: answer(index, at + tries),
        })),
      ),
    }),
  );
  return resultOf({ suites: [suiteOf('big', list)] });
}

test('a table cell shows the title of its column on a phone, where cells are stacked', () => {
  const head = [
    [text('Base'), lineBreak, text('After 1 turn')],
    [text('Head'), lineBreak, text('After 3 turns')],
  ];
  const rows = [[[code('a')], [code('b')]]];
  const html = markupText(htmlOf([{ kind: 'table', head, rows }], NO_LINKS));
  expect(html).toContain('<td data-title="Base: After 1 turn"><code>a</code></td>');
  expect(html).toContain('<td data-title="Head: After 3 turns"><code>b</code></td>');
});

describe('images of the prompt', () => {
  const cat = { type: 'image', path: 'photos/cat.png', media_type: 'image/png', id: 'a1' } as const;
  const given = { base: passed('a'), head: failed('b') };
  const suites = [
    suiteOf('one', [
      referenceOf('mild', 'unchanged', { ...given, files: [{ ...cat, bytes: 84_000 }] }),
      referenceOf('worst', 'regressed', {
        ...given,
        files: [
          { ...cat, bytes: 84_000 },
          { ...cat, path: 'photos/old.png', id: 'b2', bytes: 840, side: 'base' },
        ],
      }),
    ]),
  ];

  test('are named with their size', async () => {
    const page = await renderHtml(resultOf({ suites }), links);
    expect(page).toContain('photos/cat.png</code> (84 KB)');
    expect(page).toContain('photos/old.png</code> (840 bytes, on base)');
  });

  test('are named with their size in comments', () => {
    expect(renderComment(resultOf({ suites }))).toContain(
      '<code>photos/cat.png</code> (84 KB), <code>photos/old.png</code> (840 bytes, on base)',
    );
  });
});

describe('the content security policy', () => {
  test.each([
    ['style', STYLE],
    ['script', SCRIPT],
  ])('contains the hash of the %s', (what, content) => {
    const hash = createHash('sha256').update(content).digest('base64');
    expect(POLICY).toContain(`; ${what}-src 'sha256-${hash}';`);
  });

  test.each(Object.entries({ ...goldens, hostile }))(
    'allows the page of %s, which has one style, one script, and nothing loaded or inline',
    async (_name, build) => {
      const all = elementsOfPage(await renderHtml(build(), links));
      expect(
        all
          .filter(({ tagName }) => tagName === 'meta')
          .map((element) => attributeOf(element, 'content')),
      ).toContain(POLICY);
      expect(all.filter(({ tagName }) => tagName === 'style').map(textOf)).toEqual([STYLE]);
      expect(all.filter(({ tagName }) => tagName === 'script').map(textOf)).toEqual([SCRIPT]);
      for (const one of all) {
        expect(one.tagName).not.toMatch(
          /^(?:img|link|iframe|object|embed|form|base|video|source)$/,
        );
        for (const { name, value } of one.attrs) {
          expect(name).not.toMatch(/^on|^style$|^src$|^action$/);
          if (name === 'href')
            expect(value).toMatch(
              /^(?:https:\/\/github\.com\/acme\/support\/|#r\d+$|#references$)/,
            );
        }
      }
    },
  );
});

describe('the page', () => {
  let page: string;
  let all: Element[];
  beforeAll(async () => {
    page = await renderHtml(regression(), links);
    all = elementsOfPage(page);
  });

  test('shows every reference with every try of both sides', () => {
    const entries = all.filter((element) => attributeOf(element, 'class') === 'case');
    expect(entries).toHaveLength(26);
    const canada = entries.find((element) => textOf(element).includes('canada'));
    expect(canada && attributeOf(canada, 'data-status')).toBe('regressed');
    expect(canada && textOf(canada)).toContain('Base – 3 of 3 passedTries 1–3: pass');
    expect(canada && textOf(canada)).toContain('Head – 1 of 3 passedTry 1: pass');
    expect(canada && textOf(canada)).toContain('Tries 2, 3: fail');
  });

  test('has a filter for each status that occurs, with its count', () => {
    const boxes = all
      .filter((element) => attributeOf(element, 'type') === 'checkbox')
      .map((element) => attributeOf(element, 'value'));
    expect(boxes).toEqual(['regressed', 'inconclusive', 'flaky', 'improved', 'unchanged']);
    expect(page.includes('checked> regressed (4)')).toBe(true);
  });

  test('describes each drawing of an interval in words for screen readers', () =>
    expect(
      all
        .filter(({ tagName }) => tagName === 'svg')
        .map((element) => attributeOf(element, 'aria-label')),
    ).toContain('−9.8 points, 90 % interval −21.2 to +1.6'));

  test('has the same sections as the other reports, and lists the problems of a run that judged nothing', async () => {
    for (const words of [
      'Scoring',
      'Cohen&#39;s κ',
      'countries with a former capital',
      '1 insight',
      '3 notices',
    ])
      expect(page.includes(words)).toBe(true);
    expect(
      (await renderHtml(withProblems())).includes(
        'unknown key &quot;mesages&quot;; did you mean &quot;messages&quot;?',
      ),
    ).toBe(true);
    expect(await renderHtml(neutral())).toContain('<h1>? Inconclusive: <code>capitals</code></h1>');
  });

  test('escapes hostile text', async () => {
    const hidden = /[\u200b\u202e\ufeff\p{Cs}]|[^\P{Cc}\n\t]/u;
    const html = await renderHtml(hostile(), links);
    expect(hidden.test(html)).toBe(false);
    expect(html).not.toContain('[object ');
    expect(elementsOfPage(html).filter(({ tagName }) => tagName === 'h1')).toHaveLength(1);
  });
});

describe('free text in a result', () => {
  const HOSTILE = '</pre></code>"><img class="out">';
  type Path = readonly (string | number)[];

  function withTexts(
    value: unknown,
    change: (text: string, at: Path) => string,
    at: Path,
  ): unknown {
    if (typeof value === 'string') return change(value, at);
    if (Array.isArray(value))
      return value.map((each, index) => withTexts(each, change, [...at, index]));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, withTexts(each, change, [...at, key])]),
    );
  }

  test.each([
    ['a regression', regression],
    ['attributes', () => withKinds(6)],
    ['a sweep', sweepOfModels],
  ])('of %s is escaped on the page in every field', async (_what, build) => {
    const free = new Map<string, boolean>();
    const kindOf = (at: Path) => at.filter((key) => typeof key === 'string').join('.');
    const whole = build();
    withTexts(
      whole,
      (text, at) => {
        if (!free.has(kindOf(at))) {
          const changed = withTexts(
            whole,
            (other, place) => (place.join() === at.join() ? HOSTILE + other : other),
            [],
          );
          free.set(kindOf(at), wholeResultSchema.safeParse(changed).success);
        }
        return text;
      },
      [],
    );
    expect([...free.values()].filter((isFree) => isFree).length).toBeGreaterThan(15);
    const result = withTexts(
      whole,
      (text, at) => (free.get(kindOf(at)) === true ? HOSTILE + text : text),
      [],
    ) as Result;
    const html = await renderHtml(result, links);
    for (const part of [html, ...packedIn(html).packed]) {
      expect(part).not.toContain('<img');
      expect(part).not.toContain('[object ');
    }
    expect(html).toContain('&lt;img class=&quot;out&quot;&gt;');
  });
});

describe("the page's size", () => {
  const WRONG = { outcome: 'fail', actual: 'no' } as const;
  const tone = (reason: string) => score('fail', 'tone', false, reason);

  test('is below 2 MB for 1,000 references of ten tries, and a note says that texts are cut', async () => {
    const html = await renderHtml(large(1_000, 5, 600));
    expect(Buffer.byteLength(html)).toBeLessThanOrEqual(HTML_LIMIT);
    const { rows, packed } = packedIn(html);
    expect(rows).toHaveLength(1_000);
    expect(packed).toHaveLength(900);
    expect(
      packed.every((row) => /^<details class="case" id="r\d+" .*<\/details>$/s.test(row)),
    ).toBe(true);
    expect(
      html.match(
        /Texts are cut after \d+ characters to keep this file small; result\.json has them whole\./,
      ),
    ).not.toBeNull();
    expect(html.match(/\(\d+ more characters\)/)).not.toBeNull();
  });

  test('leaves room for whole long answers if there are few', async () => {
    const html = await renderHtml(large(3, 2, 24_000));
    expect(html.includes('Texts are cut')).toBe(false);
    // The first screen is always short, so check only the part below.
    expect(html.slice(html.indexOf('id="references"')).includes('more characters')).toBe(false);
  });

  test.each<[string, (text: string) => Partial<ReferenceResult>]>([
    ['inputs', (text) => ({ input: { question: text } })],
    ['expected answers', (text) => ({ expected: { answer: text } })],
    ['answers', (text) => ({ head: failed(text) })],
    ['reasons', (text) => ({ head: sideOf([{ ...WRONG, scores: [tone(text)] }]) })],
  ])('cuts long %s no more than necessary', async (_what, withText) => {
    const list = Array.from({ length: 300 }, (_, index) =>
      referenceOf(`case-${index}`, 'regressed', withText(noise(String(index), 6_900))),
    );
    const html = await renderHtml(resultOf({ suites: [suiteOf('big', list)] }));
    expect(html.includes('Texts are cut after 5,000 characters')).toBe(true);
  });

  test('omits the least affected references if nothing else helps, and says so', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `variable-${index}`);
    const inputOf = (at: number) =>
      Object.fromEntries(names.map((name) => [name, noise(`${name} ${at}`, 60)]));
    const list = Array.from({ length: 1_000 }, (_, at) => {
      const input = inputOf(at);
      return referenceOf(`case-${at}`, at === 999 ? 'regressed' : 'unchanged', { input });
    });
    const html = await renderHtml(resultOf({ suites: [suiteOf('big', list)] }));
    expect(Buffer.byteLength(html)).toBeLessThanOrEqual(HTML_LIMIT);
    expect(
      html.includes('500 references with the mildest status are left out; result.json has them.'),
    ).toBe(true);
    expect(html.includes('case-999')).toBe(true);
  });
});
