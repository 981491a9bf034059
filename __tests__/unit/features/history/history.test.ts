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

const cellsOf = (text: string, start: string) =>
  text
    .split('\n')
    .find((line) => line.startsWith(start))
    ?.split(/ {2,}/)
    .map((cell) => cell.trim())
    .join(' | ');

describe('trend in the terminal', () => {
  test('has a line per suite from oldest to newest, with a gap where the suite did not run', () => {
    const text = renderHistoryText(history, 120);
    expect(cellsOf(text, 'capitals')).toBe(
      'capitals | ▆·▇▄▅ | 80.0 % | +5.0 points | 75.0 % | 95.0 % | 4',
    );
    // A suite without a verdict is also a gap.
    expect(cellsOf(text, 'math')).toBe(
      'math | ·█·█▅ | 90.0 % | −10.0 points | 90.0 % | 100.0 % | 3',
    );
    expect(text).toContain('5 results, 2026-03-02 to 2026-03-11');
  });

  test('fits the width, and includes the variant if suites have the same name', () => {
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

describe('suite that lost pass rate in small steps', () => {
  const rates = (...all: number[]): HistoryPoint[] =>
    all.map((rate, i) => point(i + 1, [suite('capitals', rate)]));
  const LOST =
    'Since 2026-03-01 (01abcde) capitals lost 12.0 points (94.0 % → 82.0 %) over 4 results, ' +
    'with no clear drop from one to the next.';

  test('is mentioned in every output', async () => {
    const steps = rates(0.94, 0.9, 0.86, 0.82);
    expect(renderHistoryText(steps, 200)).toContain(LOST);
    expect(renderHistoryMarkdown(steps).replaceAll('`', '')).toContain(LOST);
    expect(renderHistoryHtml(steps)).toContain(LOST);
  });

  test.each([
    ['one step exceeds the intervals', rates(0.94, 0.94, 0.82, 0.82)],
    ['the last interval overlaps the first', rates(0.94, 0.9, 0.86)],
    ['there are only two results', rates(0.94, 0.82)],
    ['it rose', rates(0.82, 0.86, 0.9, 0.94)],
  ])('is not mentioned if %s', (_, steps) => {
    expect(renderHistoryText(steps, 200)).not.toContain('lost');
  });
});

test('the trend in Markdown has the same numbers as in the terminal', () => {
  const text = renderHistoryMarkdown(history);
  expect(text).toContain('▆·▇▄▅');
  expect(text).toContain('<td nowrap>+5.0 points</td>');
});

test('every output says so if the history is empty', async () => {
  for (const text of [renderHistoryText([], 80), renderHistoryMarkdown([]), renderHistoryHtml([])])
    expect(text).toContain('No result of the default branch was found.');
});

describe('trend as a page', () => {
  test('has a chart per suite, with a gap if the suite did not run', async () => {
    const html = renderHistoryHtml(history);
    expect(html.match(/<svg class="chart"/g)).toHaveLength(2);
    // Five results, the second without capitals: one separate point, then a line through three.
    const [, capitals = ''] = html.split('<svg class="chart"');
    expect(
      [...capitals.matchAll(/<polyline class="trend" points="([^"]*)"/g)].map(
        ([, line = '']) => line.split(' ').length,
      ),
    ).toEqual([1, 3]);
    expect(html).toContain(
      'aria-label="Pass rate of capitals over 5 results: latest 80.0 %, +5.0 points since the previous result"',
    );
  });

  test("has the chart's numbers in a table, newest first", async () => {
    const html = renderHistoryHtml(history);
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

  test('orders results as the branch does, not by commit date, and shows notices', async () => {
    const backdated = history.map((one, index) =>
      index === 4 ? { ...one, at: '2026-01-01T00:00:00Z' } : one,
    );
    const html = renderHistoryHtml(backdated, ['Left out: <b>one</b>']);
    expect(/<tr><td class="own">(\S+)<\/td>/.exec(html)?.[1]).toBe('2026-01-01');
    expect(html).toContain('latest 80.0 %');
    expect(html).toContain('Left out: &lt;b&gt;one&lt;/b&gt;');
  });

  test('shows the newest 200 results and counts the others', async () => {
    const long = Array.from({ length: 230 }, (_, index): HistoryPoint => ({
      ...point(1, [suite('capitals', 0.9)]),
      at: new Date(Date.UTC(2026, 0, 1 + index)).toISOString(),
    }));
    const html = renderHistoryHtml(long);
    expect(html).toContain('and 30 more, older results.');
    expect(html.match(/not run|90\.0 %<\/td>/g)).toHaveLength(200);
  });

  test.each(Object.entries(hostileTexts))('shows a name with %s as text', async (_what, name) => {
    const html = renderHistoryHtml([
      point(1, [
        suite(name, 0.5, { path: name, variant: { model: name, parameters: { [name]: name } } }),
        suite(name, 0.5),
      ]),
    ]);
    const tags = new Set<string>();
    const walk = (node: object) => {
      if ('tagName' in node) tags.add(String(node.tagName));
      if ('childNodes' in node) (node.childNodes as object[]).forEach(walk);
    };
    walk(parse(html));
    for (const tag of ['img', 'iframe', 'foreignObject']) expect(tags).not.toContain(tag);
    expect(html.match(/<h1>/g)).toHaveLength(1);
    expect(/[\u200b\u202e\ufeff\p{Cs}]|[^\P{Cc}\n\t]/u.test(html)).toBe(false);
    expect(html).not.toContain('<script');
  });
});
