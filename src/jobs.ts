import type { OwnJob } from './app/action/context.ts';
import { noiseJobs } from './features/noise/jobs.ts';
import { shardJobs } from './features/shards/jobs.ts';

/** Jobs that features add. Only the action has them: the command line needs no GitHub library. */
export const JOBS: readonly OwnJob[] = [
  // Checked in this order.
  ...noiseJobs,
  ...shardJobs,
];
