import {
  trendOf,
  renderHistoryMarkdown,
  renderHistoryText,
  type HistoryPoint,
} from '../../../../src/features/history/report.ts';

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
  file: 'result.json',
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
    expect(trendOf(steps).notes.join()).toContain(LOST);
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

describe('trend of the page', () => {
  test('has the latest rate of each suite, and a gap where a suite did not run', () => {
    const [capitals] = trendOf(history).series;
    expect(capitals?.latest).toBe('latest 80.0 %, +5.0 points since the previous result');
    expect(capitals?.points.map(({ rate }) => rate)).toEqual([0.9, null, 0.95, 0.75, 0.8]);
  });

  test('orders results as the branch does, not by commit date, and shows notices', () => {
    const backdated = history.map((each, index) =>
      index === 4 ? { ...each, at: '2026-01-01T00:00:00Z' } : each,
    );
    const { series, notes } = trendOf(backdated, ['Left out: one']);
    expect(series[0]?.points.at(-1)?.at).toBe('2026-01-01T00:00:00Z');
    expect(notes).toContain('Left out: one');
  });

  test('shows the newest 200 results and counts the others', () => {
    const long = Array.from({ length: 230 }, (_, index): HistoryPoint => ({
      ...point(1, [suite('capitals', 0.9)]),
      at: new Date(Date.UTC(2026, 0, 1 + index)).toISOString(),
    }));
    const { series, notes } = trendOf(long);
    expect(notes).toContain('and 30 more, older results.');
    expect(series[0]?.points).toHaveLength(200);
  });
});
