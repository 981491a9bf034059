import type { CommandRow } from '../../app/commands/terminal.ts';
import type { Feature } from '../../app/run/feature.ts';
import type { ReportRow } from '../../report/sections/feature-report.ts';
import { findSuiteCauses, planCauses } from './causes.ts';
import { causeKeys } from './result.ts';
import { causeSettings, type CauseSettings } from './settings.ts';

export const causesFeature: Feature<CauseSettings> & ReportRow & CommandRow = {
  key: 'causes',
  commands: [
    { name: 'fix', group: 'look', load: async () => (await import('./command.ts')).fixCommand },
  ],
  calls: { possible: 'cause_possible' },
  settings: causeSettings,
  result: { run: causeKeys },
  plan: planCauses,
  async after(plan, run, tools) {
    const found = await findSuiteCauses(plan, run, tools);
    const parts = Object.entries(found).filter(([, suites]) => suites.length > 0);
    return { parts: Object.fromEntries(parts) };
  },
  report: async () => (await import('./report.ts')).causesReport,
};
