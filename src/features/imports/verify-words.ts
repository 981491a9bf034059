import { groupByEqualKey } from '../../report/sections/order.ts';
import { counted } from '../../text/amounts.ts';
import { logLine } from '../../text/log.ts';
import { shorten } from '../../text/visible.ts';
import type { Metric, Score } from '../../types/metric.ts';
import type { ForeignAnswer } from './promptfoo/promptfoo-results.ts';

const SHOWN_KINDS = 20;

const MAX_REASON_CHARS = 300;

export interface ComparedVerdict {
  metric: Metric;
  answer: ForeignAnswer;
  theirs: { pass: boolean; reason: string };
  ours: Score;
}

export function isAgreement({ theirs, ours }: ComparedVerdict): boolean {
  return ours.status === (theirs.pass ? 'pass' : 'fail');
}

/** For example `1,284 of 1,286 verdicts equal; these 2 differ:`. */
export function verdictLine(total: number, differing: readonly ComparedVerdict[]): string {
  const equal = (total - differing.length).toLocaleString('en-US');
  const head = `${equal} of ${counted(total, 'verdict')} equal`;
  if (differing.length === 0) return `${head}\n`;
  const which =
    differing.length === 1
      ? 'this one differs'
      : `these ${differing.length.toLocaleString('en-US')} differ`;
  return [`${head}; ${which} because:`, ...kindLines(differing), ''].join('\n');
}

function kindLines(differing: readonly ComparedVerdict[]): string[] {
  const lines = groupByEqualKey(differing, differenceKind).map(verdictDifferenceLine);
  const more = lines.length - SHOWN_KINDS;
  return [
    ...lines.slice(0, SHOWN_KINDS),
    ...(more > 0 ? [`  and ${counted(more, 'more kind')} of difference`] : []),
  ];
}

export function transformedLine(verdicts: readonly ComparedVerdict[]): string {
  const differing = verdicts.filter((verdict) => !isAgreement(verdict));
  const equal = (verdicts.length - differing.length).toLocaleString('en-US');
  return [
    `${counted(verdicts.length, 'verdict')} on answers that promptfoo transformed: ` +
      `${equal} equal on the transformed answers. The transform is not converted, so evaldiff ` +
      'judges the answers of the model',
    ...kindLines(differing),
    '',
  ].join('\n');
}

function differenceKind({ metric: { source }, theirs, ours }: ComparedVerdict): string {
  const said = (theirs.pass ? ours.reason : theirs.reason) ?? '';
  const words = said
    .replace(/ at \S+:\d+/g, '')
    .replace(/"[^"]*"|'[^']*'|\d+/g, '…')
    .slice(0, MAX_REASON_CHARS);
  const what = source.kind === 'built-in' ? source.uses : source.kind;
  return [what, theirs.pass, ours.status, words].join('\n');
}

function verdictDifferenceLine([first, ...others]: [
  ComparedVerdict,
  ...ComparedVerdict[],
]): string {
  const { metric, answer, theirs, ours } = first;
  const often = others.length === 0 ? '' : `${(others.length + 1).toLocaleString('en-US')} × `;
  const test = answer.description ?? shorten(JSON.stringify(answer.vars), 80);
  const reason = (text: string | null): string =>
    logLine(shorten((text ?? '').split('\n', 1)[0] ?? '', MAX_REASON_CHARS));
  const here =
    ours.status === 'fail' ? 'fails' : ours.status === 'pass' ? 'passes' : 'cannot judge it';
  const words = theirs.pass
    ? `promptfoo passes, evaldiff ${here}: ${reason(ours.reason)}`
    : `promptfoo fails ("${reason(theirs.reason)}"), evaldiff ${here}` +
      (ours.status === 'pass' ? '' : `: ${reason(ours.reason)}`);
  const data =
    typeof answer.output === 'string'
      ? ''
      : ' (in promptfoo the provider returned data; evaldiff judges its JSON text)';
  const at = `${logLine(metric.place.file)}:${String(metric.place.line)}`;
  return `  ${often}${logLine(metric.name)} (${at}), test ${logLine(test)}: ${words}${data}`;
}
