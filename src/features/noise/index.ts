import type { CommandRow } from '../../app/commands/terminal.ts';
import type { Feature } from '../../app/run/feature.ts';

export const noiseFeature: Feature & CommandRow = {
  key: 'noise',
  commands: [
    { name: 'noise', place: 46, load: async () => (await import('./command.ts')).noiseCommand },
  ],
};
