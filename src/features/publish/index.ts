import type { CommandRow } from '../../app/commands/terminal.ts';
import type { Feature } from '../../app/run/feature.ts';

const FINDING_FORMATS = ['sarif', 'code-quality'] as const;

export const publishFeature: Feature & CommandRow = {
  key: 'publish',
  commands: [
    {
      name: 'publish',
      group: 'look',
      load: async () => (await import('./command.ts')).publishCommand,
    },
  ],
  variants: FINDING_FORMATS.map((format) => ({
    command: 'report',
    format,
    options: [],
    takes: (options: { format?: string }) => options.format === format,
    async run([path], _options, terminal) {
      return (await import('./command.ts')).renderFindings(path, format, terminal);
    },
  })),
};
