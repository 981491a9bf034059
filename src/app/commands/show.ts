import { UserError, formatProblem, userError } from '../../errors.ts';
import type { ReferenceResult } from '../../kernel/result/reference-result.ts';
import { RESULT_VERSION, type Result } from '../../kernel/result/result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { loadReports } from '../../report/sections/feature-report.ts';
import { referenceEntries, type ReferenceEntry } from '../../report/sections/order.ts';
import {
  type SentPrompts,
  referenceBlocks,
  sentKey,
  sentPrompts,
} from '../../report/sections/reference-view.ts';
import { logJson, logLine } from '../../text/log.ts';
import { fitterOf, namesMeant } from '../../text/patterns.ts';
import { didYouMean } from '../../text/suggest.ts';
import { planRun } from '../run/plan.ts';
import { runInput, withEdges } from '../session/evaluate.ts';
import type { Session } from '../session/session.ts';
import { WORKTREE, type Sides } from '../session/sides.ts';
import { savedResult } from './files.ts';
import { evaluateOptions, type EvaluateOptions } from './options.ts';
import { withProject } from './project.ts';
import type { AddCommand, Terminal } from './terminal.ts';

interface ShowOptions extends EvaluateOptions {
  from?: string;
}

export const showCommand: AddCommand = (program, terminal, done) => {
  evaluateOptions(program.command('show'), {})
    .description('show one test of a saved result: cause, answers and scores')
    .argument(
      '<reference>',
      'an id, SUITE/ID, part of an id, a pattern with *, words of the input, or @ and its number',
    )
    .option('--from <folder>', 'a report folder, or its result.json (default: the newest run)')
    .addHelpText('after', '\nExample: evaldiff show "six weeks" --from evaldiff-report')
    .action(async (wanted: string, options: ShowOptions) => {
      const result = await savedResult(options.from, terminal);
      const reports = await loadReports(terminal.features);
      const found = findReferences(result, wanted).map(({ suite, reference }) => ({
        suite,
        reference,
        known: reports.flatMap(({ onReference }) => onReference?.(result, suite, reference) ?? []),
      }));
      const sent = await promptsOf(result, options, terminal);
      if (options.json === true)
        terminal.out(
          `${logJson(
            found.map(({ suite, reference, known }) => ({
              schema_version: RESULT_VERSION,
              suite: suite.name,
              path: suite.path,
              variant: suite.variant,
              reference,
              ...Object.assign({}, ...known.map(({ json }) => json)),
              prompt: sentOf(sent, suite, reference),
            })),
          )}\n`,
        );
      else {
        const { renderBlocks } = await import('../../report/terminal.ts');
        terminal.out(
          `${renderBlocks(
            found.flatMap(({ suite, reference, known }) =>
              referenceBlocks(
                suite,
                reference,
                sentOf(sent, suite, reference),
                known.flatMap(({ blocks }) => blocks),
                reports,
              ),
            ),
            { width: terminal.width, colour: terminal.isTerminal },
          )}\n`,
        );
      }
      done(0);
    });
};

function findReferences(result: Result, wanted: string): ReferenceEntry[] {
  const all = referenceEntries(result.suites);
  const named = all.filter(({ suite, reference: { id } }) => `${suite.name}/${id}` === wanted);
  if (named.length > 0) return named;
  const ids = namesMeant(
    wanted,
    all.map(({ reference }) => reference.id),
  );
  const numbered = all[Number(/^@(\d+)$/.exec(wanted)?.[1]) - 1];
  if (ids.size === 0 && numbered !== undefined) return [numbered];
  const fits = fitterOf(wanted);
  const found = all.filter(({ reference: { id, input } }) =>
    ids.size > 0 ? ids.has(id) : Object.values(input).some((value) => fits(String(value))),
  );
  if (found.length > 0) return found;
  throw userError(
    null,
    `this result has no reference "${wanted.slice(0, 100)}"; it contains only references that ran${didYouMean(
      wanted,
      all.map(({ reference }) => reference.id),
    )}`,
  );
}

type SentBySuite = ReadonlyMap<string, SentPrompts> | null;

function sentOf(
  sent: SentBySuite,
  suite: SuiteResult,
  { id }: ReferenceResult,
): SentPrompts | null {
  return sent?.get(sentKey(suite, id)) ?? null;
}

async function promptsOf(
  result: Result,
  options: ShowOptions,
  terminal: Terminal,
): Promise<SentBySuite> {
  const note = (words: string) => {
    terminal.err(`${logLine(`note: ${words}`)}\n`);
  };
  try {
    const planned = await withProject(options, terminal, { role: 'plan' }, async (session) => {
      const sides = await resultTrees(result, session);
      return withEdges(session, sides, (edges) =>
        planRun(runInput(session, result.mode, sides), edges),
      );
    });
    if (!planned.ready) {
      const [first] = planned.result.problems;
      const why = first === undefined ? 'the files have errors' : formatProblem(first);
      note(`the prompts as sent are not shown: ${why}`);
      return null;
    }
    if (result.head.sha === WORKTREE)
      note(
        "the result is of uncommitted files; head's prompt is rendered from the files as they are now",
      );
    return sentPrompts(planned);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    note(`the prompts as sent are not shown: ${error.problems[0]?.message ?? 'unreadable'}`);
    return null;
  }
}

async function resultTrees(
  { base, head }: Result,
  { repository }: Session,
): Promise<Pick<Sides, 'base' | 'head'>> {
  return {
    base: base === null ? null : await repository.tree(base.sha, ''),
    head:
      head.sha === WORKTREE ? await repository.worktree('') : await repository.tree(head.sha, ''),
  };
}
