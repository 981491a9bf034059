import type { Command } from 'commander';
import { SETTINGS_FILE } from '../../config/file-names.ts';
import { deduplicate } from '../../documents/document.ts';
import { formatProblem } from '../../errors.ts';
import { exitCode } from '../../kernel/result/outcome.ts';
import type { Result } from '../../kernel/result/result.ts';
import { sizeWords } from '../../money/plan.ts';
import { planJson, planLines } from '../../report/plan.ts';
import { counted } from '../../text/amounts.ts';
import { logJson, logLine } from '../../text/log.ts';
import type { Notice } from '../../types/plain.ts';
import { unrunnableReferences } from '../run/check.ts';
import { certainWords, planRun } from '../run/plan.ts';
import type { PlannedOrRefused, PlannedRun, RunInput } from '../run/record.ts';
import { runInput, withEdges } from '../session/evaluate.ts';
import { WORKTREE, findLocalSides } from '../session/sides.ts';
import { evaluateOptions, SWEEPS, type EvaluateOptions } from './options.ts';
import { printEnd, evaluateSides, print } from './print-result.ts';
import { currentFiles, type FindSides, withProject } from './project.ts';
import type { AddCommand, Terminal } from './terminal.ts';

interface SidesOptions {
  base?: string;
  head: string;
}

function sidesFrom({ base, head }: SidesOptions): FindSides {
  return ({ repository, env }) =>
    findLocalSides(repository, { base: base ?? null, head, env, workingDirectory: '' });
}

function sidesOptions(command: Command): Command {
  return command
    .option(
      '-b, --base <commit>',
      'a branch or commit; base is its merge base with head (default: the base that the CI ' +
        'names, else main or the default branch)',
    )
    .option(
      '--head <commit>',
      `what to evaluate: a commit, or "${WORKTREE}" for the files as they are`,
      WORKTREE,
    );
}

export const diffCommand: AddCommand = (program, terminal, done) => {
  evaluateOptions(sidesOptions(program.command('diff')), {
    ...SWEEPS,
    report: 'result.json and all reports',
  })
    .description('run the affected tests on base and head and compare them')
    .argument(
      '[overrides...]',
      'names of prompts, and key=value, such as n_tries=5, references=refund* or tags=critical',
    )
    .addHelpText('after', '\nExample: evaldiff diff --base origin/main capitals n_tries=5')
    .action(async (overrides: string[], options: EvaluateOptions & SidesOptions) => {
      done(printEnd(await compareSides(options, overrides, terminal), terminal));
    });
};

/** Prints the result and writes its reports. */
export function compareSides(
  options: EvaluateOptions & SidesOptions,
  overrides: readonly string[],
  terminal: Terminal,
): Promise<Result> {
  return withProject(options, terminal, { overrides }, (session) =>
    evaluateSides('diff', sidesFrom(options), session, options, terminal),
  );
}

function planOnly(
  mode: 'diff' | 'sweep',
  find: FindSides,
  {
    overrides,
    options,
    terminal,
    ...strictness
  }: {
    overrides: readonly string[];
    options: EvaluateOptions;
    terminal: Terminal;
  } & Pick<RunInput, 'strict'>,
) {
  return withProject(options, terminal, { overrides, role: 'plan' }, async (session) => {
    const sides = await find(session);
    const planned = await withEdges(session, sides, (edges) =>
      planRun({ ...runInput(session, mode, sides), ...strictness }, edges),
    );
    return { planned, trust: session.trust };
  });
}

export const planCommand: AddCommand = (program, terminal, done) => {
  evaluateOptions(sidesOptions(program.command('plan')), { answers: true, caps: true, trust: true })
    .description('show what diff would run and cost; makes no model calls')
    .option('--verbose', 'also list every reference, and the side that each setting comes from')
    .argument('[overrides...]', 'names of prompts, and key=value')
    .addHelpText('after', '\nExample: evaldiff plan --base origin/main capitals')
    .action(
      async (
        overrides: string[],
        options: EvaluateOptions & SidesOptions & { verbose?: boolean },
      ) => {
        const { planned, trust } = await planOnly('diff', sidesFrom(options), {
          overrides,
          options,
          terminal,
        });
        if (!planned.ready) {
          await print(planned.result, options, terminal);
          done(exitCode(planned.result.conclusion));
          return;
        }
        const { emptyResult, forecast, caps } = planned;
        // Reports broken references even if the change affects no suite.
        const broken = unrunnableReferences(planned.suites).map((problem): Notice => ({
          kind: 'error',
          ...problem,
        }));
        const view = {
          trust,
          prepared: planned,
          notices: deduplicate([...emptyResult.notices, ...broken]),
          certainWords: certainWords(planned.plan, terminal.features),
          forecast,
          caps,
          verbose: options.verbose === true,
        };
        terminal.out(
          options.json === true
            ? `${logJson(planJson(view))}\n`
            : `${planLines(view).join('\n')}\n`,
        );
        done(0);
      },
    );
};

export async function validateFolder(
  directory: string,
  terminal: Terminal,
  code: 'sandbox' | 'host' = 'sandbox',
): Promise<PlannedOrRefused> {
  const options = { directory, config: SETTINGS_FILE, code };
  return (await validated(options, { ...terminal, err: () => undefined })).planned;
}

const MOST_FOUND = 10;

export async function validateLines(
  directory: string,
  terminal: Terminal,
  code: 'sandbox' | 'host',
): Promise<string[]> {
  const planned = await validateFolder(directory, terminal, code);
  const { problems, notices } = planned.ready ? planned.emptyResult : planned.result;
  const said = [...problems, ...notices.filter(({ kind }) => kind === 'import')];
  const lines = said.slice(0, MOST_FOUND).map((found) => `  ${formatProblem(found)}`);
  const rest = said.length - lines.length;
  const more = rest === 0 ? [] : [`  and ${rest} more`];
  const words = code === 'host' ? ' --code host' : '';
  const found = planned.ready
    ? `npx evaldiff validate${words}: ${sizeOf(planned)}: no errors`
    : `npx evaldiff validate${words} finds ${counted(problems.length, 'error')}; fix these first:`;
  return [found, ...lines, ...more];
}

function sizeOf({ plan }: PlannedRun): string {
  return sizeWords(plan, 'suites with references');
}

function validated(options: EvaluateOptions, terminal: Terminal): ReturnType<typeof planOnly> {
  return planOnly('sweep', currentFiles, { overrides: [], options, terminal, strict: true });
}

export const validateCommand: AddCommand = (program, terminal, done) => {
  evaluateOptions(program.command('validate'), {})
    .description('check all files and report every error; makes no model calls')
    .addHelpText('after', '\nExample: evaldiff validate --directory services/chat')
    .action(async (options: EvaluateOptions) => {
      const { planned } = await validated(options, terminal);
      if (!planned.ready) {
        await print(planned.result, options, terminal);
        done(exitCode(planned.result.conclusion));
        return;
      }
      const { plan, emptyResult } = planned;
      const { notices } = emptyResult;
      for (const notice of notices) terminal.err(`note: ${logLine(formatProblem(notice))}\n`);
      if (options.json === true)
        terminal.out(
          `${logJson({ prompts: plan.suites, references: plan.references, notices, problems: [] })}\n`,
        );
      else terminal.out(`${sizeOf(planned)}: no errors\n`);
      done(0);
    });
};
