import type { CommandRow } from '../../app/commands/terminal.ts';
import type { ComparedRun, Feature, FeatureTools } from '../../app/run/feature.ts';
import type { FeatureFinding } from '../../kernel/judge/gate-input.ts';
import { placeText } from '../../report/sections/document.ts';
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
