import type { CommandRow } from '../../app/commands/terminal.ts';
import type { Feature } from '../../app/run/feature.ts';

export const shardsFeature: Feature & CommandRow = {
  key: 'shards',
  commands: [
    { name: 'merge', place: 72, load: async () => (await import('./command.ts')).mergeCommand },
  ],
};
