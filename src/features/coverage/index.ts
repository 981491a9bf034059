import type { CommandRow } from '../../app/commands/terminal.ts';
import type { ComparedRun, Feature, FeatureTools } from '../../app/run/feature.ts';
import type { ReportRow } from '../../report/sections/feature-report.ts';
import { coverSuites } from './cover-suite.ts';
import { coverageCalls, planChanged, type ChangedCover } from './plans.ts';
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
  ],
  calls: coverageCalls,
  settings: coverageSettings,
  result: { run: coverageKeys },
  files: async () => [
    { kind: 'cover', type: (await import('./cover-file.ts')).coverFileSchema, isWritten: true },
  ],
  plan: planChanged,
  async judge({ own: { most, fails } }, run, tools) {
    if (!fails) return {};
    const coverage = await coverChanged(most, run, tools);
    const { untestedFindings } = await import('./report.ts');
    return { parts: { coverage }, findings: coverage.flatMap(untestedFindings) };
  },
  async after({ own: { most, fails } }, run, tools) {
    return fails ? {} : { parts: { coverage: await coverChanged(most, run, tools) } };
  },
  report: async () => (await import('./report.ts')).coverageReport,
};

async function coverChanged(
  most: number,
  { rows, price }: Pick<ComparedRun, 'rows' | 'price'>,
  tools: FeatureTools,
): Promise<SuiteCoverage[]> {
  if (tools.isPreview === true) return [];
  const suites = rows.map(({ comparison }) => comparison);
  return coverSuites(suites, 'changed', most, { ...tools, price });
}
