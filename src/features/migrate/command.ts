import {
  collectValues,
  evaluateOptions,
  SWEEPS,
  type EvaluateOptions,
} from '../../app/commands/options.ts';
import { printEnd, showResult } from '../../app/commands/print-result.ts';
import { withCurrentProject } from '../../app/commands/project.ts';
import { printBlocks, type AddCommand, type Terminal } from '../../app/commands/terminal.ts';
import { sha256 } from '../../app/session/cached-complete.ts';
import { evaluateWith, runInput, withEdges } from '../../app/session/evaluate.ts';
import { modelLists } from '../../app/session/list-memory.ts';
import type { Session } from '../../app/session/session.ts';
import type { Sides } from '../../app/session/sides.ts';
import { userError } from '../../errors.ts';
import { list } from '../../report/sections/document.ts';
import { problemLine } from '../../report/sections/notices.ts';
import type { SourceTree } from '../../types/repository.ts';
import { modelEdits, withLineEdits, type LineEdit, type Migration } from './edits.ts';
import { migrationBlocks } from './report.ts';

interface MigrateOptions extends EvaluateOptions {
  to?: string;
  from?: string[];
  ending?: boolean;
}

export const migrateCommand: AddCommand = (program, terminal, done) => {
  evaluateOptions(program.command('migrate'), { ...SWEEPS, verdict: false, report: 'all reports' })
    .description('compare the prompts with themselves under another model')
    .option('--to <model>', 'the new model (with --ending: default by vendor)')
    .option('--from <model>', 'replace only this model; repeatable', collectValues)
    .option('--ending', 'replace models that end within 90 days')
    .argument('[overrides...]', 'names of prompts, and key=value')
    .addHelpText(
      'after',
      '\nChanges no file. Prints the verdict, cost and latency of each suite, the edits to make, and\n' +
        'for tests that got worse a change of the prompt, if one is proven to help.\n' +
        '\nExample: evaldiff migrate --to gpt-5.4-mini prompts=capitals',
    )
    .action(async (overrides: string[], options: MigrateOptions) => {
      done(await migrate(overrides, options, terminal));
    });
};

async function migrate(
  overrides: readonly string[],
  options: MigrateOptions,
  terminal: Terminal,
): Promise<number> {
  const { to = null, from = [], ending = false } = options;
  if (to === null && !ending)
    throw userError(null, '--to: name the new model, or replace ending models with --ending');
  let code = 0;
  await withCurrentProject(
    options,
    terminal,
    ['explain.fix=true', ...overrides],
    async ({ session, tree, project }) => {
      const { edits, notices } = await modelEdits(
        tree,
        project,
        { to, from, ending },
        {
          today: session.now().toISOString().slice(0, 10),
          past: 'notice',
          lists: await modelLists(session.openStores, Date.now).known(),
        },
      );
      if (edits.length === 0) {
        terminal.out(`${nothingWords({ to, from, ending })}\n`);
        await printBlocks(list(notices.map(problemLine)), terminal);
        return;
      }
      const head = await withLineEdits(tree, edits, sha256);
      code = await compareModels(
        { session, options, terminal },
        { base: tree, head, notices },
        edits,
      );
    },
    'notice',
  );
  return code;
}

function nothingWords({ to, from, ending }: Migration): string {
  if (ending)
    return 'Nothing to migrate: no line that evaldiff can edit names a model that ends within 90 days.';
  if (from.length > 0) return `Nothing to migrate: no prompt names ${from.join(' or ')}.`;
  return `Nothing to migrate: no prompt names another model than ${to ?? ''}.`;
}

interface Given {
  session: Session;
  options: EvaluateOptions;
  terminal: Terminal;
}

async function compareModels(
  { session, options, terminal }: Given,
  sides: Sides & { base: SourceTree },
  edits: readonly LineEdit[],
): Promise<number> {
  // Both sides run programs of the same tree, because only prompts differ.
  const evaluated = await withEdges(session, { base: null, head: sides.base }, (edges) =>
    evaluateWith(runInput(session, 'diff', sides), edges),
  );
  const result = await showResult(evaluated, session, options, terminal);
  if (options.json !== true)
    await printBlocks(migrationBlocks(result, evaluated.plan, edits), terminal);
  return printEnd(result, terminal);
}
