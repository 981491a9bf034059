import { readFileSync } from 'node:fs';
import { reproduce } from '../../benchmarks/seeds/index.ts';
import { missed, pageOf, type Part } from '../../benchmarks/seeds/page.ts';

let parts: Part[] = [];
beforeAll(async () => {
  parts = await reproduce();
});

describe('the page of figures from research papers', () => {
  test('reproduces every published figure', () => {
    expect(missed(parts)).toEqual({ of: 85, rows: [] });
  });

  test('is identical to the output of its program', () => {
    expect(readFileSync('benchmarks/seeds.md', 'utf8')).toBe(pageOf(parts));
  });

  test('marks and counts each figure that differs from the published one', () => {
    const [first] = parts;
    const wrong = [{ ...first!, rows: [{ what: 'w', seed: '1', ours: '2' }] }];
    expect(pageOf(wrong)).toContain('| w | 1 | 2 | ✗ |');
    expect(pageOf(wrong)).toContain('**0 of 1 figures');
  });
});
