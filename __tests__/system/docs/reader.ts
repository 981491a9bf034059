import { execFile, execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import type { TestOverrides } from '../../../src/app/session/access.ts';
import { clock } from '../../stand-ins/clock.ts';
import { beginIn, commandIn, type Said } from '../../stand-ins/command-line.ts';
import { ROOT } from '../../stand-ins/own-repository.ts';
import { fixtureEnvironment } from '../../stand-ins/repository.ts';

/** A code block of a page. */
export interface Block {
  page: string;
  /** Line of the opening fence. */
  line: number;
  /** Title of its section; empty before the first one. */
  section: string;
  language: string;
  text: string;
  /** From a comment `<!-- not run: REASON -->` before the block. */
  notRun: string | null;
}

/** What a reader does with a block. `output`: compares it with what the last command printed. */
export type Step = { block: Block } & (
  | { kind: 'lines'; lines: string[] }
  | { kind: 'file'; path: string; text: string }
  | { kind: 'workflow'; path: string; text: string }
  | { kind: 'output'; lines: string[] }
  | { kind: 'not run' }
);

const FENCE = /^(?:( *)<!-- not run: ([^\n]+) -->\n\n)?( *)```(\w*)\n([^]*?)^\3```$/gm;

export function blocksOf(page: string): Block[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(FENCE)].map((found) => {
    const [whole, , notRun = null, indent = '', language = '', body = ''] = found;
    const before = text.slice(0, found.index + whole.indexOf('```'));
    return {
      ...{ page, language, notRun },
      line: before.split('\n').length,
      section: [...before.matchAll(/^## (.*)$/gm)].at(-1)?.[1] ?? '',
      text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    };
  });
}

/** @throws if the test does not know what a reader does with the block. */
export function stepOf(block: Block): Step {
  const { language, text } = block;
  const lines = text.trim().split('\n');
  const path = /^# ((?:[\w.-]+\/)*[\w-]*\.[\w.]+)$/.exec(lines[0] ?? '')?.[1];
  if (block.notRun !== null) return { block, kind: 'not run' };
  if (language === 'sh') return { block, kind: 'lines', lines };
  if (path?.startsWith('.github/workflows/') === true)
    return { block, kind: 'workflow', path, text };
  if (path !== undefined)
    return {
      block,
      kind: 'file',
      path,
      text: language === 'yaml' ? text : text.replace(/^.*\n/, ''),
    };
  if (language === 'text') return { block, kind: 'output', lines };
  throw new Error(
    `${block.page}:${block.line}: name the block's file in its first line, or write ` +
      '<!-- not run: REASON --> before it',
  );
}

/**
 * File edits that a page describes in prose. The key is the line after which each edit is made
 * once.
 */
export type Edits = Readonly<Record<string, readonly [file: string, from: string, to: string]>>;

/** A page, or several that continue in the same folder, and how a reader follows them. */
export interface Guide {
  pages: readonly string[];
  /** The only section to follow. */
  section?: string;
  /** Files that the text says are there. */
  files?: Readonly<Record<string, string>>;
  /** The text requires a repository. */
  isRepository?: boolean;
  /** The text requires evaldiff to be installed, as `INSTALL` does. */
  isInstalled?: boolean;
  edits?: Edits;
  /** Commands that exit with 1; all others exit with 0. */
  red?: readonly string[];
  /** What commands print, among other lines. */
  says?: Readonly<Record<string, readonly string[]>>;
  /** Commands before the first block, because the text says that they ran. */
  before?: readonly string[];
  /** Commands after the last block, which prove what the text says. */
  after?: readonly string[];
  /** Replaces what only exists outside the test, such as an agent's command. */
  adapt?(text: string): string;
  /** Options of `evaldiff validate`, which checks the files at the end. */
  validate?: readonly string[];
}

export interface Reader {
  folder: string;
  env: NodeJS.ProcessEnv;
  testOverrides: TestOverrides;
}

export const INSTALL = 'npm install --no-save ../evaldiff';

export function stepsOf({ pages, section }: Pick<Guide, 'pages' | 'section'>): Step[] {
  return pages
    .flatMap(blocksOf)
    .filter((block) => section === undefined || block.section === section)
    .map(stepOf);
}

/** Follows a guide block by block. */
export async function follow(reader: Reader, guide: Guide): Promise<void> {
  const { files = {}, edits = {}, red = [], says = {}, adapt = (text: string) => text } = guide;
  for (const [path, text] of Object.entries(files)) write(reader, path, text);
  if (guide.isRepository === true) await say(reader, 'git init --initial-branch main');
  if (guide.isInstalled === true) installInto(reader.folder);
  const left = new Map(Object.entries(edits));
  let last = '';
  const run = async (line: string, at: string) => {
    const { code, out } = await say(reader, line);
    const wanted = red.includes(line) ? 1 : 0;
    expect({ at, line, code, out: code === wanted ? '' : out }).toEqual({
      ...{ at, line, code: wanted, out: '' },
    });
    for (const words of [
      ...(says[line] ?? []),
      ...(red.includes(line) && /evaldiff diff/.test(line) ? ['Regressed'] : []),
    ])
      expect(out).toContain(words);
    const [file, from, to] = left.get(line) ?? [];
    if (file !== undefined) change(join(reader.folder, file), from ?? '', to ?? '');
    left.delete(line);
    return out;
  };
  for (const line of guide.before ?? []) await run(line, 'before the first block');
  for (const step of stepsOf(guide)) {
    if (step.kind === 'file') addTo(join(reader.folder, step.path), adapt(step.text));
    if (step.kind === 'workflow') expectWritten(reader, step.path, step.text);
    if (step.kind === 'output') for (const line of step.lines) expect(last).toContain(line);
    if (step.kind !== 'lines') continue;
    last = '';
    for (const line of step.lines) last += await run(line, `${step.block.page}:${step.block.line}`);
  }
  for (const line of guide.after ?? []) await run(line, 'after the last block');
  expect([...left.keys()]).toEqual([]);
  const { code, out } = await say(
    reader,
    ['npx evaldiff validate', ...(guide.validate ?? [])].join(' '),
  );
  expect([code, out]).toEqual([0, expect.stringContaining('no errors')]);
}

/** Does what npm does for `INSTALL`, in a fiftieth of the time. */
function installInto(folder: string) {
  const bin = join(folder, 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  symlinkSync('../../evaldiff', join(folder, 'node_modules/evaldiff'));
  symlinkSync('../evaldiff/dist/cli/index.js', join(bin, 'evaldiff'));
}

export function write({ folder }: Reader, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** The page shows lines of a file that `init` wrote: each key is there, with the same value. */
function expectWritten({ folder }: Reader, path: string, text: string) {
  const written: unknown = parse(readFileSync(join(folder, path), 'utf8'));
  expect(written).toMatchObject(parse(text) as object);
}

/** Adds a block to an existing file: the page shows only lines below a key, or new lines. */
export function addTo(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const [, key = '', below = ''] = /^# .*\n(\w+:\n)([^]*)$/.exec(text) ?? [];
  const isThere = key !== '' && before.includes(`\n${key}`);
  const isSuite = /^# evals\//.test(text);
  const after = isThere ? before.replace(`\n${key}`, `\n${key}${below}`) : `${before}${text}`;
  writeFileSync(file, isSuite ? text : after);
}

export function change(file: string, from: string, to: string): void {
  const before = readFileSync(file, 'utf8');
  expect(before).toContain(from);
  writeFileSync(file, before.replace(from, to));
}

const DONE = { code: 0, out: '' };

/**
 * Runs one shell line. The workbench is ended once it prints its address. evaldiff's commands run
 * in this process, but only where npx would find evaldiff installed.
 */
export async function say(reader: Reader, line: string): Promise<Pick<Said, 'code' | 'out'>> {
  const { folder } = reader;
  const [program = '', ...argv] = words(line.replace(/ {2}#.*$/, ''));
  if (program === 'export') {
    const [, name = '', value] = /^(\w+)=(.*)$/.exec(argv[0] ?? '') ?? [];
    reader.env = { ...reader.env, [name]: value };
    return DONE;
  }
  if (program === 'git') {
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.invalid'];
    const quiet = { stdio: 'ignore', env: fixtureEnvironment() } as const;
    execFileSync('git', [...author, ...argv], { cwd: folder, ...quiet });
    return DONE;
  }
  if (program === 'npm') return spawned(reader, program, argv);
  expect([program, argv[0]]).toEqual(['npx', 'evaldiff']);
  expect(installedIn(folder)).toBe('evaldiff');
  const command = argv.slice(1);
  const given = { env: reader.env, testOverrides: { clock, ...reader.testOverrides } };
  if (command[0] !== 'dev') return commandIn(folder, command, given);
  const running = beginIn(folder, command, given);
  await running.said('workbench: http');
  return running.stop();
}

/** Not synchronous, because the servers that npm asks run in this process. */
export function spawned(
  { folder, env }: Pick<Reader, 'folder' | 'env'>,
  program: string,
  argv: readonly string[],
): Promise<Pick<Said, 'code' | 'out'>> {
  return new Promise((resolve) => {
    execFile(program, argv, { cwd: folder, env }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), out: `${out}${err}` });
    });
  });
}

/** The package of the command that `npx evaldiff` finds in this folder; otherwise npx asks npm. */
export function installedIn(folder: string): string | null {
  const command = join(folder, 'node_modules/.bin/evaldiff');
  if (!existsSync(command)) return null;
  const manifest = join(dirname(dirname(dirname(realpathSync(command)))), 'package.json');
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { name: string }).name;
}

function words(line: string) {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}
