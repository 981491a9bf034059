import { spawn } from 'node:child_process';
import { readFileSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { reasonsInWords } from '../../../../src/wording/reasons.ts';
import { afterThisTest } from '../../../stand-ins/after-test.ts';
import { localEndpoint } from '../../../stand-ins/command-line.ts';
import { renderComment } from '../../../stand-ins/reports.ts';
import { temporaryFolder } from '../../../stand-ins/repository.ts';
import { openShop } from '../../../unit/app/commands/shop.ts';

const CLI = fileURLToPath(new URL('../../../../src/cli.ts', import.meta.url));

test.each([
  ['SIGTERM', 'alone'],
  ['SIGINT', 'with all that it started, as from a terminal'],
] as const)(
  'a run that receives %s %s writes a partial report, which the next run continues',
  async (signal, whom) => {
    let silent = true;
    const allAsked = Promise.withResolvers<undefined>();
    const fiveKept = Promise.withResolvers<undefined>();
    const shop = await openShop({
      answer: ({ index }) => {
        if (index === 7) allAsked.resolve(undefined);
        return silent && index >= 5 ? { fault: 'silent' } : { text: 'Yes, 5' };
      },
    });
    const record = join(temporaryFolder('record'), 'answers.jsonl');
    writeFileSync(record, '');
    const watcher = watch(record, () => {
      if (readFileSync(record, 'utf8').split('\n').length > 5) fiveKept.resolve(undefined);
    });
    afterThisTest(() => watcher.close());
    const child = spawn(process.execPath, [CLI, 'run', '--json', '--record', record], {
      cwd: shop.repository.directory,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: localEndpoint(shop.server),
      detached: true,
    });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    const ended = new Promise<number | null>((resolve) =>
      child.once('close', (code) => resolve(code)),
    );
    await Promise.all([allAsked.promise, fiveKept.promise]);
    if (whom === 'alone') child.kill(signal);
    else process.kill(-(child.pid ?? 0), signal);
    expect(await ended).toBe(2);
    expect(err).toContain(`${signal}: no further calls; the run reports what it has.`);
    const result = JSON.parse(out) as Result;
    expect(result.conclusion).toBe('error');
    expect(result.title).toBe(
      `Interrupted: it was cancelled, or stopped by hand (${signal}); 5 of 8 tries were made`,
    );
    // Cancelled calls count neither as progress nor as model errors.
    expect(err).not.toContain('8 of 8 answers');
    expect(reasonsInWords(result)[0]).toMatch(
      /, which is not enough for a verdict; run it again\.$/,
    );
    expect(renderComment(result, { marker: '' })).not.toMatch(
      /stopped before an answer|ended in an error|No test ran/,
    );
    silent = false;
    const { usage, conclusion } = await shop.result('run');
    expect(conclusion).toBe('success');
    expect(usage).toMatchObject({ calls: 3, reused: 5 });
  },
);

test('answers to calls in progress at SIGTERM are stored and not paid for again', async () => {
  const allAsked = Promise.withResolvers<undefined>();
  const toldToEnd = Promise.withResolvers<undefined>();
  const shop = await openShop({
    answer: async ({ index }) => {
      if (index === 7) allAsked.resolve(undefined);
      if (index >= 5) await toldToEnd.promise;
      return { text: 'Yes, 5' };
    },
  });
  const child = spawn(process.execPath, [CLI, 'run', '--json'], {
    cwd: shop.repository.directory,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: localEndpoint(shop.server),
  });
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
    if (err.includes('no further calls')) toldToEnd.resolve(undefined);
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  await allAsked.promise;
  child.kill('SIGTERM');
  await ended;
  const { usage } = await shop.result('run');
  expect(usage).toMatchObject({ calls: 0, reused: 8 });
});
