import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import { factsOf } from '../../../src/types/vendors.ts';
import { untilTestEnds } from '../../stand-ins/after-test.ts';
import { beginIn, commandIn, localEndpoint } from '../../stand-ins/command-line.ts';
import { startModelServer, type ModelServer } from '../../stand-ins/models/server.ts';
import { fixtureEnvironment, temporaryFolder } from '../../stand-ins/repository.ts';

// Runs every command of five guides, possibly on a busy machine.
jest.setTimeout(120_000);

let server: ModelServer;
beforeEach(async () => {
  server = await untilTestEnds(
    startModelServer({
      answer: ({ messages }) => {
        const asked = JSON.stringify(messages);
        if (asked.includes('Tag this ticket')) return { text: 'billing' };
        if (asked.includes('parcel?')) return { text: 'Northmail brings it.' };
        return { text: asked.includes('30 days') ? 'You have 30 days.' : 'As long as you like.' };
      },
    }),
  );
});

/** What a reader does with a block of a page: run its lines in a shell or write its file. */
type Step = { kind: 'lines'; lines: string[] } | { kind: 'file'; path: string; text: string };

function stepsOf(page: string): Step[] {
  const blocks = readFileSync(page, 'utf8').matchAll(/^( *)```(sh|yaml)\n([^]*?)^ *```/gm);
  return [...blocks].map(([, indent = '', language, block = '']): Step => {
    const text = block.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    if (language === 'sh') return { kind: 'lines', lines: text.trim().split('\n') };
    const path = /^# (\S+)\n/.exec(text)?.[1];
    if (path === undefined) throw new Error(`${page}: a block names no file:\n${text}`);
    return { kind: 'file', path, text };
  });
}

/** File edits that a page describes in prose, by the line after which they are made once. */
type Edits = Readonly<Record<string, readonly [file: string, from: string, to: string]>>;

/** The vendor's model is a loopback server here. */
const LOOPBACK: Edits[string] = [
  'evaldiff.yaml',
  'grader:',
  `models: { ${factsOf('openai').starterModel}: { provider: openai, endpoint: local, model: any, price: { input: 1, output: 1 } } }\ngrader:`,
];

interface Reader {
  folder: string;
  /** Environment of the reader's terminal. */
  env: NodeJS.ProcessEnv;
}

function newReader(): Reader {
  const none = { OPENAI_API_KEY: undefined, ANTHROPIC_API_KEY: undefined };
  return { folder: temporaryFolder('reader'), env: localEndpoint(server, none) };
}

/** Follows pages block by block and returns every command with its exit code. */
async function follow(reader: Reader, pages: readonly string[], edits: Edits): Promise<string[]> {
  const said: string[] = [];
  const left = new Map(Object.entries(edits));
  for (const step of pages.flatMap(stepsOf)) {
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

/** For an existing file the page shows only a part: lines below a key, or new lines. */
function addTo(file: string, text: string): void {
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const [, key = '', below = ''] = /^# .*\n(\w+:\n)([^]*)$/.exec(text) ?? [];
  const isThere = key !== '' && before.includes(`\n${key}`);
  const after = isThere ? before.replace(`\n${key}`, `\n${key}${below}`) : `${before}${text}`;
  writeFileSync(file, after);
}

function change(file: string, from: string, to: string): void {
  const before = readFileSync(file, 'utf8');
  expect(before).toContain(from);
  writeFileSync(file, before.replace(from, to));
}

/**
 * Runs one shell line and returns its exit code. The workbench is ended once it prints its address.
 */
async function give(reader: Reader, line: string): Promise<number> {
  const { folder } = reader;
  const [program, ...argv] = words(line);
  if (program === 'export') {
    const [, name = '', value] = /^(\w+)=(.*)$/.exec(argv[0] ?? '') ?? [];
    reader.env = { ...reader.env, [name]: value };
    return 0;
  }
  if (program === 'git') {
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.invalid'];
    const quiet = { stdio: 'ignore', env: fixtureEnvironment() } as const;
    execFileSync('git', [...author, ...argv], { cwd: folder, ...quiet });
    return 0;
  }
  expect([program, argv[0]]).toEqual(['npx', 'evaldiff']);
  const command = argv.slice(1);
  if (command[0] !== 'dev') return (await commandIn(folder, command, { env: reader.env })).code;
  const running = beginIn(folder, command, { env: reader.env });
  await running.said('workbench: http');
  return (await running.stop()).code;
}

function words(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

describe('the suite in docs/first-suite.md', () => {
  test('has ten lines and runs', async () => {
    const [file, ...more] = stepsOf('docs/first-suite.md').flatMap((step) =>
      step.kind === 'file' ? [step] : [],
    );
    expect(more).toEqual([]);
    expect(file?.text.trim().split('\n').length).toBeLessThanOrEqual(10);
    const reader = newReader();
    await give(reader, 'npx evaldiff init');
    change(join(reader.folder, LOOPBACK[0]), LOOPBACK[1], LOOPBACK[2]);
    addTo(join(reader.folder, file?.path ?? ''), file?.text ?? '');
    const argv = ['run', 'prompts=tags', 'n_tries=1'];
    const { code, out } = await commandIn(reader.folder, argv, { env: reader.env });
    expect([code, out]).toEqual([0, expect.stringContaining('tags   66.7 %')]);
  });
});

describe('the guides, run step by step', () => {
  test('lead from an empty folder to a red comparison, its cause, a noise measurement and the workbench', async () => {
    const reader = newReader();
    const pages = ['first-suite', 'workbench', 'required-check', 'causes'];
    const said = await follow(
      reader,
      pages.map((name) => `docs/${name}.md`),
      {
        'npx evaldiff validate': LOOPBACK,
        'git switch --create warmer': [
          'prompts/support.yaml',
          'Returns are possible within 30 days. ',
          '',
        ],
      },
    );
    expect(said).toEqual([
      '0 git init --initial-branch main',
      '0 npx evaldiff init',
      '0 npx evaldiff validate',
      '0 export OPENAI_API_KEY=sk-...',
      '0 npx evaldiff dev',
      '0 git add evaldiff.yaml prompts .github',
      '0 git commit --message Prompts',
      '0 git switch --create warmer',
      '1 npx evaldiff diff',
      '0 npx evaldiff dev',
      '0 npx evaldiff dev --max-cost 0.20 tags=critical',
      '0 npx evaldiff noise --runs 20',
      '1 npx evaldiff diff explain.fix=true --report evaldiff-report',
      '0 npx evaldiff fix',
    ]);
  });

  test('lead from a promptfoo configuration to a red comparison and to evaldiff files', async () => {
    const reader = newReader();
    execFileSync('git', ['init', '--quiet', '--initial-branch', 'main', reader.folder]);
    const said = await follow(reader, ['docs/from-promptfoo.md'], {
      'npx evaldiff validate': LOOPBACK,
      'git commit --message "Prompts are compared in pull requests"': [
        'promptfooconfig.yaml',
        'returns within 30 days, ',
        '',
      ],
    });
    expect(said).toEqual([
      '0 npx evaldiff init',
      '0 npx evaldiff validate',
      '0 export OPENAI_API_KEY=sk-...',
      '0 npx evaldiff run',
      '0 git add promptfooconfig.yaml evaldiff.yaml .github',
      '0 git commit --message "Prompts are compared in pull requests"',
      '1 npx evaldiff diff',
      '0 npx evaldiff import promptfooconfig.yaml',
      '0 npx evaldiff validate',
    ]);
  });
});
