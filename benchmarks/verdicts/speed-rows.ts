import { judgeMeasured, measureSuites } from '../../src/kernel/judge/verdict.ts';
import { DEFAULT_GATE } from '../../src/kernel/suite/gate-settings.ts';
import { least } from './goals.ts';
import { drawSuite, nothing } from './scenarios.ts';
import type { ReportedRow } from './scores.ts';
import { tried } from './simulate.ts';

export const SPEED: readonly ReportedRow[] = [
  {
    name: 'judging 5000 × 5 tries a side takes less than 1 s',
    goals: [least('reported', 1)],
    part: 0.0025,
    run: (random) => {
      const suite = drawSuite(5000, 'all 0.95', nothing, random);
      const { comparisons, calls } = tried([suite], 5, random);
      const before = process.cpuUsage();
      judgeMeasured(measureSuites(comparisons, DEFAULT_GATE));
      const { user, system } = process.cpuUsage(before);
      return Promise.resolve({ reported: (user + system) / 1e6 < 1, calls: calls / 5000 });
    },
  },
];
