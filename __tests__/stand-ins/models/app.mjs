// An application as a user would write it: JSON lines in and out. The last message decides what it
// does.
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

appendFileSync('starts.txt', `${process.pid}\n`);
const waiting = [];
const say = (reply) => process.stdout.write(`${JSON.stringify(reply)}\n`);

const acts = {
  echo: ({ id, model, parameters, messages }) =>
    say({
      id,
      output: JSON.stringify({ model, parameters, messages }),
      usage: { input_tokens: 3, output_tokens: 2 },
    }),
  env: ({ id }) => say({ id, output: Object.keys(process.env).sort().join(' ') }),
  folder: ({ id }) =>
    say({
      id,
      output: `${process.cwd()} ${existsSync('prepared.txt') ? readFileSync('prepared.txt', 'utf8') : 'not prepared'}`,
    }),
  order: ({ id }, text) => {
    appendFileSync('../order.txt', `${text}\n`);
    say({ id, output: text });
  },
  error: ({ id }, text) => say({ id, error: text }),
  flaky: ({ id, messages }) =>
    waiting.includes(messages.at(-1).content)
      ? say({ id, output: 'at last' })
      : (waiting.push(messages.at(-1).content), say({ id, error: 'busy', retryable: true })),
  crash: (_request, text) => {
    process.stderr.write(`${text}\n`);
    process.exitCode = 3;
    setImmediate(() => process.exit(3));
  },
  print: ({ id }, text) => {
    process.stdout.write(`${text}\n`);
    say({ id, output: 'too late' });
  },
  odd: ({ id }) => say({ id, output: 5 }),
  parts: ({ id }) => {
    const call = { type: 'tool_call', name: 'write', arguments: { path: 'a.md' } };
    say({
      id,
      model: 'app-1',
      parts: [{ type: 'text', text: 'Done.' }, call],
      files: [{ path: 'a.md', content: '# A' }],
      steps: [call],
    });
  },
  number: ({ id }) => say({ id: Number(id), output: 'by number', usage: { input_tokens: -1 } }),
  late: ({ id }) => waiting.push(id),
  release: ({ id }) => {
    for (const other of waiting.splice(0).reverse()) say({ id: other, output: `late ${other}` });
    say({ id, output: 'released' });
  },
  flood: () => process.stdout.write('x'.repeat(9 * 1024 * 1024)),
  split: ({ id }) => {
    const line = `${JSON.stringify({ id, output: 'ümläut' })}\r\n`;
    const bytes = Buffer.from(line);
    process.stdout.write(bytes.subarray(0, 22));
    setImmediate(() => process.stdout.write(bytes.subarray(22)));
  },
  log: ({ id }, text) => {
    process.stderr.write(`${text}\n`);
    say({ id, output: 'logged' });
  },
  child: ({ id }) => {
    const child = spawn(
      process.execPath,
      ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'],
      { stdio: 'ignore' },
    );
    say({ id, output: String(child.pid) });
  },
  stubborn: ({ id }) => {
    process.on('SIGTERM', () => {});
    setInterval(() => {}, 1000);
    say({ id, output: String(process.pid) });
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const request = JSON.parse(line);
  const [act, ...rest] = request.messages.at(-1).content.split(' ');
  acts[act](request, rest.join(' '));
});
