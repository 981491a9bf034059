import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { arch } from 'node:process';
import { promisify } from 'node:util';
import { LOADERS, filteredCommand } from '../../../../src/features/agents/workspace/filter.ts';
import { systemPython } from '../../edges/sandbox/kernels.ts';

const run = promisify(execFile);

/** Starts a command in a session with a key that only its owner sees in /proc/keys. */
const withKey = [
  systemPython,
  '-c',
  `import ctypes, os, sys
libc = ctypes.CDLL(None)
add_key, keyctl = (248, 250) if os.uname().machine == "x86_64" else (217, 219)
assert libc.syscall(keyctl, 1, None) > 0
key = libc.syscall(add_key, b"user", b"evaldiff-secret", b"value", 5, -3)
assert libc.syscall(keyctl, 5, key, 0x3f000000) == 0
os.execvp(sys.argv[1], sys.argv[1:])`,
];

async function output([file = '', ...args]: readonly string[]) {
  return (await run(file, args)).stdout;
}

const hasKeys = existsSync('/proc/keys');

describe.each(LOADERS.map((loader) => [loader[0], loader] as const))('%s', (path, loader) => {
  const command = (...words: string[]) => [
    ...['setpriv', '--no-new-privs', '--'],
    ...(filteredCommand(words, [loader]) ?? []),
  ];
  const isMissing = existsSync(path) ? '' : ' (skipped: it is not installed)';
  const onlyIf = (possible: boolean) => (isMissing === '' && possible ? test : test.skip);

  onlyIf(true)(`starts a command and its children with the filter${isMissing}`, async () => {
    const script =
      'unshare --user true || sh -c "unshare --user true || grep Seccomp: /proc/self/status"; echo "$@"';
    const words = ['sh', '-c', `exec 2>/dev/null; ${script}`, 'sh', '-e', "a 'quoted' word", ''];
    expect(await output(command(...words))).toBe("Seccomp:\t2\n-e a 'quoted' word \n");
  });

  onlyIf(hasKeys)(
    `starts a command without the caller's session keyring${hasKeys ? isMissing : ' (skipped: this kernel does not list keys)'}`,
    async () => {
      expect(await output([...withKey, 'cat', '/proc/keys'])).toContain('evaldiff-secret');
      const inside = await output([...withKey, ...command('cat', '/proc/keys')]);
      expect(inside).not.toContain('evaldiff-secret');
      expect(inside).toContain('_ses');
    },
  );

  onlyIf(true)(`does not start a command without the filter${isMissing}`, async () => {
    const [file = '', ...args] = filteredCommand(['echo', 'started'], [loader]) ?? [];
    const broken = args.map((word) => (/^[0-9a-f]{99,}$/.test(word) ? '0600' : word));
    await expect(run(file, broken)).rejects.toMatchObject({
      stdout: '',
      stderr: expect.stringMatching(/^no filter of system calls: /),
    });
  });
});

test('without a program that can load the filter, no command starts', () => {
  expect(filteredCommand(['true'], [['/nonexistent/perl']])).toBeNull();
  expect(filteredCommand(['true'])).toContain(arch === 'x64' ? '317' : '277');
});
