import { describe, expect, test } from '@jest/globals';
import { parse } from 'parse5';
import {
  renderHistoryHtml,
  renderHistoryMarkdown,
  renderHistoryText,
  type HistoryPoint,
} from '../../../../src/features/history/report.ts';
import { hostileTexts } from '../../../stand-ins/hostile-text.ts';

const variant = { model: 'gpt-4o', parameters: { temperature: 0 } };
const suite = (
  name: string,
  rate: number | null,
  more: Partial<HistoryPoint['suites'][number]> = {},
): HistoryPoint['suites'][number] => ({
  path: `prompts/${name}.yaml`,
  name,
  variant,
  pass_rate: rate,
  low: rate === null ? null : rate - 0.05,
  high: rate === null ? null : Math.min(1, rate + 0.05),
  references: 20,
  ...more,
});
const point = (day: number, suites: HistoryPoint['suites']): HistoryPoint => ({
  sha: `${String(day).padStart(2, '0')}abcdef0123456789`,
  at: `2026-03-${String(day).padStart(2, '0')}T08:00:00Z`,
  suites,
});

const history = [
  point(2, [suite('capitals', 0.9)]),
  point(4, [suite('math', 1)]),
  point(6, [suite('capitals', 0.95), suite('math', null)]),
  point(9, [suite('capitals', 0.75), suite('math', 1)]),
  point(11, [suite('capitals', 0.8), suite('math', 0.9)]),
];

const cellsOf = (text: string, start: string): string | undefined =>
  text
    .split('\n')
    .find((line) => line.startsWith(start))
    ?.split(/ {2,}/)
    .map((cell) => cell.trim())
    .join(' | ');

describe('the trend in a terminal', () => {
  test('has a line for each suite from the oldest result to the newest, with a gap where it did not run', () => {
    const text = renderHistoryText(history, 120);
    expect(cellsOf(text, 'capitals')).toBe(
      'capitals | ▆·▇▄▅ | 80.0 % | +5.0 points | 75.0 % | 95.0 % | 4',
    );
    // Not judged is a gap too.
    expect(cellsOf(text, 'math')).toBe(
      'math | ·█·█▅ | 90.0 % | −10.0 points | 90.0 % | 100.0 % | 3',
    );
    expect(text).toContain('5 results, 2026-03-02 to 2026-03-11');
  });

  test('stays within the width, and names the variant where the name does not tell suites apart', () => {
    const two = [
      point(1, [
        suite('capitals', 0.5),
        suite('capitals', 0.6, { variant: { model: 'claude', parameters: {} } }),
      ]),
    ];
    const text = renderHistoryText(two, 60);
    expect(text).toContain('claude');
    expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(60);
  });
});

describe('a suite that lost pass rate in small steps', () => {
  const rates = (...all: number[]): HistoryPoint[] =>
    all.map((rate, i) => point(i + 1, [suite('capitals', rate)]));
  const LOST =
    'Since 2026-03-01 (01abcde) capitals lost 12.0 points (94.0 % → 82.0 %) over 4 results, ' +
    'none of them alone.';

  test('is named in a sentence on every surface', async () => {
    const steps = rates(0.94, 0.9, 0.86, 0.82);
    expect(renderHistoryText(steps, 200)).toContain(LOST);
    expect(renderHistoryMarkdown(steps).replaceAll('`', '')).toContain(LOST);
    expect(await renderHistoryHtml(steps)).toContain(LOST);
  });

  test.each([
    ['one step is beyond the intervals', rates(0.94, 0.94, 0.82, 0.82)],
    ['the last interval overlaps the first', rates(0.94, 0.9, 0.86)],
    ['there are two results', rates(0.94, 0.82)],
    ['it rose', rates(0.82, 0.86, 0.9, 0.94)],
  ])('is not named if %s', (_, steps) => {
    expect(renderHistoryText(steps, 200)).not.toContain('lost');
  });
});

test('the trend as Markdown has the same numbers', () => {
  const text = renderHistoryMarkdown(history);
  expect(text).toContain('▆·▇▄▅');
  expect(text).toContain('<td nowrap>+5.0 points</td>');
});

test('a history without a result says so everywhere', async () => {
  for (const text of [
    renderHistoryText([], 80),
    renderHistoryMarkdown([]),
    await renderHistoryHtml([]),
  ])
    expect(text).toContain('No result of the default branch was found.');
});

describe('the trend as a page', () => {
  test('draws a chart for each suite, its line broken where it did not run', async () => {
    const html = await renderHistoryHtml(history);
    expect(html.match(/<svg class="chart"/g)).toHaveLength(2);
    // Five results of capitals, the second without it: a point alone, then three joined.
    expect(html).toMatch(
      /d="M[\d.]+ [\d.]+M[\d.]+ [\d.]+L[\d.]+ [\d.]+L[\d.]+ [\d.]+" fill="none" stroke="var\(--link\)" stroke-width="2"/,
    );
    expect(html).toContain(
      'aria-label="Pass rate of capitals over 5 results: latest 80.0 %, +5.0 points against the result before"',
    );
  });

  test('has the numbers of a chart in a table, the newest first', async () => {
    const html = await renderHistoryHtml(history);
    const rows = [...html.matchAll(/<tr>(<td.*?)<\/tr>/g)].map(([, cells = '']) =>
      cells.replace(/<[^>]*>/g, '|'),
    );
    expect(rows.slice(0, 5)).toEqual([
      '|2026-03-11||11abcde||80.0 %||75.0 to 85.0 %||20|',
      '|2026-03-09||09abcde||75.0 %||70.0 to 80.0 %||20|',
      '|2026-03-06||06abcde||95.0 %||90.0 to 100.0 %||20|',
      '|2026-03-04||04abcde||not run||–||–|',
      '|2026-03-02||02abcde||90.0 %||85.0 to 95.0 %||20|',
    ]);
  });

  test('keeps the order of the branch, which dates of commits need not have, and says what it is told beside it', async () => {
    const backdated = history.map((one, index) =>
      index === 4 ? { ...one, at: '2026-01-01T00:00:00Z' } : one,
    );
    const html = await renderHistoryHtml(backdated, ['Left out: <b>one</b>']);
    expect(/<tr><td class="own">(\S+)<\/td>/.exec(html)?.[1]).toBe('2026-01-01');
    expect(html).toContain('latest 80.0 %');
    expect(html).toContain('Left out: &lt;b&gt;one&lt;/b&gt;');
  });

  test('shows the newest results of a long history, and says what is left out', async () => {
    const long = Array.from({ length: 230 }, (_, index): HistoryPoint => ({
      ...point(1, [suite('capitals', 0.9)]),
      at: new Date(Date.UTC(2026, 0, 1 + index)).toISOString(),
    }));
    const html = await renderHistoryHtml(long);
    expect(html).toContain('and 30 more, older results.');
    expect(html.match(/not run|90\.0 %<\/td>/g)).toHaveLength(200);
  });

  test.each(Object.entries(hostileTexts))('shows a name with %s as text', async (_what, name) => {
    const html = await renderHistoryHtml([
      point(1, [
        suite(name, 0.5, { path: name, variant: { model: name, parameters: { [name]: name } } }),
        suite(name, 0.5),
      ]),
    ]);
    const tags = new Set<string>();
    const walk = (node: object): void => {
      if ('tagName' in node) tags.add(String(node.tagName));
      if ('childNodes' in node) (node.childNodes as object[]).forEach(walk);
    };
    walk(parse(html));
    for (const tag of ['img', 'iframe', 'foreignObject']) expect(tags).not.toContain(tag);
    expect(html.match(/<h1>/g)).toHaveLength(1);
    expect(/[\u200b\u202e\ufeff\p{Cs}]|[^\P{Cc}\n\t]/u.test(html)).toBe(false);
    expect(html.match(/<script>/g)).toHaveLength(1);
  });
});
