import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setUp } from '../../../unit/edges/store/setting.ts';

const SCRIPT = fileURLToPath(new URL('../../../unit/edges/store/killed-run.ts', import.meta.url));

/**
 * Starts a run of `count` answers and kills it with SIGKILL when the line `until` has been written.
 */
async function killed(file: string, count: number, until: string) {
  const child = spawn(process.execPath, [SCRIPT, file, String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8');
  for await (const chunk of child.stdout) {
    text += String(chunk);
    if (text.split('\n').includes(until)) child.kill('SIGKILL');
  }
  expect(
    child.signalCode ??
      (await new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)))),
  ).toBe('SIGKILL');
  return text.split('\n');
}

test('a run killed at any moment resumes without paying twice for received answers', async () => {
  const setting = setUp();
  try {
    let paid = 0;
    const paidFor = new Set<string>();
    for (const at of [0, 7, 150, 299]) {
      const lines = await killed(setting.file, 300, `back ${at}`);
      const own = lines.filter((line) => line.startsWith('paid'));
      // No received answer is paid for again. At most the call that was pending at the kill is.
      expect(own.filter((line) => paidFor.has(line)).length).toBeLessThanOrEqual(1);
      expect(lines.filter((line) => line.startsWith('notice'))).toEqual([]);
      for (const line of own) paidFor.add(line);
      paid += own.length;
    }
    expect(paidFor.size).toBe(300);
    expect(paid).toBeLessThanOrEqual(303);
    expect(existsSync(`${setting.file}-wal`)).toBe(true);
    const store = setting.open();
    expect(store.stats()).toMatchObject({ entries: 300 });
    store.close();
    expect(setting.notices).toEqual([]);
  } finally {
    setting.remove();
  }
});
