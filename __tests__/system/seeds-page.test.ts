import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { reproduce } from '../../benchmarks/seeds/index.ts';
import { missed, pageOf, type Part } from '../../benchmarks/seeds/page.ts';

let parts: Part[] = [];
beforeAll(async () => {
  parts = await reproduce();
});

describe('the page of what the seeds published', () => {
  test("has every figure as the seed's own", () => {
    expect(missed(parts)).toEqual({ of: 85, rows: [] });
  });

  test('is as its program writes it', () => {
    expect(readFileSync('benchmarks/seeds.md', 'utf8')).toBe(pageOf(parts));
  });

  test('marks a figure that is not, and counts it', () => {
    const [first] = parts;
    const wrong = [{ ...first!, rows: [{ what: 'w', seed: '1', ours: '2' }] }];
    expect(pageOf(wrong)).toContain('| w | 1 | 2 | ✗ |');
    expect(pageOf(wrong)).toContain('**0 of 1 figures');
  });
});
