import type { CommandRow } from '../../app/commands/terminal.ts';
import type { Feature } from '../../app/run/feature.ts';

export const publishFeature: Feature & CommandRow = {
  key: 'publish',
  commands: [
    {
      name: 'publish',
      group: 'look',
      load: async () => (await import('./command.ts')).publishCommand,
    },
  ],
};
