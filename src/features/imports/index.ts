import type { CommandRow } from '../../app/commands/terminal.ts';
import type { Feature } from '../../app/run/feature.ts';
import type { SessionRow } from '../../app/session/session-row.ts';
import { IMPORT_FORMATS } from './formats.ts';

export const importsFeature: Feature & SessionRow & CommandRow = {
  key: 'imports',
  formats: IMPORT_FORMATS,
  commands: [
    {
      name: 'import',
      group: 'start',
      load: async () => (await import('./command.ts')).importCommand,
    },
  ],
};
