import type { CommandRow } from '../../app/commands/terminal.ts';
import type { Feature } from '../../app/run/feature.ts';
import type { ReportRow } from '../../report/sections/feature-report.ts';
import { coverageCalls } from './calls.ts';
import { coverChanged, judgeChanged, planChanged, type ChangedCover } from './changed.ts';
import { coverageKeys } from './result.ts';
import { coverageSettings } from './settings.ts';

export const coverageFeature: Feature<ChangedCover> & CommandRow & ReportRow = {
  key: 'coverage',
  commands: [
    {
      name: 'cover',
      group: 'test',
      load: async () => (await import('./command.ts')).coverCommand,
    },
  ],
  calls: coverageCalls,
  settings: coverageSettings,
  result: { run: coverageKeys },
  files: async () => [
    { kind: 'cover', type: (await import('./cover-file.ts')).coverResultSchema, isWritten: true },
  ],
  plan: planChanged,
  judge: ({ own: { untested, most } }, run, tools) =>
    untested === 'fail' ? judgeChanged(most, run, tools) : {},
  async after({ own: { untested, most } }, run, tools) {
    if (untested === 'fail') return {};
    return { parts: { coverage: await coverChanged(most, run, tools) } };
  },
  report: async () => (await import('./report.ts')).coverageReport,
};
