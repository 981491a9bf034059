import type { Result } from '../../kernel/result/result.ts';
import { inSize, cost, count, counted } from '../../text/amounts.ts';
import type { Purpose } from '../../types/plain.ts';
import type { Detail } from './detail.ts';
import { code, joinLines, paragraph, text, type Block, type Line } from './document.ts';
import type { Reports } from './feature-report.ts';
import { runCost, shortSha } from './phrases.ts';

export function footer(result: Result, _: Detail, reports: Reports): Block[] {
  const { base, head, mode } = result;
  const parts: Line[] = [
    ...spentLines(result),
    ...repeatedEvaluations(result),
    ...visibleDrops(result),
    ...reports.flatMap((report) => report.footer?.(result) ?? []),
    ...(base === null
      ? [[code(shortSha(head.sha))]]
      : [[code(`${shortSha(base.sha)}…${shortSha(head.sha)}`)]]),
    ...(mode === 'sweep' || base === null
      ? []
      : [[text('locally: '), code(localCommand(result, base.sha))]]),
  ];
  return [paragraph(joinLines(parts, ' · '), 'small')];
}

/** Repeats the run; includes files that are in no commit. */
export function localCommand(
  { head: { sha }, local_options: options }: Pick<Result, 'head' | 'local_options'>,
  base: string,
): string {
  return [
    `npx evaldiff diff --base ${shortSha(base)}`,
    ...(/^[0-9a-f]{40,64}$/.test(sha) ? [`--head ${shortSha(sha)}`] : []),
    ...(options === undefined ? [] : [options]),
  ].join(' ');
}

function spentLines({ usage }: Result): Line[] {
  const { replayed = 0 } = usage;
  const recorded = replayed === 0 ? [] : [[text(`${counted(replayed, 'answer')} from recordings`)]];
  if (usage.calls + usage.reused === 0) return [[text('no model call')], ...recorded];
  return [
    [text(`${counted(usage.calls, 'model call')}, ${count(usage.reused)} reused`)],
    ...recorded,
    [
      text(
        `${counted(usage.input_tokens, 'token')} in${cachedIn(usage)}, ${count(usage.output_tokens)} out`,
      ),
    ],
    [text(`${runCost(usage)}${byPurpose(usage)}`)],
    ...(usage.saved_usd === undefined || usage.saved_usd === null || usage.saved_usd === 0
      ? []
      : [[text(`${cost(usage.saved_usd)} saved by reuse`)]]),
  ];
}

function cachedIn({ cached_tokens: cached = 0 }: Result['usage']): string {
  return cached === 0 ? '' : ` (${count(cached)} from the vendor's cache)`;
}

const PURPOSES: Readonly<Record<Purpose, string>> = {
  prompt: 'answers',
  grader: 'grades',
  embedding: 'embeddings',
  evaluator: 'evaluators',
  qualeval: 'attributes',
  insight: 'insights',
  fix: 'drafts of fixes',
};

/** ` (answers $0.08, grades $0.04)`, where more than one of them cost something. */
function byPurpose({ by_purpose, unpriced }: Result['usage']): string {
  if (unpriced === 'programs') return '';
  const paid = (Object.keys(PURPOSES) as Purpose[]).flatMap((purpose) => {
    const usage = by_purpose[purpose];
    return usage === undefined || usage.cost_usd === 0
      ? []
      : [`${PURPOSES[purpose]} ${cost(usage.cost_usd)}`];
  });
  return paid.length > 1 ? ` (${paid.join(', ')})` : '';
}

function repeatedEvaluations({ evaluations }: Result): Line[] {
  if (evaluations === undefined) return [];
  const { made, repeated, differing } = evaluations;
  const outcome = differing === 0 ? 'all equal' : `${count(differing)} with another outcome`;
  return [[text(`${counted(made, 'evaluation')}, ${count(repeated)} repeated, ${outcome}`)]];
}

function visibleDrops({ suites }: Result): Line[] {
  const drops = suites.map(({ visible_drop }) => visible_drop).filter((drop) => drop !== null);
  if (drops.length === 0) return [];
  const [least, most] = [inSize(Math.min(...drops)), inSize(Math.max(...drops))];
  return [
    [
      text(
        least === most
          ? `detects drops of ${least} points or more (80 % power)`
          : `detects drops of ${least} to ${most} points or more, by suite (80 % power)`,
      ),
    ],
  ];
}
