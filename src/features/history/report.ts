import type { Variant } from '../../kernel/result/pieces.ts';
import { markdownOf } from '../../report/markdown.ts';
import {
  NAME_LIMIT,
  NO_LINKS,
  code,
  paragraph,
  strong,
  table,
  type Block,
} from '../../report/sections/document.ts';
import { shareSpan } from '../../report/sections/intervals.ts';
import { suiteIdentity } from '../../report/sections/order.ts';
import { shortSha } from '../../report/sections/phrases.ts';
import type { Trend, TrendPoint } from '../../report/sections/saved-view.ts';
import { renderBlocks } from '../../report/terminal.ts';
import { percent, pointsBetween, count, counted, signedBetween } from '../../text/amounts.ts';
import { byCodeUnits } from '../../text/order.ts';
import { shorten } from '../../text/visible.ts';
import { ownVariant } from '../../wording/variants.ts';

export interface HistoryPoint {
  /** The result's file. */
  file: string;
  sha: string;
  at: string;
  /** The rates are shares from 0 to 1, or null if nothing was judged. */
  suites: {
    path: string;
    name: string;
    variant: Variant;
    pass_rate: number | null;
    low: number | null;
    high: number | null;
    references: number;
  }[];
}

interface Series {
  name: string;
  variant: string;
  points: TrendPoint[];
}

const MOST_RESULTS = 200;

const SPARKS = 30;

/** `points`: oldest first. */
export function trendOf(points: readonly HistoryPoint[], more: readonly string[] = []): Trend {
  const { series, notes } = seriesOf(points, more);
  return {
    notes: [`${dateRange(points)}.`, ...notes],
    series: series.map((own) => ({ ...own, latest: latestWords(own.points) })),
  };
}

export function renderHistoryText(
  points: readonly HistoryPoint[],
  width: number,
  notes: readonly string[] = [],
): string {
  return renderBlocks(historyBlocks(points, notes), { width, colour: false });
}

export function renderHistoryMarkdown(
  points: readonly HistoryPoint[],
  notes: readonly string[] = [],
): string {
  return `${markdownOf(historyBlocks(points, notes), NO_LINKS)}\n`;
}

const LEAST_ERODED = 3;

/** A slow decline: the first and last intervals do not overlap, but neighbouring ones do. */
function erosionWords({ name, variant, points }: Series): string | null {
  const judged = points.flatMap(({ rate, low, high, ...moment }) =>
    rate === null || low === null || high === null ? [] : [{ ...moment, rate, low, high }],
  );
  const [first, last] = [judged[0], judged.at(-1)];
  if (first === undefined || last === undefined || judged.length < LEAST_ERODED) return null;
  const isBelow = (after: typeof first, before: typeof first) => after.high < before.low;
  const hasStep = judged.some((moment, i) => isBelow(moment, judged[i - 1] ?? moment));
  if (hasStep || !isBelow(last, first)) return null;
  const lost = signedBetween(first.rate, last.rate).slice(1);
  return (
    `Since ${first.at.slice(0, 10)} (${shortSha(first.sha)}) ` +
    `${shorten([name, variant].filter((part) => part !== '').join(' '), NAME_LIMIT)} lost ${lost} ` +
    `points (${percent(first.rate)} → ${percent(last.rate)}) over ` +
    `${counted(judged.length, 'result')}, with no clear drop from one to the next.`
  );
}

function historyBlocks(points: readonly HistoryPoint[], more: readonly string[]): Block[] {
  const { series, notes } = seriesOf(points, more);
  return [
    paragraph([strong('Pass rates over time'), ` – ${dateRange(points)}`], 'verdict'),
    ...notes.map((note) => paragraph(note)),
    ...table(
      ['Suite', 'Trend', 'Latest', 'Change', 'Lowest', 'Highest', 'Results'],
      series.map(({ name, variant, points: moments }) => {
        const judged = judgedRates(moments);
        const [last, before] = [judged.at(-1) ?? null, judged.at(-2) ?? null];
        return [
          [code(name), ...(variant === '' ? [] : [' ', code(variant)])],
          sparks(moments),
          percent(last),
          pointsBetween(before, last),
          percent(judged.length === 0 ? null : Math.min(...judged)),
          percent(judged.length === 0 ? null : Math.max(...judged)),
          count(judged.length),
        ];
      }),
    ),
    paragraph(
      `Trend: up to ${count(SPARKS)} newest results, each suite on its own scale, ` +
        `${GAP_MARK} where it did not run. Change: since the previous result.`,
      'small',
    ),
  ];
}

function judgedRates(moments: readonly TrendPoint[]): number[] {
  return moments.flatMap(({ rate }) => rate ?? []);
}

const SPARK_LEVELS = '▁▂▃▄▅▆▇█';

const GAP_MARK = '·';

function sparks(moments: readonly TrendPoint[]): string {
  const shown = moments.slice(-SPARKS);
  const { floor, ceiling } = shareSpan(judgedRates(shown));
  return shown
    .map(({ rate }) =>
      rate === null
        ? GAP_MARK
        : SPARK_LEVELS.charAt(
            Math.round(((rate - floor) / (ceiling - floor)) * (SPARK_LEVELS.length - 1)),
          ),
    )
    .join('');
}

function dateRange(points: readonly HistoryPoint[]): string {
  const days = new Set(points.map(({ at }) => at.slice(0, 10)).sort(byCodeUnits));
  const ends = [...days].filter((_, at) => at === 0 || at === days.size - 1);
  return `${counted(points.length, 'result')}, ${ends.join(' to ')}`;
}

function latestWords(moments: readonly TrendPoint[]): string {
  const [last, before] = judgedRates(moments).toReversed();
  if (last === undefined) return 'nothing was judged';
  const change =
    before === undefined ? '' : `, ${pointsBetween(before, last)} since the previous result`;
  return `latest ${percent(last)}${change}`;
}

function seriesOf(
  points: readonly HistoryPoint[],
  said: readonly string[],
): { series: Series[]; notes: string[] } {
  const newest = points.slice(-MOST_RESULTS);
  const suites = new Map(
    newest.flatMap((point) => point.suites.map((suite) => [suiteIdentity(suite), suite])),
  );
  const all = [...suites.values()];
  const found = newest.map((point) => ({
    point,
    ran: new Map(point.suites.map((suite) => [suiteIdentity(suite), suite])),
  }));
  const series = [...suites]
    .sort(([a], [b]) => byCodeUnits(a, b))
    .map(([key, suite]) => ({
      name: suite.name,
      variant: ownVariant(suite, all),
      points: found.map(({ point: { sha, at }, ran }) => {
        const suite = ran.get(key);
        return {
          sha,
          at,
          rate: suite?.pass_rate ?? null,
          low: suite?.low ?? null,
          high: suite?.high ?? null,
          references: suite?.references ?? null,
        };
      }),
    }));
  const older = points.length - newest.length;
  return {
    series,
    notes: [
      ...series.flatMap((own) => erosionWords(own) ?? []),
      ...(older > 0 ? [`and ${count(older)} more, older results.`] : []),
      ...said,
    ],
  };
}
