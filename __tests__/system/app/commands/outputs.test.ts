import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow } from '../../../stand-ins/repository.ts';
import { openShop, type Shop, type ShopOptions } from '../../../unit/app/commands/shop.ts';

async function blocked(
  options: ShopOptions = {},
): Promise<Shop & { at: (path: string) => string }> {
  const shop = await openShop(options);
  const { directory } = shop.repository;
  writeFileSync(join(directory, 'a-file'), 'mine');
  mkdirSync(join(directory, 'a-folder'));
  return { ...shop, at: (path) => join(directory, path) };
}

describe('an unwritable output path', () => {
  test.each([
    [['run', '--report', 'a-file'], 'is a file; name a folder'],
    [['run', '--report', 'a-file/out'], 'cannot be made: '],
    [['diff', '--report', 'a-file'], 'is a file; name a folder'],
    [['run', '--record', 'a-folder'], 'is a folder; name a file'],
    [['run', '--record', 'nowhere/r.jsonl'], 'is in a folder that does not exist'],
    [['noise', '--report', 'a-file'], 'is a file; name a folder'],
    [['run', '--shard', '1/2', '--shard-to', 'a-file'], 'is a file; name a folder'],
  ])('%j is refused before any model call', async (argv, why) => {
    const { evaldiff, server, at } = await blocked();
    const { code, out, err } = await evaldiff(...argv);
    expect([code, out, server.requests]).toEqual([2, '', []]);
    expect(err).toMatch(new RegExp(`^${argv.at(-2) ?? ''}: [^\n]*${why}`));
    expect(err).not.toContain('Internal error');
    expect(readFileSync(at('a-file'), 'utf8')).toBe('mine');
  });

  test('is reported together with all others', async () => {
    const { evaldiff } = await blocked();
    const { err } = await evaldiff('run', '--report', 'a-file', '--record', 'a-folder');
    expect(err.split('\n').map((line) => line.split(':')[0])).toEqual(['--report', '--record', '']);
  });

  test('that only lacks its folders is created', async () => {
    const { evaldiff, at } = await blocked();
    expect((await evaldiff('run', '--report', 'new/deep', '--record', 'r.jsonl')).code).toBe(0);
    expect([existsSync(at('new/deep/result.json')), existsSync(at('r.jsonl'))]).toEqual([
      true,
      true,
    ]);
  });

  test('does not affect the result if it becomes unwritable during the run', async () => {
    let spoil = (): void => undefined;
    const { evaldiff, at } = await blocked({
      answer: () => {
        spoil();
        return { text: '5' };
      },
    });
    spoil = () => {
      rmSync(at('out'), { recursive: true, force: true });
      writeFileSync(at('out'), 'mine');
    };
    const { code, out, err } = await evaldiff('run', '--report', 'out', '--json');
    expect([code, (JSON.parse(out) as { conclusion: string }).conclusion]).toEqual([0, 'success']);
    expect(err).toMatch(/^--report: \S+out could not be written: /m);
    expect(readFileSync(at('out'), 'utf8')).toBe('mine');
  });

  // /dev/full is always full.
  (existsSync('/dev/full') ? test : test.skip)(
    'on a full disk loses the recording with one message but not the verdict',
    async () => {
      const { evaldiff } = await blocked();
      const { code, out, err } = await evaldiff('run', '--record', '/dev/full');
      expect([code, out]).toEqual([0, expect.stringContaining('Evaluated')]);
      expect(err.match(/^.*--record: \/dev\/full is not whole: ENOSPC: .*$/gm)).toHaveLength(1);
      expect(err).not.toMatch(/Internal error|^\| +at /m);
    },
  );
});

/** Node's recursive `mkdir` never returns below /proc, and opening a named pipe waits for a writer. */
(existsSync('/proc/self') ? describe : describe.skip)(
  'a path where no folder or file can be created',
  () => {
    test.each([
      [['run', '--store', '/proc/none/x'], {}, '/proc/none/x: ENOENT'],
      [['run'], { EVALDIFF_STORE: '/proc/none/deep/x' }, '/proc/none/deep/x: ENOENT'],
      [['run'], { EVALDIFF_STORE: 'a-file/x' }, '/a-file/x: ENOTDIR'],
      [['run'], { XDG_CACHE_HOME: '/proc/none' }, '/proc/none/evaldiff/key: the key for stored'],
      [['run'], { HOME: '/proc/none' }, '/proc/none/.cache/evaldiff/key: the key for stored'],
      [['noise', '--runs', '1', '--store', '/proc/none/x'], {}, '/proc/none/x: ENOENT'],
      [['run', '--shard', '1/1', '--store', '/proc/none/x'], {}, '/proc/none/x: ENOENT'],
    ])('%j with %j is named as the store, and the run continues', async (argv, env, message) => {
      const { evaldiff, server } = await blocked({ env: { XDG_CACHE_HOME: undefined, ...env } });
      const { code, err } = await evaldiff(...argv);
      expect([code, server.requests.length > 0]).toEqual([0, true]);
      expect(err).toContain(message);
    });

    test.each([
      [['run', '--report', '/proc/none/x'], 'cannot be written (ENOENT at /proc)'],
      [['run', '--record', '/proc/x.jsonl'], 'cannot be written (ENOENT at /proc)'],
      [['diff', '--report', '/proc/self/x'], 'cannot be written (E'],
      [
        ['run', '--shard', '1/2', '--shard-to', '/proc/none/x'],
        'cannot be written (ENOENT at /proc)',
      ],
      [['run', '--report', 'a-pipe'], 'is a named pipe, which evaldiff does not use'],
      [['run', '--record', 'a-pipe'], 'is a named pipe, which evaldiff does not use'],
      [['run', '--store', 'a-pipe'], 'is a named pipe, which evaldiff does not use'],
      [['run', '--shard', '1/2', '--shard-to', 'a-pipe'], 'is a named pipe'],
      [['cache', '--store', 'a-pipe'], 'is a named pipe, which evaldiff does not use'],
    ])('%j is refused before any model call', async (argv, why) => {
      const { evaldiff, server, at } = await blocked();
      execFileSync('mkfifo', [at('a-pipe')]);
      const { code, out, err } = await evaldiff(...argv);
      expect([code, out, server.requests]).toEqual([2, '', []]);
      expect(err).toContain(why);
      expect(err).toContain(argv.at(-1));
    });

    test.each([
      [['report', 'out/result.json', '--out', '/proc/none/x'], '/proc/none/x: cannot be written'],
      [['report', 'out/result.json', '--out', 'a-pipe'], 'a-pipe is a named pipe'],
      [['cache', '--store', '/proc/none/x'], '/proc/none/x: the store is empty'],
    ])('%j is named', async (argv, message) => {
      const { evaldiff, at } = await blocked();
      execFileSync('mkfifo', [at('a-pipe')]);
      await evaldiff('run', '--report', 'out');
      const { out, err } = await evaldiff(...argv);
      expect(out + err).toContain(message);
    });
  },
);

const KEY = 'q7Xw2LmN9vTz4RbK8sYd1HcF';

describe('a key that an answer repeats', () => {
  test.each([
    [['run', '--report', 'out', '--record', 'answers.jsonl']],
    [['run', '--json']],
    [['diff', '--report', 'out']],
    [['noise', '--runs', '2', '--report', 'out', '--record', 'answers.jsonl']],
  ])('is redacted wherever %j shows the answer', async (argv) => {
    const shop = await openShop({
      env: { LOCAL_KEY: KEY },
      answer: () => ({ text: `Yes, 5. My key is ${KEY}, or ${btoa(KEY)}.` }),
    });
    const { evaldiff, repository, server } = shop;
    const prompt = join(repository.directory, 'prompts/ask.yaml');
    writeFileSync(prompt, readFileSync(prompt, 'utf8').replace('Answer:', 'Answer this:'));
    const { out, err } = await evaldiff(...argv);
    const written = Object.entries(filesBelow(repository.directory)).filter(([path]) =>
      /^(?:out\/|answers)/.test(path),
    );
    expect(server.requests.length).toBeGreaterThan(0);
    expect(written.length + Number(argv.includes('--json'))).toBeGreaterThan(0);
    for (const text of [out, err, ...written.map(([, content]) => content)])
      for (const spelling of [KEY, btoa(KEY)]) expect(text).not.toContain(spelling);
    if (argv[0] === 'run')
      expect([out, ...written.map(([, content]) => content)].join('')).toContain('My key is ***');
  });

  test('is not redacted if it is too short to be a real key', async () => {
    const shop = await openShop({
      env: { LOCAL_KEY: 'none' },
      answer: () => ({ text: '5, or none' }),
    });
    const { out } = await shop.evaldiff('run', '--json');
    expect(out).toContain('"5, or none"');
  });
});
