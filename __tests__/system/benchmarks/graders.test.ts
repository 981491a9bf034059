import {
  measureGrader,
  type LabelSource,
  type Method,
} from '../../../benchmarks/graders/simulate.ts';
import { createRandom } from '../../../src/kernel/statistics/random.ts';

const LAW = { good: 0.9, bad: 0.85, base: 0.85, head: 0.75, answers: 200, labels: 40 };

function covered(source: LabelSource, method: Method) {
  const random = createRandom('coverage');
  const { rate, change } = measureGrader(LAW, source, method, { runs: 1000, random });
  return [rate.covered, change.covered];
}

test('95 % intervals of the corrected rate contain the true rate, whether labels are examples or a random sample', () => {
  for (const source of ['examples', 'sample'] as const)
    for (const share of covered(source, 'Rogan-Gladen')) expect(share).toBeGreaterThanOrEqual(0.94);
});

test('prediction-powered intervals contain the true rate only if the labelled answers are a random sample', () => {
  for (const share of covered('sample', 'PPI++')) expect(share).toBeGreaterThanOrEqual(0.94);
  expect(covered('examples', 'PPI++')[0]).toBeLessThan(0.5);
});
