import type { CommandRow, SavedKind } from '../../app/commands/terminal.ts';
import type { Feature } from '../../app/run/feature.ts';
import type { ReportRow } from '../../report/sections/feature-report.ts';
import { noiseKeys, type NoiseNote } from './note.ts';
import type { NoiseResult } from './result.ts';

const savedFile: SavedKind<NoiseResult> = {
  fileName: 'noise.json',
  noun: 'a measurement',
  isOne: (value) => 'noise_version' in value,
  read: async (file, value) => (await import('./result.ts')).readNoise(file, value),
  async render(noise, to) {
    const { renderNoise, renderNoiseSummary } = await import('./report.ts');
    return to === 'markdown' ? renderNoiseSummary(noise) : renderNoise(noise, to);
  },
};

export const noiseFeature: Feature<NoiseNote | null> & CommandRow & ReportRow = {
  key: 'noise',
  result: { run: noiseKeys },
  emptyParts: { noise: null },
  report: async () => (await import('./footer.ts')).noiseReport,
  commands: [
    { name: 'noise', group: 'look', load: async () => (await import('./command.ts')).noiseCommand },
  ],
  savedFile,
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
