import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { workerModule } from '../../../scripts/embed-worker.ts';
import { pythonWorker, quickjsGuest } from '../../../src/sandbox/worker-source.ts';

const read = (name: string): string =>
  readFileSync(new URL(`../../../src/sandbox/${name}`, import.meta.url), 'utf8');

test('the bundled workers are the files that people read and review', () => {
  expect(pythonWorker).toBe(read('worker.py'));
  expect(quickjsGuest).toBe(read('guest.js'));
});

test('the module is what the script writes', () => {
  expect(read('worker-source.ts')).toBe(workerModule(read('worker.py'), read('guest.js')));
});

test('the Python program fits into one argument of a command line', () => {
  expect(Buffer.byteLength(pythonWorker)).toBeLessThan(128 * 1024);
});
