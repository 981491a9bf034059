import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from '@jest/globals';

/**
 * Compares a comment with fixtures/comments. To update: UPDATE_GOLDENS=1 npm test --
 * unit/report, then read the difference.
 */
export function expectGolden(name: string, body: string): void {
  const file = `fixtures/comments/${name}.md`;
  if (process.env['UPDATE_GOLDENS'] === '1') writeFileSync(file, body);
  expect(body).toBe(readFileSync(file, 'utf8'));
}
