import type { Feature } from '../../app/run/feature.ts';
import { comparing } from '../../kernel/plan/tries.ts';
import { withHistory, withSteady } from './tries.ts';

export const historyFeature: Feature = {
  key: 'history',
  async start(suites, { history: open }) {
    return open === undefined || comparing(suites).sequential.length === 0
      ? [...suites]
      : withSteady(suites, await open());
  },
  async results(suites, { history: open, spent: { meter } }) {
    const { calls, reused, replayed = 0 } = meter.totals();
    return open === undefined || calls + reused + replayed === 0
      ? [...suites]
      : withHistory(suites, await open());
  },
};
