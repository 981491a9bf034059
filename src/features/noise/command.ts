import { evaluateOptions, readOption, type EvaluateOptions } from '../../app/commands/options.ts';
import { writeOwnReports } from '../../app/commands/print-result.ts';
import { currentFiles, type FindSides, withProject } from '../../app/commands/project.ts';
import type { AddCommand, Terminal } from '../../app/commands/terminal.ts';
import type { Session } from '../../app/session/session.ts';
import { findLocalSides } from '../../app/session/sides.ts';
import { parseRuns } from '../../config/inputs.ts';
import { logJson } from '../../text/log.ts';
import { measure, writeNoise } from './measure.ts';
import { noiseCode, type NoiseResult } from './result.ts';

interface NoiseOptions extends EvaluateOptions {
  runs: string;
  base?: string;
}

export const noiseCommand: AddCommand = (program, terminal, done) => {
  evaluateOptions(program.command('noise'), {
    answers: true,
    caps: true,
    asks: true,
    report: 'noise.json',
  })
    .description('compare a commit with itself to measure the false-alarm rate')
    .argument('[overrides...]', 'names of prompts, and key=value')
    .option('-n, --runs <number>', 'comparisons to make', '20')
    .option('-b, --base <commit>', 'the commit to compare with itself (default: the working tree)')
    .addHelpText(
      'after',
      '\nPrints the number of calls and their price before the first call. Later ' +
        'reports show the result under "How sure is this?".\n' +
        '\nExample: evaldiff noise --runs 100 prompts=capitals',
    )
    .action(async (overrides: string[], options: NoiseOptions) => {
      const runs = readOption((refuse) => parseRuns('--runs', options.runs, refuse));
      const noise = await withProject(options, terminal, { overrides }, async (session) => {
        const { head } = await sideOf(options.base)(session);
        const found = session.redact(await measure(session, head, runs));
        await printNoise(found, session, options, terminal);
        return found;
      });
      done(noiseCode(noise));
    });
};

function sideOf(base: string | undefined): FindSides {
  if (base === undefined) return currentFiles;
  return ({ repository, env }) =>
    findLocalSides(repository, { base, head: base, env, workingDirectory: '' });
}

async function printNoise(
  noise: NoiseResult,
  session: Session,
  options: NoiseOptions,
  terminal: Terminal,
): Promise<void> {
  const { out, width, isTerminal } = terminal;
  if (options.json === true) out(`${logJson(noise)}\n`);
  else {
    const { renderNoise } = await import('./report.ts');
    out(renderNoise(noise, { width, colour: isTerminal }));
  }
  await writeOwnReports(session, options, terminal, 'noise.json', (folder) =>
    writeNoise(noise, folder),
  );
}
