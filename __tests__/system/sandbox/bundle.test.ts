import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { bundle, type Bundle } from '../../stand-ins/bundle.ts';

const run = promisify(execFile);

/**
 * An entry as the product has them: its body must not run a second time in the JavaScript engine's
 * thread.
 */
const entry = `
import { createSandbox, guardProcess } from './sandbox/index.js';
guardProcess();
console.log('the entry runs');
const sandbox = createSandbox({ mode: 'sandbox', env: {}, timeoutSeconds: 5, log: console.log });
for (const language of ['javascript', 'python']) {
  const [result] = await sandbox.evaluate({ suite: 'p', side: 'head', language, code: 'metric = 40 + a\\nresult = metric == 42', outputs: ['metric', 'result'], inputs: [{ a: 2 }] });
  console.log(language, JSON.stringify(result));
}
await sandbox.close();
`;

describe('a bundle made by ncc', () => {
  let built: Bundle;
  beforeAll(async () => {
    built = await bundle(entry);
  }, 120_000);
  afterAll(() => built.remove());

  test('runs code in both languages from a folder without node_modules, and its entry only once', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'evaldiff-elsewhere-'));
    await cp(built.folder, join(elsewhere, 'dist'), { recursive: true });
    const { stdout } = await run(process.execPath, [join(elsewhere, 'dist/index.js')], {
      cwd: elsewhere,
    });
    await rm(elsewhere, { recursive: true, force: true });
    const values = JSON.stringify({ status: 'ok', values: { metric: 42, result: true } });
    expect(stdout.trim().split('\n')).toEqual([
      'the entry runs',
      `javascript ${values}`,
      `python ${values}`,
    ]);
  }, 60_000);
});
