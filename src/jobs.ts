import type { OwnJob } from './app/action/context.ts';
import { noiseJobs } from './features/noise/jobs.ts';
import { shardJobs } from './features/shards/jobs.ts';

/**
 * Jobs that features add to the action. They need the GitHub library, so the command line lacks
 * them.
 */
export const JOBS: readonly OwnJob[] = [
  // The first job that accepts the inputs runs.
  ...noiseJobs,
  ...shardJobs,
];
