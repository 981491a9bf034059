import { createInterface } from 'node:readline/promises';
import { stripVTControlCharacters } from 'node:util';
import type { Command } from 'commander';
import type { TargetContext } from '../../config/project-side.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { AnswererTools } from '../../kernel/suite/own-suite.ts';
import type { Suite } from '../../kernel/suite/suite.ts';
import type { PlannedCalls } from '../../money/feature-plan.ts';
import type { Project } from '../../project/settings.ts';
import type { Block } from '../../report/sections/document.ts';
import { loadReports, type Reports } from '../../report/sections/feature-report.ts';
import type { FlatTable } from '../../report/test-rows.ts';
import type { Json, Problem } from '../../types/plain.ts';
import type { SourceTree } from '../../types/repository.ts';
import type { VendorName } from '../../types/vendors/names.ts';
import type { Feature } from '../run/feature.ts';
import type { TestOverrides } from '../session/access.ts';
import { ownOrigin } from '../session/installation.ts';
import type { CopyOrigin } from '../session/origin.ts';
import type { SessionRow } from '../session/session-row.ts';

export interface Terminal {
  env: NodeJS.ProcessEnv;
  cwd: string;
  out(text: string): void;
  err(text: string): void;
  isTerminal: boolean;
  width: number;
  confirm?(question: string): Promise<boolean>;
  testOverrides?: TestOverrides;
  /** Where others can fetch this copy of evaldiff. Starts git. */
  origin?(): CopyOrigin | null;
  until?: AbortSignal;
  features: CommandFeatures;
}

export function originOf({ origin }: Terminal): CopyOrigin | null {
  return origin?.() ?? null;
}

export type AddCommand = (
  program: Command,
  terminal: Terminal,
  done: (code: number) => void,
) => void;

export type CommandGroup = 'start' | 'test' | 'look' | 'manage';

export interface LazyCommand {
  name: string;
  group: CommandGroup;
  load(): Promise<AddCommand>;
}

export interface Rendered {
  text: string;
  code: number;
}

interface CommandVariant {
  command: string;
  options: readonly (readonly [flags: string, words: string, preset?: string])[];
  takes(options: object): boolean;
  run(words: readonly string[], options: object, terminal: Terminal): Promise<Rendered>;
}

export interface LabelledTest {
  certain: readonly PlannedCalls[];
  problems: Problem[];
  run(tools: AnswererTools): Promise<{ json: Json; blocks: Block[] }>;
}

export interface StarterProject {
  tree: SourceTree;
  origin: CopyOrigin | null;
  keys: readonly VendorName[];
  project: Project;
  isEmpty: boolean;
}

export interface StarterFiles {
  /** `init` writes these suites instead of its example. */
  suites: StarterSuite[];
  /** Whether the project's suites need `code: host`. */
  needsHost: boolean;
  left: { path: string; why: string }[];
  steps: string[];
}

export interface StarterSuite {
  path: string;
  text: string;
  vendor: VendorName;
  found: string;
  /** The command that installs the program that the suite runs. Null if none is needed. */
  install: string | null;
}

export interface DemoExample {
  name: string;
  words: string;
  /** A folder with the subfolders `base` and `head`. Head starts as a copy of base. */
  fixture: string;
  /** More files of base: the path in the repository → the path in the package. */
  files: Readonly<Record<string, string>>;
  server: string;
  /** If the example cannot run on this machine, returns the reason. */
  refusal(): Promise<string | null>;
}

export interface CommandRow {
  readonly commands?: readonly LazyCommand[];
  readonly variants?: readonly CommandVariant[];

  /**
   * Formats of `--results`, by the ending of the file's name: the first that fits counts. A table
   * is written as CSV.
   */
  readonly results?: Readonly<
    Record<string, (result: Result, reports: Reports) => Promise<string | FlatTable>>
  >;

  readonly demo?: DemoExample;

  starter?(project: StarterProject): Promise<StarterFiles>;

  /**
   * Null if the suite belongs to another feature.
   * @throws UserError if the suite has no labels.
   */
  grade?(suite: Suite, context: TargetContext): Promise<LabelledTest | null>;
}

export type CommandFeatures = readonly (Feature & SessionRow & CommandRow)[];

/** Loading the renderer's table of character widths would slow each start by 10 %. */
export async function printBlocks(
  blocks: readonly Block[],
  { out, width, isTerminal }: Terminal,
): Promise<void> {
  const { renderBlocks } = await import('../../report/terminal.ts');
  out(`${renderBlocks(blocks, { width, colour: isTerminal })}\n`);
}

export async function renderResult(
  result: Result,
  { width, isTerminal, features }: Terminal,
): Promise<string> {
  const { renderTerminal } = await import('../../report/terminal.ts');
  const form = { width, colour: isTerminal, folded: isTerminal };
  return renderTerminal(result, await loadReports(features), form);
}

export type TerminalProcess = Pick<NodeJS.Process, 'env' | 'cwd'> & {
  stdout: Stream;
  stderr: Stream;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
};

type Stream = Pick<NodeJS.WriteStream, 'write' | 'on'> &
  Partial<Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>>;

const DEFAULT_COLUMNS = 100;

const CLOSED_PIPE_CODES = ['EPIPE', 'ERR_STREAM_DESTROYED'];

/** A closed pipe does not end the process. For `NO_COLOR`, see no-color.org. */
export function terminalOf(
  { env, cwd, stdout, stderr, stdin }: TerminalProcess,
  features: CommandFeatures,
): Terminal {
  const plain = Boolean(env['NO_COLOR']) || env['TERM'] === 'dumb';
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (!CLOSED_PIPE_CODES.includes(error.code ?? '')) throw error;
    });
  }
  const to =
    (stream: Stream) =>
    (text: string): void => {
      stream.write(plain ? stripVTControlCharacters(text) : text);
    };
  return {
    env,
    features,
    cwd: cwd(),
    out: to(stdout),
    err: to(stderr),
    isTerminal: stdout.isTTY === true,
    width: stdout.columns || DEFAULT_COLUMNS,
    origin: ownOrigin,
    ...(stdout.isTTY === true && stdin.isTTY === true
      ? { confirm: (question) => confirmBy(question, to(stdout), stdin) }
      : {}),
  };
}

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
