import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { commandIn } from '../../../stand-ins/command-line.ts';
import { createRepository } from '../../../stand-ins/repository.ts';

const FIXTURE = fileURLToPath(new URL('../../../../fixtures/program/', import.meta.url));

test('a program that writes a wrong file is named, with the line of the file', async () => {
  const { directory, commit } = createRepository();
  cpSync(join(FIXTURE, 'base'), directory, { recursive: true });
  commit('base');
  cpSync(join(FIXTURE, 'head'), directory, { recursive: true });
  const diff = ['diff', '--base', 'HEAD', '--no-store', '--code', 'host', '--report', 'report'];
  const { code, out } = await commandIn(directory, diff, { width: 200 });
  expect([code, out]).toEqual([1, expect.stringContaining('Regressed: release-notes')]);
  expect(out).toContain('files     fail: notes/1.4.0.md: line 6 is missing, not "## Fixed"');
  expect(out).toContain('app/notes.mjs:3');
  const result = JSON.parse(readFileSync(join(directory, 'report/result.json'), 'utf8')) as Result;
  const tries = result.suites[0]?.references.flatMap(({ head }) => head?.tries ?? []) ?? [];
  expect(tries).toHaveLength(8);
  for (const made of tries) {
    expect(made.usage?.output_tokens).toBeGreaterThan(0);
    const scores = Object.fromEntries(made.scores.map(({ metric, status }) => [metric, status]));
    expect(scores['calls']).toBe('pass');
  }
});
