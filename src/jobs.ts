import type { OwnJob } from './app/action/context.ts';
import { noiseJobs } from './features/noise/jobs.ts';
import { shardJobs } from './features/shards/jobs.ts';

/**
 * The action's jobs that features add. They need the GitHub library, so the command line has none.
 */
export const JOBS: readonly OwnJob[] = [
  // Checked in this order.
  ...noiseJobs,
  ...shardJobs,
];
