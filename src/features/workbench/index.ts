import type { CommandRow } from '../../app/commands/terminal.ts';
import type { Feature } from '../../app/run/feature.ts';

export const workbenchFeature: Feature & CommandRow = {
  key: 'workbench',
  commands: [
    { name: 'dev', place: 15, load: async () => (await import('./command.ts')).devCommand },
  ],
};
