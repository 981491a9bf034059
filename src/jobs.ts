import type { OwnJob } from './app/action/context.ts';
import { noiseJobs } from './features/noise/jobs.ts';
import { shardJobs } from './features/shards/jobs.ts';

/**
 * Jobs that features add to the action. The command line lacks them, because they need the GitHub
 * library.
 */
export const JOBS: readonly OwnJob[] = [
  // The first job that accepts the inputs runs.
  ...noiseJobs,
  ...shardJobs,
];
