import type { Job, OwnJob } from '../../app/action/context.ts';

function refusedShard({ mode }: Job): string | null {
  if (mode === 'sweep') return null;
  return mode === 'merge'
    ? 'shard: is only for the jobs that evaluate the parts; omit it with mode: merge'
    : `shard: splits a full sweep, but this is mode: ${mode}. Set mode: sweep, or omit shard`;
}

export const shardJobs: readonly OwnJob[] = [
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
];
