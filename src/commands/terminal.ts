import { createInterface } from 'node:readline/promises';
import { stripVTControlCharacters } from 'node:util';
import type { Block } from '../report/sections/document.ts';
import type { Reach } from '../session/access.ts';

/** The terminal a command runs in; the tests give one of their own. */
export interface Terminal {
  env: NodeJS.ProcessEnv;
  cwd: string;
  out(text: string): void;
  err(text: string): void;
  /** Colours and one updated progress line, on a terminal only. */
  isTerminal: boolean;
  /** Columns. */
  width: number;
  /** Asks a person; absent: nobody is there to answer. */
  confirm?(question: string): Promise<boolean>;
  /**
   * Other addresses of the vendors and another clock, set in process by tests and measurements;
   * nothing else can.
   */
  reach?: Reach;
  /** Ends a command that would go on for ever; absent: a signal does. */
  until?: AbortSignal;
}

/**
 * Prints blocks of a report. What draws them knows the width of every letter there is, and is
 * loaded here: it would take a tenth of every start.
 */
export async function printBlocks(
  blocks: readonly Block[],
  { out, width, isTerminal }: Pick<Terminal, 'out' | 'width' | 'isTerminal'>,
): Promise<void> {
  const { renderBlocks } = await import('../report/terminal.ts');
  out(`${renderBlocks(blocks, { width, colour: isTerminal })}\n`);
}

/** What of the process a terminal is made of. */
export type TerminalProcess = Pick<NodeJS.Process, 'env' | 'cwd'> & {
  stdout: Stream;
  stderr: Stream;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
};

type Stream = Pick<NodeJS.WriteStream, 'write' | 'on'> &
  Partial<Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>>;

/** Columns where nobody says how many there are: a pipe, a log. */
const COLUMNS = 100;

/** The reader has gone: `evaldiff report … | head`. */
const GONE = ['EPIPE', 'ERR_STREAM_DESTROYED'];

/**
 * The terminal of a process. `NO_COLOR` (no-color.org) and `TERM=dumb` take colours away; a reader
 * that has gone ends nothing.
 */
export function terminalOf({ env, cwd, stdout, stderr, stdin }: TerminalProcess): Terminal {
  const plain = Boolean(env['NO_COLOR']) || env['TERM'] === 'dumb';
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (!GONE.includes(error.code ?? '')) throw error;
    });
  }
  const to =
    (stream: Stream) =>
    (text: string): void => {
      stream.write(plain ? stripVTControlCharacters(text) : text);
    };
  return {
    env,
    cwd: cwd(),
    out: to(stdout),
    err: to(stderr),
    isTerminal: stdout.isTTY === true,
    width: stdout.columns || COLUMNS,
    ...(stdout.isTTY === true && stdin.isTTY === true
      ? { confirm: (question) => confirmBy(question, to(stdout), stdin) }
      : {}),
  };
}

/** Anything but a yes is a no, the end of the input among it. */
async function confirmBy(
  question: string,
  out: (text: string) => void,
  input: NodeJS.ReadableStream,
): Promise<boolean> {
  const lines = createInterface({ input });
  try {
    out(`${question} [y/N] `);
    for await (const line of lines) return /^y(?:es)?$/i.test(line.trim());
    return false;
  } finally {
    lines.close();
  }
}
