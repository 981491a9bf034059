import type { CommandRow } from '../../app/commands/terminal.ts';
import type { Feature } from '../../app/run/feature.ts';

/** Comes after the imports in the list of features: `traces` is a subcommand of `import`. */
export const tracesFeature: Feature & CommandRow = {
  key: 'traces',
  commands: [
    {
      name: 'import',
      group: 'start',
      load: async () => (await import('./command.ts')).tracesCommand,
    },
  ],
};
