import type { Feature } from '../../app/run/feature.ts';
import type { ReportRow } from '../../report/sections/feature-report.ts';

export const handoffFeature: Feature & ReportRow = {
  key: 'handoff',
  async report() {
    const { agentFold } = await import('./agent-fold.ts');
    const { nextStep } = await import('./next-step.ts');
    return { sections: { next: nextStep, handoff: agentFold } };
  },
};
