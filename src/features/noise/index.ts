import type { CommandRow } from '../../app/commands/terminal.ts';
import type { Feature } from '../../app/run/feature.ts';
import type { ReportRow } from '../../report/sections/feature-report.ts';
import { noiseKeys, type NoiseNote } from './note.ts';

export const noiseFeature: Feature<NoiseNote | null> & CommandRow & ReportRow = {
  key: 'noise',
  result: { run: noiseKeys },
  emptyParts: { noise: null },
  report: async () => (await import('./footer.ts')).noiseReport,
  commands: [
    { name: 'noise', group: 'look', load: async () => (await import('./command.ts')).noiseCommand },
    { name: 'drift', group: 'look', load: async () => (await import('./command.ts')).driftCommand },
  ],
  files: async () => [
    { kind: 'noise', type: (await import('./result.ts')).noiseResultSchema, isWritten: true },
  ],
  async plan({ suites, tools: { kept } }) {
    if (kept === undefined || suites.every(({ run }) => run.runs.length === 0)) return null;
    const { lastNoise } = await import('./store.ts');
    return { own: lastNoise(await kept()) };
  },
  after: ({ own }) => ({ parts: { noise: own } }),
};
