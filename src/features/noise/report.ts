import { JOB_SUMMARY_LIMIT } from '../../report/comment.ts';
import { markdownOf } from '../../report/markdown.ts';
import { bytes } from '../../report/sections/detail.ts';
import {
  NO_LINKS,
  code,
  joinLines,
  list,
  paragraph,
  strong,
  text,
  type Block,
  type Line,
} from '../../report/sections/document.ts';
import { problemLine } from '../../report/sections/notices.ts';
import { moreBlock, runCost, rateInterval, shortSha } from '../../report/sections/phrases.ts';
import { renderBlocks, type TerminalOptions } from '../../report/terminal.ts';
import { percent, count, counted, countedTries } from '../../text/amounts.ts';
import type { NoiseResult } from './result.ts';

/** Maximum rows per list. A summary uses the first number that fits its size limit. */
const ROWS = [500, 50, 5, 0] as const;

export function renderNoise(noise: NoiseResult, options: TerminalOptions): string {
  return `${renderBlocks(noiseBlocks(noise, 50), options)}\n`;
}

export function renderNoiseSummary(noise: NoiseResult, limit: number = JOB_SUMMARY_LIMIT): string {
  const texts = ROWS.map((rows) => `${markdownOf(noiseBlocks(noise, rows), NO_LINKS)}\n`);
  return texts.find((candidate) => bytes(candidate) <= limit) ?? `${noiseTitle(noise)}\n`;
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

function noiseBlocks(noise: NoiseResult, rows: number): Block[] {
  return [
    noiseVerdict(noise),
    ...cutList(noise.problems.map(problemLine), Math.max(rows, 3)),
    ...cutList(noise.notices.map(problemLine), Math.max(rows, 3)),
    noiseFooter(noise),
  ];
}

function noiseVerdict(noise: NoiseResult): Block {
  const {
    runs,
    low,
    high,
    gate: { alpha },
  } = noise;
  if (noise.problems.length > 0 || runs === 0)
    return paragraph([strong(noiseTitle(noise)), text('.')], 'verdict');
  const allowed = `the ${percent(alpha)} that the gate allows`;
  const word =
    low > alpha
      ? `more than ${allowed}: answers change over time, or tries are not independent`
      : high <= alpha
        ? `at most ${allowed}`
        : `which agrees with ${allowed}; more comparisons give a more precise rate`;
  return paragraph([strong(noiseTitle(noise)), text(`, ${word}.`)], 'verdict');
}

function cutList(items: readonly Line[], rows: number): Block[] {
  return [...list(items.slice(0, rows)), ...moreBlock(items.length, rows)];
}

function noiseFooter({ usage, unjudged, neutral, runs, head, n_tries }: NoiseResult): Block {
  const parts: Line[] = [
    ...(unjudged === 0 ? [] : [[text(`${counted(unjudged, 'comparison')} could not be judged`)]]),
    ...(neutral === 0 ? [] : [[text(`${count(neutral)} of ${count(runs)} were inconclusive`)]]),
    [text(n_tries === 'adaptive' ? 'adaptive tries' : countedTries(n_tries))],
    [text(counted(usage.calls, 'model call'))],
    [text(runCost(usage))],
    [code(shortSha(head.sha))],
  ];
  return paragraph(joinLines(parts, ' · '), 'small');
}
