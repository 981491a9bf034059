import { evaluateOptions, readOption, type EvaluateOptions } from '../../app/commands/options.ts';
import { writeOwnReports } from '../../app/commands/print-result.ts';
import { currentFiles, type FindSides, withProject } from '../../app/commands/project.ts';
import { printBlocks, type AddCommand, type Terminal } from '../../app/commands/terminal.ts';
import type { Session } from '../../app/session/session.ts';
import { findLocalSides } from '../../app/session/sides.ts';
import { parseRuns } from '../../config/inputs.ts';
import { logJson } from '../../text/log.ts';
import { DRIFT, measureIn, NOISE, writeMeasured, type CommitMeasurement } from './measurement.ts';

interface MeasurementOptions extends EvaluateOptions {
  runs?: string;
  base?: string;
}

const TERMINAL_ROWS = 50;

function measurementCommand<T extends object>(measurement: CommitMeasurement<T>): AddCommand {
  const { name, description, base, help, code } = measurement;
  return (program, terminal, done) => {
    const command = evaluateOptions(program.command(name), {
      answers: true,
      caps: true,
      asks: true,
    })
      .option('--report <folder>', `also write ${name}.json there`)
      .description(description)
      .argument('[overrides...]', 'names of prompts, and key=value');
    if (name === 'noise') command.option('-n, --runs <number>', 'comparisons to make', '20');
    command
      .option('-b, --base <commit>', base)
      .addHelpText('after', `\n${help}`)
      .action(async (overrides: string[], options: MeasurementOptions) => {
        const { runs = '1' } = options;
        const number = readOption((refuse) => parseRuns('--runs', runs, refuse));
        const measured = await withProject(options, terminal, { overrides }, async (session) => {
          const { head } = await sideOf(options.base)(session);
          const found = await measureIn(measurement, session, head, number);
          await printMeasured(measurement, found, { session, options, terminal });
          return found;
        });
        done(code(measured));
      });
  };
}

function sideOf(base: string | undefined): FindSides {
  if (base === undefined) return currentFiles;
  return ({ repository, env }) =>
    findLocalSides(repository, { base, head: base, env, workingDirectory: '' });
}

async function printMeasured<T extends object>(
  measurement: CommitMeasurement<T>,
  measured: T,
  given: { session: Session; options: EvaluateOptions; terminal: Terminal },
): Promise<void> {
  const { session, options, terminal } = given;
  if (options.json === true) terminal.out(`${logJson(measured)}\n`);
  else await printBlocks(measurement.blocks(measured, TERMINAL_ROWS), terminal);
  await writeOwnReports(session, options, terminal, `${measurement.name}.json`, (folder) =>
    writeMeasured(measurement, measured, folder),
  );
}

export const noiseCommand = measurementCommand(NOISE);

export const driftCommand = measurementCommand(DRIFT);
