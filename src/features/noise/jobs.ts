import type { OwnJob } from '../../app/action/context.ts';

export const noiseJobs: readonly OwnJob[] = [
  {
    takes: ({ mode }) => mode === 'noise',
    isOfBase: true,
    run: async (job, session) => (await import('./job.ts')).runNoiseJob(job, session),
  },
  {
    takes: ({ mode }) => mode === 'drift',
    isOfBase: true,
    run: async (job, session) => (await import('./job.ts')).runDriftJob(job, session),
  },
];
