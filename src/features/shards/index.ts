import type { EvaluateOptions } from '../../app/commands/options.ts';
import type { CommandRow } from '../../app/commands/terminal.ts';
import type { Feature } from '../../app/run/feature.ts';
import type { ShardOptions } from './command.ts';

export const shardsFeature: Feature & CommandRow = {
  key: 'shards',
  commands: [
    {
      name: 'merge',
      group: 'manage',
      load: async () => (await import('./command.ts')).mergeCommand,
    },
  ],
  variants: [
    {
      command: 'run',
      options: [
        ['--shard <i/n>', 'evaluate one part of n, for evaldiff merge'],
        ['--shard-to <folder>', 'the folder of the part (default: evaldiff-shard-<i>-of-<n>)'],
      ],
      takes: ({ shard, shardTo, watch }: ShardOptions) =>
        shard !== undefined || (shardTo !== undefined && watch !== true),
      async run(overrides, options: EvaluateOptions & ShardOptions, terminal) {
        return (await import('./command.ts')).runPart(overrides, options, terminal);
      },
    },
  ],
};
