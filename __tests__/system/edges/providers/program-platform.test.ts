import { existsSync, readFileSync } from 'node:fs';
import {
  type ProgramPlatform,
  programVariables,
  startChild,
  startable,
} from '../../../../src/edges/providers/program-child.ts';
import { temporaryFolder, writeFiles } from '../../../stand-ins/repository.ts';

/** A Windows machine with these files. */
const windows = (...files: string[]): ProgramPlatform => ({
  platform: 'win32',
  isFile: (path) => files.some((file) => file.toLowerCase() === path.toLowerCase()),
});
const WHERE = {
  cwd: 'D:\\work\\head',
  env: { PATH: '.;C:\\Node;C:\\Tools', SystemRoot: 'C:\\Windows' },
};

describe('a command line', () => {
  test.each(['linux', 'darwin'] as const)('is started unchanged on %s', (platform) => {
    expect(startable(['npm', 'ci'], WHERE, { platform, isFile: () => true })).toEqual({
      file: 'npm',
      args: ['ci'],
      verbatim: false,
    });
  });

  test.each([
    ['npm', 'C:\\Node\\npm.cmd'],
    ['npx', 'C:\\Tools\\npx.cmd'],
    ['npm.cmd', 'C:\\Node\\npm.cmd'],
    ['tools\\run', 'D:\\work\\head\\tools\\run.bat'],
    ['./tools/run', 'D:\\work\\head\\tools\\run.bat'],
  ])('that starts with %s runs the Windows script of that name through cmd.exe', (name, file) => {
    expect(startable([name, 'ci', '--prefix=a b', 'x&y'], WHERE, windows(file))).toEqual({
      file: 'C:\\Windows\\System32\\cmd.exe',
      args: ['/d', '/s', '/c', `""${file}" "ci" "--prefix=a b" "x&y""`],
      verbatim: true,
    });
  });

  test('is started without an interpreter if it is an executable', () => {
    const both = windows('C:\\Tools\\node.exe', 'C:\\Tools\\node.cmd');
    expect(startable(['node', 'a.mjs', '%X%'], WHERE, both)).toEqual({
      file: 'C:\\Tools\\node.exe',
      args: ['a.mjs', '%X%'],
      verbatim: false,
    });
    expect(startable(['C:\\x\\app.exe'], WHERE, windows())).toMatchObject({
      file: 'C:\\x\\app.exe',
    });
    // A missing program is reported by the system when it starts.
    expect(startable(['nothing'], WHERE, windows())).toMatchObject({ file: 'nothing' });
  });

  test('never resolves through a relative folder in PATH', () => {
    expect(startable(['npm'], WHERE, windows('D:\\work\\head\\npm.cmd'))).toMatchObject({
      file: 'npm',
    });
  });

  test.each(['a"b', '%PATH%', 'a\nb'])(
    'is rejected if a script would get an argument that cmd.exe expands: %j',
    async (argument) => {
      const on = windows('C:\\Node\\npm.cmd');
      const why =
        'an argument contains ", % or a line break, and cannot be passed to a .cmd script';
      expect(startable(['npm', argument], WHERE, on)).toBe(why);
      const child = startChild({
        ...WHERE,
        command: ['npm', argument],
        onOut: () => undefined,
        onErr: () => undefined,
        on,
      });
      expect(await child.ended).toEqual({ how: 'not-started', code: why });
    },
  );
});

test("a program on Windows is ended with its children by the system's taskkill", async () => {
  const folder = temporaryFolder('windows');
  // A stand-in for `%SystemRoot%\System32\taskkill.exe`. The process id is its second argument.
  writeFiles(folder, {
    'root\\System32\\taskkill.exe': {
      program: `#!/bin/sh\nprintf '%s ' "$@" > ${folder}/told\nkill -9 "$2"\n`,
    },
  });
  const started = Promise.withResolvers<void>();
  const child = startChild({
    command: ['sh', '-c', 'echo up; while :; do read line || exec sleep 1000; done'],
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', SystemRoot: `${folder}/root` },
    onOut: () => started.resolve(),
    onErr: () => undefined,
    on: { platform: 'win32', isFile: existsSync },
  });
  await started.promise;
  child.kill('SIGTERM');
  expect(await child.ended).toEqual({ how: 'signal', signal: 'SIGKILL' });
  expect(readFileSync(`${folder}/told`, 'utf8')).toMatch(/^\/PID \d+ \/T \/F $/);
  // The process has exited, and another process may have its id.
  expect(() => child.kill('SIGKILL')).not.toThrow();
});

describe('the environment variables of a program', () => {
  const env = { Path: 'C:\\Node', SYSTEMROOT: 'C:\\Windows', HOME: '/h', OTHER: 'o', KEY: 'k' };

  test('include the required system variables on Windows, in any letter case', () => {
    expect(programVariables(env, ['key'], { platform: 'win32' })).toEqual({
      PATH: 'C:\\Node',
      HOME: '/h',
      SystemRoot: 'C:\\Windows',
      key: 'k',
    });
  });

  test('are only the listed ones on other systems', () => {
    expect(programVariables(env, ['KEY'], { platform: 'darwin' })).toEqual({
      HOME: '/h',
      KEY: 'k',
    });
  });
});
