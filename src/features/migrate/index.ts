import type { CommandRow } from '../../app/commands/terminal.ts';
import type { Feature } from '../../app/run/feature.ts';

export const migrateFeature: Feature & CommandRow = {
  key: 'migrate',
  commands: [
    {
      name: 'migrate',
      group: 'test',
      load: async () => (await import('./command.ts')).migrateCommand,
    },
  ],
};
