import type { CommandRow } from '../../app/commands/terminal.ts';
import type { Feature } from '../../app/run/feature.ts';
import type { CsvOptions } from './command.ts';

export const csvFeature: Feature & CommandRow = {
  key: 'csv',
  variants: [
    {
      command: 'report',
      format: 'csv',
      options: [
        ['--table <name>', 'with --format csv: tests (default), or attributes if there are any'],
      ],
      takes: ({ format, table }: Partial<CsvOptions>) => format === 'csv' || table !== undefined,
      async run(paths, options: CsvOptions, terminal) {
        return (await import('./command.ts')).renderCsv(paths, options, terminal);
      },
    },
  ],
  tables: { tests: async (result) => (await import('../../report/test-rows.ts')).testRows(result) },
};
