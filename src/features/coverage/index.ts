import type { CommandRow } from '../../app/commands/terminal.ts';
import type { Feature } from '../../app/run/feature.ts';
import type { FeatureFinding } from '../../kernel/judge/gate-input.ts';
import { placeText } from '../../report/sections/document.ts';
import type { ReportRow } from '../../report/sections/feature-report.ts';
import { coverSuites } from './cover-suite.ts';
import { coverageCalls, planChanged, requestedCover, type ChangedCover } from './plans.ts';
import { coverageKeys, type SuiteCoverage } from './result.ts';
import { coverageSettings } from './settings.ts';

export const coverageFeature: Feature<ChangedCover> & CommandRow & ReportRow = {
  key: 'coverage',
  commands: [
    {
      name: 'cover',
      group: 'test',
      load: async () => (await import('./command.ts')).coverCommand,
    },
    {
      name: 'improve',
      group: 'test',
      load: async () => (await import('./improve-command.ts')).improveCommand,
    },
  ],
  calls: coverageCalls,
  settings: coverageSettings,
  result: { run: coverageKeys },
  files: async () => [
    { kind: 'cover', type: (await import('./cover-file.ts')).coverFileSchema, isWritten: true },
  ],
  onRequest: requestedCover,
  plan: planChanged,
  async judge(plan, run, tools) {
    if (!plan.own.fails) return {};
    const coverage = await coverSuites(plan, run, 'changed', tools);
    return { parts: { coverage }, findings: coverage.flatMap(untestedFindings) };
  },
  async after(plan, run, tools) {
    if (plan.own.fails) return {};
    return { parts: { coverage: await coverSuites(plan, run, 'changed', tools) } };
  },
  report: async () => (await import('./report.ts')).coverageReport,
};

/** A line that is not settled fails no run. */
function untestedFindings({ path, suite, variant, lines }: SuiteCoverage): FeatureFinding[] {
  return lines
    .filter(({ status }) => status === 'untested')
    .map(({ unit: { file, lines: at } }) => ({
      suite: { path, name: suite, variant },
      text:
        `${suite}: answers change without ${placeText({ file, line: at.from })}, and no test ` +
        'fails; coverage.untested is fail',
    }));
}
