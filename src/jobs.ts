import type { OwnJob } from './app/action/context.ts';
import { noiseJobs } from './features/noise/jobs.ts';
import { shardJobs } from './features/shards/jobs.ts';

/**
 * Jobs of the action that features add. The command line has none: they need the GitHub library.
 */
export const JOBS: readonly OwnJob[] = [
  // Checked in this order.
  ...noiseJobs,
  ...shardJobs,
];
