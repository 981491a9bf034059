import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const UPDATE = 'UPDATE_GOLDENS=1 npm test -- unit/report';

/**
 * Compares a comment with fixtures/comments. On failure, the message explains how to update them.
 */
export function expectGolden(name: string, body: string): void {
  const file = `fixtures/comments/${name}.md`;
  if (process.env['UPDATE_GOLDENS'] === '1') writeFileSync(file, body);
  const kept = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const hint = `If the change is meant: ${UPDATE}, then read the difference of fixtures/comments.`;
  expect({ hint, [file]: body }).toEqual({ hint, [file]: kept });
}
