import type { CommandRow } from '../../app/commands/terminal.ts';
import type { Feature } from '../../app/run/feature.ts';

export const workbenchFeature: Feature & CommandRow = {
  key: 'workbench',
  commands: [
    { name: 'dev', group: 'test', load: async () => (await import('./command.ts')).devCommand },
  ],
};
