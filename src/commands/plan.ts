import type { Command } from 'commander';
import type { LaneRun } from '../core/rounds.ts';
import { sources, SOURCE_LABELS, type Sources } from '../core/trust.ts';
import { plural } from '../core/wording.ts';
import { exitCode } from '../exit-code.ts';
import { renderTerminal } from '../report/terminal.ts';
import { logLine } from '../text/log.ts';
import { sidesFrom, sidesOptions, type SidesOptions } from './diff.ts';
import { evaluateOptions, type EvaluateOptions, type Terminal } from './options.ts';
import { planOnly } from './session.ts';

export function planCommand(program: Command, terminal: Terminal, done: (code: number) => void): void {
  evaluateOptions(sidesOptions(program.command('plan')))
    .description('what diff would run and why, what comes from which side, and how many calls; asks nobody')
    .argument('[overrides...]', 'key=value')
    .action(async (overrides: string[], options: EvaluateOptions & SidesOptions) => {
      const { planned, input } = await planOnly('diff', sidesFrom(options), overrides, options, terminal);
      if (!planned.ready) {
        terminal.out(renderTerminal(planned.result, { width: terminal.width, colour: terminal.isTerminal }));
        done(exitCode(planned.result.conclusion));
        return;
      }
      const { prepared, blank } = planned;
      const lines = [
        `trust: ${input.trust}`, ...sourceLines(sources(input.trust)), '',
        ...prepared.lanes.flatMap(({ run }) => laneLines(run)),
        `${plural(prepared.plan.prompt_calls, 'call')} for the first answers, up to ${plural(prepared.plan.grader_calls, 'call')} for their grades`,
        ...blank.notices.map(({ message }) => `note: ${message}`),
      ];
      terminal.out(`${lines.map((line) => (line === '' ? '' : logLine(line))).join('\n')}\n`);
      done(0);
    });
}

function sourceLines(from: Sources): string[] {
  return Object.entries(SOURCE_LABELS).map(([key, label]) => `  ${label}: ${from[key as keyof Sources]}`);
}

function laneLines({ lane, runs }: LaneRun): string[] {
  if (lane.cases.length === 0) return [`${lane.path}: not affected`];
  const why = lane.because.map(({ key, file }) => `${key} (${file})`).join(', ');
  const removed = lane.cases.length - runs.length;
  return [
    `${lane.path}: ${plural(runs.length, 'reference')} because of ${why}${lane.unaffected > 0 ? `; ${String(lane.unaffected)} not affected` : ''}`,
    ...lane.cases.map(({ reference, change, base }) => `  ${reference.id}${change === 'both' ? '' : ` (${change})`}${base === null && change !== 'removed' ? ', head only' : ''}`),
    ...(removed > 0 ? [`  ${plural(removed, 'reference')} removed, not run`] : []),
  ];
}
