import type { OwnJob } from '../../app/action/context.ts';

export const noiseJobs: readonly OwnJob[] = [
  {
    takes: ({ mode }) => mode === 'noise' || mode === 'drift',
    isOfBase: true,
    run: async (job, session) => (await import('./job.ts')).runMeasurementJob(job, session),
  },
];
