import { createHash } from 'node:crypto';
import type { Result } from '../../../src/kernel/result/result.ts';
import { POLICY, SCRIPT, STYLE } from '../../../src/report/viewer-files.ts';
import { attributeOf, elementsOfPage, textOf } from '../../stand-ins/elements.ts';
import { wholeResultSchema } from '../../stand-ins/features.ts';
import { renderComment, renderHtml, viewIn } from '../../stand-ins/reports.ts';
import { sweepOfModels, withKinds } from './kinds.ts';
import {
  failed,
  goldens,
  hostile,
  passed,
  referenceOf,
  regression,
  resultOf,
  suiteOf,
} from './results.ts';

const source = { url: 'https://github.com/acme/support', directory: '.' };

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
    'allows the page of %s, which loads nothing and has no inline handlers',
    async (_name, build) => {
      const html = await renderHtml({ ...build(), source });
      const all = elementsOfPage(html);
      const textsOf = (tag: string) => all.filter(({ tagName }) => tagName === tag).map(textOf);
      expect(
        all
          .filter(({ tagName }) => tagName === 'meta')
          .map((element) => attributeOf(element, 'content')),
      ).toContain(POLICY);
      expect(textsOf('style')).toEqual([STYLE]);
      expect(textsOf('script').slice(0, -1)).toEqual([SCRIPT]);
      for (const { tagName, attrs } of all) {
        expect(tagName).not.toMatch(/^(?:img|link|iframe|object|embed|form|base|video|source)$/);
        for (const { name, value } of attrs) {
          expect(name).not.toMatch(/^on|^style$|^src$|^action$/);
          if (name === 'href') expect(value).toMatch(/^https:\/\/github\.com\/acme\/support\//);
        }
      }
      expect(html).not.toContain('[object ');
      expect(/[\u200b\u202e\ufeff\p{Cs}]/u.test(html.replace(SCRIPT, ''))).toBe(false);
    },
  );
});

describe('the page', () => {
  test('contains the whole result, and the comment for readers without JavaScript', async () => {
    const html = await renderHtml(regression());
    expect(viewIn(html).result).toEqual(JSON.parse(JSON.stringify(regression())));
    expect(html.slice(html.indexOf('<noscript>'))).toContain('Regressed: capitals');
  });

  test('is the same for the same result', async () =>
    expect(await renderHtml(withKinds())).toBe(await renderHtml(withKinds())));

  test('above 25 MB leaves out images and steps, and says so', async () => {
    const noise = (from: number) => {
      const bytes = Array.from({ length: 4_000 }, (_, at) =>
        createHash('sha512')
          .update(`${String(from)} ${String(at)}`)
          .digest('base64'),
      );
      return bytes.join('');
    };
    const references = Array.from({ length: 100 }, (_, at) => {
      const base = passed(`answer ${String(at)}`);
      const data = { type: 'image' as const, media_type: 'image/png', digest: 'd', bytes: 1 };
      const [made] = base.tries;
      return referenceOf(`t${String(at)}`, 'unchanged', {
        base: {
          ...base,
          tries: [{ ...made!, parts: [...made!.parts!, { ...data, data: noise(at) }] }],
        },
        head: base,
      });
    });
    const html = await renderHtml(resultOf({ suites: [suiteOf('big', references)] }));
    expect(html.length).toBeLessThan(1_000_000);
    const { left, result } = viewIn(html);
    expect(left).toContain('result.json has them');
    expect(JSON.stringify(result)).toContain('answer 99');
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
    ['attributes', (): Result => withKinds(6)],
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
    const html = await renderHtml(result);
    expect(html).not.toContain('<img class="out">');
    expect(html).not.toContain('[object ');
    expect(html).toContain('&lt;img class=&quot;out&quot;&gt;');
  });
});
