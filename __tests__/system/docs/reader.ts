import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { TestOverrides } from '../../../src/app/session/access.ts';
import { clock } from '../../stand-ins/clock.ts';
import { beginIn, commandIn, type Said } from '../../stand-ins/command-line.ts';
import { fixtureEnvironment } from '../../stand-ins/repository.ts';

/** What a reader does with a block of a page: run its lines in a shell or write its file. */
export type Step =
  { kind: 'lines'; lines: string[] } | { kind: 'file'; path: string; text: string };

/** `section`: the title of the only section to read. */
export function stepsOf(page: string, section?: string): Step[] {
  const whole = readFileSync(page, 'utf8');
  const part = whole.split(/^(?=## )/m).find((each) => each.startsWith(`## ${section ?? ''}\n`));
  const read = section === undefined ? whole : (part ?? '');
  const blocks = read.matchAll(/^( *)```(sh|yaml|text)\n([^]*?)^ *```/gm);
  return [...blocks].flatMap(([, indent = '', language, block = '']): Step[] => {
    const text = block.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    if (language === 'sh') return [{ kind: 'lines', lines: text.trim().split('\n') }];
    const path = /^# (\S+)\n/.exec(text)?.[1];
    if (language === 'text')
      return path === undefined ? [] : [{ kind: 'file', path, text: text.replace(/^.*\n/, '') }];
    if (path === undefined) throw new Error(`${page}: a block names no file:\n${text}`);
    return [{ kind: 'file', path, text }];
  });
}

/**
 * File edits that a page describes in prose. The key is the line after which each edit is made
 * once.
 */
export type Edits = Readonly<Record<string, readonly [file: string, from: string, to: string]>>;

export interface Reader {
  folder: string;
  env: NodeJS.ProcessEnv;
  testOverrides?: TestOverrides;
}

/** Follows pages block by block and returns every command with its exit code. */
export async function follow(
  reader: Reader,
  pages: readonly string[],
  edits: Edits,
): Promise<string[]> {
  const said: string[] = [];
  const left = new Map(Object.entries(edits));
  for (const step of pages.flatMap((page) => stepsOf(page))) {
    if (step.kind === 'file') addTo(join(reader.folder, step.path), step.text);
    else
      for (const line of step.lines) {
        said.push(`${String(await give(reader, line))} ${line}`);
        const [file, from, to] = left.get(line) ?? [];
        if (file !== undefined) change(join(reader.folder, file), from ?? '', to ?? '');
        left.delete(line);
      }
  }
  return said;
}

/** Adds a block to an existing file: the page shows only lines below a key, or new lines. */
export function addTo(file: string, text: string): void {
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const [, key = '', below = ''] = /^# .*\n(\w+:\n)([^]*)$/.exec(text) ?? [];
  const isThere = key !== '' && before.includes(`\n${key}`);
  const after = isThere ? before.replace(`\n${key}`, `\n${key}${below}`) : `${before}${text}`;
  writeFileSync(file, after);
}

export function change(file: string, from: string, to: string): void {
  const before = readFileSync(file, 'utf8');
  expect(before).toContain(from);
  writeFileSync(file, before.replace(from, to));
}

/**
 * Runs one shell line and returns its exit code. The workbench is ended once it prints its address.
 */
export async function give(reader: Reader, line: string): Promise<number> {
  return (await say(reader, line)).code;
}

const DONE = { code: 0, out: '' };

export async function say(reader: Reader, line: string): Promise<Pick<Said, 'code' | 'out'>> {
  const { folder } = reader;
  const [program, ...argv] = words(line);
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
  expect([program, argv[0]]).toEqual(['npx', 'evaldiff']);
  const command = argv.slice(1);
  const given = { env: reader.env, testOverrides: { clock, ...reader.testOverrides } };
  if (command[0] !== 'dev') return commandIn(folder, command, given);
  const running = beginIn(folder, command, given);
  await running.said('workbench: http');
  return running.stop();
}

function words(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}
