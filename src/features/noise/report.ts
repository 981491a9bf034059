import { markdownOf } from '../../report/markdown.ts';
import {
  NO_LINKS,
  code,
  joinLines,
  list,
  paragraph,
  strong,
  type Block,
  type Line,
} from '../../report/sections/document.ts';
import { problemLine } from '../../report/sections/notices.ts';
import { runCost, rateInterval, shortSha } from '../../report/sections/phrases.ts';
import { percent, count, counted, countedTries } from '../../text/amounts.ts';
import type { NoiseResult } from './result.ts';

export interface MeasurementForm<T> {
  title(measured: T): string;
  /** `rows`: maximum rows per list. */
  blocks(measured: T, rows: number): Block[];
}

/** Maximum rows per list. A summary uses the first number that fits its size limit. */
const ROWS = [500, 50, 5, 0] as const;

export function measurementMarkdown<T>(
  { title, blocks }: MeasurementForm<T>,
  measured: T,
  limit: number,
): string {
  const texts = ROWS.map((rows) => `${markdownOf(blocks(measured, rows), NO_LINKS)}\n`);
  return texts.find((candidate) => Buffer.byteLength(candidate) <= limit) ?? `${title(measured)}\n`;
}

export function noiseTitle({ red, runs, low, high, problems, unjudged }: NoiseResult): string {
  if (problems.length > 0)
    return `Noise was not measured: ${counted(problems.length, 'problem')} to fix`;
  if (runs === 0)
    return `Noise was not measured: no comparison ${unjudged > 0 ? 'could be judged' : 'was made'}`;
  return (
    `Measured noise: ${count(red)} of ${counted(runs, 'comparison')} of base with itself ` +
    `red (95 % interval ${rateInterval({ low, high })})`
  );
}

function noiseVerdict(noise: NoiseResult): Block {
  const {
    runs,
    low,
    high,
    gate: { alpha },
  } = noise;
  if (noise.problems.length > 0 || runs === 0)
    return paragraph([strong(noiseTitle(noise)), '.'], 'verdict');
  const allowed = `the ${percent(alpha)} that the gate allows`;
  const word =
    low > alpha
      ? `more than ${allowed}: answers change over time, or tries are not independent`
      : high <= alpha
        ? `at most ${allowed}`
        : `which agrees with ${allowed}; more comparisons give a more precise rate`;
  return paragraph([strong(noiseTitle(noise)), `, ${word}.`], 'verdict');
}

export function problemBlocks(
  { problems, notices }: Pick<NoiseResult, 'problems' | 'notices'>,
  rows: number,
): Block[] {
  return [problems, notices].flatMap((found) => list(found.map(problemLine), Math.max(rows, 3)));
}

function noiseFooter({ usage, unjudged, neutral, runs, head, n_tries }: NoiseResult): Block {
  const parts: Line[] = [
    ...(unjudged === 0 ? [] : [[`${counted(unjudged, 'comparison')} could not be judged`]]),
    ...(neutral === 0 ? [] : [[`${count(neutral)} of ${count(runs)} were inconclusive`]]),
    [n_tries === 'adaptive' ? 'adaptive tries' : countedTries(n_tries)],
    ...callParts(usage, head),
  ];
  return paragraph(joinLines(parts, ' · '), 'small');
}

export function callParts(usage: NoiseResult['usage'], { sha }: NoiseResult['head']): Line[] {
  return [[counted(usage.calls, 'model call')], [runCost(usage)], [code(shortSha(sha))]];
}

export const noiseForm: MeasurementForm<NoiseResult> = {
  title: noiseTitle,
  blocks: (noise, rows) => [noiseVerdict(noise), ...problemBlocks(noise, rows), noiseFooter(noise)],
};
