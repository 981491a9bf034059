import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { commandIn } from '../../../stand-ins/command-line.ts';
import { createRepository } from '../../../stand-ins/repository.ts';

/**
 * A program that logs its calls. On head, either its first process or every process answers
 * wrongly.
 */
const app = (log: string) => `
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const log = ${JSON.stringify(log)};
const before = existsSync(log) ? readFileSync(log, 'utf8') : '';
for await (const line of createInterface({ input: process.stdin })) {
  const { id, messages } = JSON.parse(line);
  const [{ content }] = messages;
  const side = content.startsWith('Base') ? 'base' : 'head';
  appendFileSync(log, side + ' ' + process.pid + '\\n');
  const isUnlucky = content.startsWith('Unlucky') && !before.includes('head');
  const output = isUnlucky || content.startsWith('Broken') ? 'Rome' : 'Oslo';
  process.stdout.write(JSON.stringify({ id, output }) + '\\n');
}
`;

const prompt = (words: string): Record<string, string> => ({
  'prompts/capitals.yaml': `name: capitals
model: app
prompt: "${words}: {q}"
metrics: [{ name: has, uses: contains, with: { value: Oslo } }]
references:
${Array.from({ length: 8 }, (_, i) => `  - { id: r${i}, input: { q: "Question ${i}?" } }\n`).join('')}`,
});

async function compare(words: string, program = '', ...args: string[]) {
  const { directory, commit, write } = createRepository();
  const log = join(directory, 'calls.log');
  commit('base', {
    '.gitignore': 'calls.log\nreport\n',
    'evaldiff.yaml': `models:\n  app: { provider: program, command: [node, app/app.mjs]${program} }\nqualeval: off\n`,
    'app/app.mjs': app(log),
    ...prompt('Base'),
  });
  write(prompt(words));
  const diff = ['diff', '--base', 'HEAD', '--no-store', '--code', 'host', '--report', 'report'];
  const { code, out } = await commandIn(directory, [...diff, ...args], { width: 300 });
  const result = JSON.parse(readFileSync(join(directory, 'report/result.json'), 'utf8')) as Result;
  const calls = readFileSync(log, 'utf8').trim().split('\n');
  const processes = [...new Set(calls)].map((call) => call.split(' ')[0]).sort();
  return { code, out, processes, suite: result.suites[0]! };
}

test('a drop that occurs in only one process of a program does not make the run red', async () => {
  const { code, out, suite } = await compare('Unlucky');
  expect([code, suite.verdict, suite.reason?.by]).toEqual([0, 'inconclusive', 'unconfirmed']);
  expect(suite.confirmation).toMatchObject({
    rests_on: 'session',
    status: 'unconfirmed',
    limit: null,
  });
  expect(out).toContain(
    'capitals: fell in one session of the program on each side, which new answers of both sides could not confirm',
  );
});

test("a drop that the program's second process repeats makes the run red", async () => {
  const { code, processes, suite } = await compare('Broken');
  expect([code, suite.verdict]).toEqual([1, 'regressed']);
  expect(suite.confirmation).toMatchObject({
    rests_on: 'session',
    status: 'confirmed',
    limit: null,
  });
  expect(processes).toEqual(['base', 'base', 'head', 'head']);
});

test('a program with one process per try is not run again to confirm a drop', async () => {
  const { code, suite } = await compare('Broken', ', process: try');
  expect(code).toBe(1);
  expect(suite).not.toHaveProperty('confirmation');
});

test("a drop in a program's first process is inconclusive if the call limit leaves too few calls for a second process", async () => {
  const { code, out, suite } = await compare('Broken', '', '--max-calls', '33');
  expect([code, suite.verdict, suite.reason?.by]).toEqual([0, 'inconclusive', 'unconfirmed']);
  expect(out).toContain('max_calls left too few calls to run it again');
});
