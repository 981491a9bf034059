import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { trendChart } from '../../../../src/features/history/trend-chart.ts';
import { priorChart, sidesChart } from '../../../../src/report/page/bar-charts.ts';
import { qualityCostChart } from '../../../../src/report/page/line-charts.ts';
import { markupText } from '../../../../src/text/markup.ts';
import {
  attributeOf,
  elementsOfFragment,
  textOf,
  type Element,
} from '../../../stand-ins/elements.ts';
import { hostileTexts } from '../../../stand-ins/hostile-text.ts';

const texts = (svg: string) =>
  elementsOfFragment(svg)
    .filter(({ tagName }) => tagName === 'text')
    .map(textOf);
const value = (element: Element | undefined, name: string) => Number(attributeOf(element, name));

const prior = (names: readonly string[]) =>
  markupText(
    priorChart({
      label: names.join(' '),
      rows: names.map((name, index) => ({ name, prior: (index + 1) / 20 })),
    }),
  );
const row = {
  name: 'refunds',
  base: 0.9,
  head: 0.6,
  low: -0.4,
  high: -0.2,
  finding: 'worse' as const,
  instead: null,
};
const few = { ...row, finding: null, instead: '6 references: too few' };
const sides = (...rows: Parameters<typeof sidesChart>[0]['rows']) =>
  markupText(sidesChart({ label: 'x', rows }));
const costs = (...points: Parameters<typeof qualityCostChart>[0]['points']) =>
  markupText(qualityCostChart({ label: 'x', points }));
const trend = (...rates: (number | null)[]) => {
  const points = rates.map((rate, index) => ({
    ...{ at: `2026-01-0${index + 1}`, rate, low: rate, high: rate },
  }));
  return markupText(trendChart({ label: 'x', points }));
};
const POINT = { rank: 1, cost: 3, rate: 0.9, low: 0.8, high: 0.95 };
const charts: [string, () => string][] = [
  ['prior', () => prior(['a', 'b'])],
  ['sides', () => sides(row, few)],
  ['quality against cost', () => costs(POINT, { ...POINT, rank: 2, cost: 3.1, low: 0.7 })],
  ['trend', () => trend(0.9, null, 0.8, 0.7)],
];

describe('every chart', () => {
  test.each(charts)('(%s) has the same bytes each time it is drawn', (_name, make) => {
    const first = make();
    for (const [, other] of charts) other();
    expect(make()).toBe(first);
  });

  test.each(charts)(
    "(%s) is a labelled image in the page's colours without id, style or script",
    (_name, make) => {
      const all = elementsOfFragment(make());
      expect(all[0]?.tagName).toBe('svg');
      expect(all[0]?.attrs.map(({ name }) => name).join(' ')).toBe(
        'class width height viewBox role aria-label',
      );
      for (const { tagName, attrs } of all) {
        expect(['svg', 'g', 'path', 'text', 'circle', 'rect', 'polygon']).toContain(tagName);
        for (const { name, value: given } of attrs) {
          expect(name).not.toMatch(/^(?:id|style|on.*|href|clip-path)$/);
          if (name === 'fill' || name === 'stroke')
            expect(given).toMatch(/^(?:none|var\(--[a-z]+\))$/);
        }
      }
    },
  );

  test('lets the process exit after drawing', () => {
    const module = pathToFileURL(
      join(import.meta.dirname, '../../../../src/report/page/line-charts.ts'),
    ).href;
    const helper = pathToFileURL(join(import.meta.dirname, '../../../../src/text/markup.ts')).href;
    const program = `const { priorChart } = await import(${JSON.stringify(module)}); const { markupText } = await import(${JSON.stringify(helper)}); process.stdout.write(markupText(priorChart({ label: 'x', rows: [{ name: 'a', prior: 1 }] })));`;
    // A process that does not exit is killed, which throws.
    expect(
      execFileSync(process.execPath, ['--input-type=module', '-e', program], {
        encoding: 'utf8',
        timeout: 60_000,
      }),
    ).toBe(markupText(priorChart({ label: 'x', rows: [{ name: 'a', prior: 1 }] })));
  });
});

describe('names in a chart', () => {
  test.each(Object.entries(hostileTexts))('with %s are drawn as text', (_what, name) => {
    const svg = prior([name]);
    expect(new Set(elementsOfFragment(svg).map(({ tagName }) => tagName))).toEqual(
      new Set(['svg', 'path', 'text']),
    );
    expect(/[\u200b\u202e\ufeff\p{Cs}]|[^\P{Cc}\n\t]/u.test(svg)).toBe(false);
  });

  test('are unchanged if they are in a right-to-left script or look like SVG attributes', () =>
    expect(texts(prior(['החזרות וזיכויים', 'class=zr0 style=font-size:9px']))).toEqual(
      expect.arrayContaining(['החזרות וזיכויים', 'class=zr0 style=font-size:9px']),
    ));

  test('that are too long end in an ellipsis, never in half a character', () => {
    const [wide, pairs] = texts(prior(['W'.repeat(5_000), '\u{1F600}'.repeat(500)])).filter(
      (words) => words.endsWith('…'),
    );
    expect(wide).toMatch(/^W{10,25}…$/);
    expect(pairs).toMatch(/^\u{1F600}+\ufffd?…$/u);
  });
});

describe('a chart of both sides', () => {
  const svg = sides(row);
  const [ring, dot] = elementsOfFragment(svg).filter(({ tagName }) => tagName === 'circle');
  const axis = (share: number) => 7 + share * 326;

  test('draws base as a ring and head as a dot at their rates on the axis', () => {
    expect(value(ring, 'cx')).toBeCloseTo(axis(0.9), 0);
    expect(value(dot, 'cx')).toBeCloseTo(axis(0.6), 0);
    expect(ring?.attrs).toContainEqual({ name: 'fill', value: 'var(--page)' });
  });

  test('draws the interval around base in the colour of the finding', () => {
    const band = elementsOfFragment(svg)
      .map(({ attrs }) => attrs)
      .find((attrs) =>
        attrs.some(({ name, value: given }) => name === 'stroke-width' && given === '5'),
      );
    const [from, to] = [
      ...(band?.find(({ name }) => name === 'd')?.value ?? '').matchAll(/[ML]([\d.]+)/g),
    ].map(([, x]) => Number(x));
    expect(from).toBeCloseTo(axis(0.5), 0);
    expect(to).toBeCloseTo(axis(0.7), 0);
    expect(band).toContainEqual({ name: 'stroke', value: 'var(--bad)' });
  });

  test('prints the rates, or the reason why there are none', () => {
    expect(texts(svg)).toContain('✗ 90.0 % → 60.0 %');
    expect(texts(sides(few))).toContain('6 references: too few');
    expect(sides(few)).not.toContain('60.0 %');
  });

  test('clips an interval that extends beyond the axis', () => {
    const wide = sides({ ...row, base: 0.95, high: 0.5, low: -1.2 });
    for (const [, x] of wide.matchAll(/[ML]([\d.-]+) /g)) {
      expect(Number(x)).toBeGreaterThanOrEqual(0);
      expect(Number(x)).toBeLessThanOrEqual(340);
    }
  });
});

describe('the chart of quality and cost', () => {
  const at = (dollars: number[]) => {
    const svg = costs(...dollars.map((cost, index) => ({ ...POINT, rank: index + 1, cost })));
    return [...svg.matchAll(/transform="matrix\([^)]*,([\d.]+),[\d.]+\)"/g)].map(([, x]) =>
      Number(x),
    );
  };

  test('starts its cost axis at zero, or is logarithmic if costs differ widely', () => {
    const [two, four] = at([2, 4]);
    expect(((two ?? 0) - 46) * 2).toBeCloseTo((four ?? 0) - 46, 0);
    const [cents, dollar, ten] = at([0.1, 1, 10]);
    expect((dollar ?? 0) - (cents ?? 0)).toBeCloseTo((ten ?? 0) - (dollar ?? 0), 0);
  });

  test('draws a known cost of zero', () => expect(at([0, 0])).toEqual([46, 46]));
});
