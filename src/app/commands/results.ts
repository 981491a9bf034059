import { resolve } from 'node:path';
import { userError } from '../../errors.ts';
import type { Result } from '../../kernel/result/result.ts';
import { loadReports } from '../../report/sections/feature-report.ts';
import { logLine } from '../../text/log.ts';
import { visibleErrorMessage, writeTo, type WorkTree } from '../session/safe-writing.ts';
import type { Terminal } from './terminal.ts';

type ResultsTerminal = Pick<Terminal, 'cwd' | 'err' | 'features'>;

interface ResultsFile {
  path: string;
  write(result: Result, root: Pick<WorkTree, 'root'>): Promise<void>;
}

/** @throws UserError if the file's name shows no format */
export function resultsFile(file: string, { cwd, err, features }: ResultsTerminal): ResultsFile {
  const formats = Object.assign({}, ...features.map(({ results }) => results)) as NonNullable<
    Terminal['features'][number]['results']
  >;
  const [, render] = Object.entries(formats).find(([ending]) => file.endsWith(ending)) ?? [];
  if (render === undefined)
    throw userError(
      null,
      `--results: ${file} must end in ${Object.keys(formats).join(', ')}, which choose the format`,
    );
  const path = resolve(cwd, file);
  return {
    path,
    async write(result, root) {
      const rendered = await render(result, await loadReports(features));
      const text =
        typeof rendered === 'string'
          ? rendered
          : (await import('../../report/csv.ts')).renderCsv(rendered);
      await writeTo(path, text, root).catch((error: unknown) => {
        throw userError(file, `cannot be written: ${visibleErrorMessage(error)}`);
      });
      err(`${logLine(`wrote ${file}`)}\n`);
    },
  };
}
