import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { terminalOf, type TerminalProcess } from '../../../../src/app/commands/terminal.ts';
import { FEATURES } from '../../../stand-ins/features.ts';

const ESCAPE = '\u001b';

function processWith(
  env: NodeJS.ProcessEnv,
  stdout: { isTTY?: boolean; columns?: number } = {},
  stdin: object = {},
) {
  const said: string[] = [];
  const failures: ((error: Error) => void)[] = [];
  const stream = {
    ...stdout,
    write: (text: string) => said.push(text) > 0,
    on: (event: string, listener: (error: Error) => void) => {
      if (event === 'error') failures.push(listener);
    },
  };
  return {
    said,
    failures,
    given: {
      env,
      cwd: () => '/somewhere',
      stdout: stream,
      stderr: stream,
      stdin,
    } as unknown as TerminalProcess,
  };
}

describe('the terminal of a process', () => {
  test.each([
    ['as it is', {}, `${ESCAPE}[31mred${ESCAPE}[0m`],
    ['without colours under NO_COLOR', { NO_COLOR: '1' }, 'red'],
    ['in colours where NO_COLOR is empty', { NO_COLOR: '' }, `${ESCAPE}[31mred${ESCAPE}[0m`],
    ['without colours on a dumb one', { TERM: 'dumb' }, 'red'],
  ])('shows text %s', (_, env, shown) => {
    const { said, given } = processWith(env, { isTTY: true, columns: 60 });
    const terminal = terminalOf(given, FEATURES);
    terminal.out(`${ESCAPE}[31mred${ESCAPE}[0m`);
    terminal.err(`${ESCAPE}[31mred${ESCAPE}[0m`);
    expect(said).toEqual([shown, shown]);
    expect(terminal).toMatchObject({ isTerminal: true, width: 60, cwd: '/somewhere' });
  });

  test('is a hundred columns wide by default, and does not count as a terminal when piped', () => {
    for (const stdout of [{}, { columns: 0 }])
      expect(terminalOf(processWith({}, stdout).given, FEATURES)).toMatchObject({
        isTerminal: false,
        width: 100,
      });
  });

  test.each([
    ['y', true],
    ['YES', true],
    [' n', false],
    ['', false],
    ['yes, please', false],
  ])('asks for confirmation and understands the reply %j as yes or no', async (typed, answer) => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    const { said, given } = processWith({}, { isTTY: true }, stdin);
    const asked = terminalOf(given, FEATURES).confirm?.('Write it?');
    stdin.end(`${typed}\n`);
    expect(await asked).toBe(answer);
    expect(said).toEqual(['Write it? [y/N] ']);
  });

  test('asks no question in a process without a terminal, and takes the end of input as no', async () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    expect(terminalOf(processWith({}, { isTTY: true }).given, FEATURES).confirm).toBeUndefined();
    expect(terminalOf(processWith({}, {}, stdin).given, FEATURES).confirm).toBeUndefined();
    const asked = terminalOf(processWith({}, { isTTY: true }, stdin).given, FEATURES).confirm?.(
      'Write?',
    );
    stdin.end();
    expect(await asked).toBe(false);
  });

  test('ignores that the reader closed the pipe, but throws other output errors', () => {
    const { failures, given } = processWith({});
    terminalOf(given, FEATURES);
    expect(failures).toHaveLength(2);
    for (const fail of failures) {
      fail(Object.assign(new Error('gone'), { code: 'EPIPE' }));
      expect(() => fail(Object.assign(new Error('disk full'), { code: 'ENOSPC' }))).toThrow(
        'disk full',
      );
    }
  });

  test('prints no stack trace if the reader of its output exits', async () => {
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, '../../../../src/cli.ts'), '--help'],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    child.stdout.destroy();
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint += text;
    });
    const [code] = (await once(child, 'close')) as [number];
    expect([code, complaint.replaceAll(/^\(.*\n/gm, '')]).toEqual([0, '']);
  });
});
