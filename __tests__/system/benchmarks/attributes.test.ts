import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { measure } from '../../../benchmarks/attributes/measure.ts';
import { realTruth } from '../../../benchmarks/attributes/real.ts';
import { REAL, SCENARIOS } from '../../../benchmarks/attributes/rows.ts';
import { ROOT } from '../../contract/source-graph.ts';

const scenario = (name: string, references: number, all = SCENARIOS) =>
  all.find((row) => row.name === name && row.references === references)!;

describe('the attribute analysis of simulated pull requests', () => {
  test.each([
    ['one domain', 50],
    ['two domains', 50],
    ['a domain and a sub-task', 150],
    ['three domains', 50],
    ['one domain improves', 50],
    ['one domain, a wider one around it', 50],
    ['one domain, 5 % of the ratings refused', 50],
  ])('names exactly the attributes that got worse: %s, %i tests', (name, references) => {
    const measured = measure(scenario(name, references), 10, { seed: 'test' });
    expect(measured.right).toBeGreaterThanOrEqual(8);
    expect(measured.wrong).toBeLessThanOrEqual(1);
  });

  test.each([
    ['one domain, all ratings equal', 50],
    ['one domain, ratings of other tests', 150],
  ])('names no attribute if the ratings are uninformative: %s, %i tests', (name, references) => {
    const { silent } = measure(scenario(name, references), 10, { seed: 'test' });
    expect(silent).toBeGreaterThanOrEqual(8);
  });

  test('names the two domains that got worse when real texts are rated', () => {
    const truth = realTruth(150);
    const { right } = measure(scenario('two domains', 150, [...REAL]), 10, { seed: 'test', truth });
    expect(right).toBeGreaterThanOrEqual(8);
  });
});

describe('the results page for attributes', () => {
  const page = readFileSync(join(ROOT, 'benchmarks', 'attributes.md'), 'utf8').replace(/ +/g, ' ');

  test('shows a row for each simulation', () => {
    for (const { name, references } of [...SCENARIOS, ...REAL])
      expect(page).toContain(`| ${name} | ${references} | `);
  });
});
