import type { Job, JobRow } from '../../app/action/context.ts';
import type { EvaluateOptions } from '../../app/commands/options.ts';
import type { CommandRow } from '../../app/commands/terminal.ts';
import type { Feature } from '../../app/run/feature.ts';
import type { ShardOptions } from './command.ts';

function refusedShard({ mode }: Pick<Job, 'mode'>): string | null {
  if (mode === 'sweep') return null;
  return mode === 'merge'
    ? 'shard: is for the jobs whose parts mode: merge joins; leave it out of the merge'
    : `shard: parts a full sweep, and this is mode: ${mode}. Set mode: sweep, or leave shard out`;
}

export const shardsFeature: Feature & CommandRow & JobRow = {
  key: 'shards',
  commands: [
    { name: 'merge', place: 72, load: async () => (await import('./command.ts')).mergeCommand },
  ],
  jobs: [
    {
      takes: ({ inputs }) => inputs.shard !== null,
      role: 'part',
      refuse: refusedShard,
      run: async (job, session) => (await import('./job.ts')).runShardJob(job, session),
    },
    {
      takes: ({ mode }) => mode === 'merge',
      role: 'merge',
      open: async (...given) => (await import('./job.ts')).openMerge(...given),
    },
  ],
  variants: [
    {
      command: 'run',
      options: [
        ['--shard <i/n>', 'evaluate one part of n and write it to a folder for evaldiff merge'],
        ['--shard-to <folder>', 'the folder of the part (default: evaldiff-shard-<i>-of-<n>)'],
      ],
      example: 'evaldiff run --shard 2/3',
      takes: ({ shard, shardTo, watch }: ShardOptions) =>
        shard !== undefined || (shardTo !== undefined && watch !== true),
      async run(overrides, options: EvaluateOptions & ShardOptions, terminal) {
        return (await import('./command.ts')).runPart(overrides, options, terminal);
      },
    },
  ],
};
