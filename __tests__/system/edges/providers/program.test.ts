import { cp, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createProviders, type ProviderOptions } from '../../../../src/edges/providers/index.ts';
import { textOf } from '../../../../src/types/answer.ts';
import type { MessagePart } from '../../../../src/types/media.ts';
import type { Completion, Message, Request } from '../../../../src/types/model.ts';
import { afterThisTest } from '../../../stand-ins/after-test.ts';
import { temporaryFolder } from '../../../stand-ins/repository.ts';
import {
  errorOf,
  KEY,
  options,
  requestTo,
  reserveWhile,
  said,
  says,
  testClock,
  TIMEOUT_MS,
  until,
} from '../../../unit/edges/providers/providers-setting.ts';

const APP = fileURLToPath(new URL('../../../stand-ins/models/app.mjs', import.meta.url));
const RED = `${String.fromCharCode(27)}[31m`;

type ProgramTarget = Extract<Request['target'], { provider: 'program' }>;
async function start(
  overrides: Partial<ProviderOptions> = {},
  ready: (commit: string) => Promise<void> = () => Promise.resolve(),
) {
  const root = temporaryFolder('program');
  const folder = (commit: string) => path.join(root, commit);
  const { PATH } = process.env;
  const secrets = { OPENAI_API_KEY: KEY, GITHUB_TOKEN: 'ghs_token' };
  const checkouts: string[] = [];
  const log: string[] = [];
  const clock = testClock();
  const providers = createProviders(
    options({
      clock,
      log: (line) => log.push(line),
      env: { PATH, HOME: root, LANG: 'C', ...secrets, EXTRA: 'yes' },
      async checkout(commit) {
        checkouts.push(commit);
        await ready(commit);
        await cp(APP, path.join(folder(commit), 'app.mjs'));
        return folder(commit);
      },
      ...overrides,
    }),
  );
  const close = async () => providers.close();
  afterThisTest(close);
  const app: ProgramTarget = {
    provider: 'program',
    model: 'our-app',
    setup: [],
    files: 'f',
    commit: 'c1',
    command: [process.execPath, 'app.mjs'],
  };
  const say = (text: string, own: Partial<ProgramTarget> = {}, request: Partial<Request> = {}) => {
    const messages = says(text);
    return providers.complete(
      requestTo('openai', { messages, target: { ...app, ...own }, ...request }),
    );
  };
  const starts = async (commit = 'c1') =>
    (await readFile(path.join(folder(commit), 'starts.txt'), 'utf8')).trim().split('\n').length;
  /** The sides in the order in which their programs received calls. */
  const served = async () =>
    (await readFile(path.join(root, 'order.txt'), 'utf8')).trim().split('\n');
  return { checkouts, log, clock, folder, close, say, starts, served };
}

const outputOf = (completion: Completion) =>
  completion.status === 'ok' ? textOf(completion) : completion.message;
const program = (message: string) => ({
  kind: 'program',
  message: `program (our-app): ${message}`,
});

/** A killed process can remain as a zombie until its parent reaps it. */
async function isAlive(pid: number) {
  try {
    return !/^\d+ \(.*\) Z /.test(await readFile(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

async function untilDead(pid: number) {
  while (await isAlive(pid)) await new Promise((resolve) => setImmediate(resolve));
}

describe('a program used as a model', () => {
  test('receives model, parameters and messages, and returns its answer and usage', async () => {
    const { say } = await start();
    const completion = await say('echo', {}, { parameters: { temperature: 0, flag: false } });
    expect(completion).toMatchObject({
      status: 'ok',
      ended: 'stop',
      usage: { input_tokens: 3, output_tokens: 2 },
      reused: false,
    });
    expect(JSON.parse(outputOf(completion))).toEqual({
      model: 'our-app',
      parameters: { temperature: 0, flag: false },
      messages: says('echo'),
    });
  });

  test('receives tool calls and results as in chat completions, with the files of messages', async () => {
    const { say } = await start();
    const bytes = 3;
    const image: MessagePart = {
      ...{ type: 'image', path: 'a.png', media_type: 'image/png' },
      id: 'i1',
      bytes,
    };
    const call = { id: 'call00001', name: 'stock', arguments: '{"crate": 1}' };
    const messages: Message[] = [
      { role: 'user', content: 'Look', parts: [image], by: 'reference', metadata: { a: 1 } },
      {
        ...{ role: 'assistant', content: '', tool_calls: [{ ...call, metadata: { b: 2 } }] },
        opaque: { api: 'chat', model: 'm', data: { secret: 1 } },
      },
      { role: 'tool', id: 'call00001', name: 'stock', content: '41' },
      { role: 'assistant', content: 'There are 41.', metadata: {} },
      ...says('echo'),
    ];
    const { messages: told } = JSON.parse(outputOf(await say('', {}, { messages }))) as Request;
    expect(told).toEqual([
      { role: 'user', content: 'Look', parts: [image] },
      {
        ...{ role: 'assistant', content: null },
        tool_calls: [
          {
            id: 'call00001',
            type: 'function',
            function: { name: 'stock', arguments: '{"crate": 1}' },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'call00001', content: '41' },
      { role: 'assistant', content: 'There are 41.' },
      ...says('echo'),
    ]);
  });

  test("runs as one process per commit, in that commit's folder", async () => {
    const { say, starts, checkouts, folder } = await start();
    const commits = ['c1', 'c1', 'c2'];
    const outputs = await Promise.all(commits.map((commit) => say('folder', { commit })));
    const places = commits.map((commit) => `${folder(commit)} not prepared`);
    expect(outputs.map(outputOf)).toEqual(places);
    expect([await starts(), await starts('c2'), checkouts]).toEqual([1, 1, ['c1', 'c2']]);
  });

  test('with process: try has one process per try, which ends after its last call', async () => {
    const { say, folder } = await start();
    const ask = (index: number) => say('stubborn', { process: 'try' }, { try: index });
    const [first, other, second] = await Promise.all([ask(0), ask(0), ask(1)]);
    expect(outputOf(other)).toEqual(outputOf(first));
    expect(outputOf(second)).not.toEqual(outputOf(first));
    for (const answer of [first, second]) await untilDead(Number(outputOf(answer)));
    expect(outputOf(await say('folder', { process: 'try' }))).toContain(folder('c1'));
  });

  test('runs in a separate process for calls of a second session', async () => {
    const { say, starts } = await start();
    const ask = (secondSession?: true) =>
      say('stubborn', {}, secondSession === undefined ? {} : { secondSession });
    const answers = await Promise.all([ask(), ask(true), ask(), ask(true)]);
    const [first, second] = answers.map(outputOf);
    expect(second).not.toEqual(first);
    expect(answers.map(outputOf)).toEqual([first, second, first, second]);
    expect(await starts()).toBe(2);
  });

  test("answers base's and head's calls at the same pace, even if one side starts later", async () => {
    const head = Promise.withResolvers<void>();
    afterThisTest(() => head.resolve());
    const { say, served } = await start({ concurrency: { start: 3, max: 3 } }, (commit) =>
      commit === 'head' ? head.promise : Promise.resolve(),
    );
    const pairs = Array.from({ length: 20 }, () => ['base', 'head']).flat();
    const ask = (commit: string) => say(`order ${commit}`, { commit });
    const first = pairs.slice(0, 3).map(ask);
    await first[0];
    // A call to another model, answered after everything that was sent to base's process.
    await say('echo', { commit: 'base', model: 'other-app' });
    expect(await served()).toEqual(['base']);
    head.resolve();
    await Promise.all([...first, ...pairs.slice(3).map(ask)]);
    const order = await served();
    const leads = order.map((_, index) => {
      const base = order.slice(0, index + 1).filter((side) => side === 'base').length;
      return Math.abs(base - (index + 1 - base));
    });
    expect(order).toHaveLength(40);
    expect(Math.max(...leads)).toBeLessThanOrEqual(4);
  });

  test('can answer in any order, with numeric ids and in chunks', async () => {
    const { say } = await start({ concurrency: { start: 5, max: 5 } });
    const answers = await Promise.all([say('late'), say('late'), say('number'), say('release')]);
    expect(answers.map(outputOf)).toEqual(['late 1', 'late 2', 'by number', 'released']);
    expect(await say('split')).toMatchObject(said('ümläut'));
    expect(answers[2]).toMatchObject({ usage: null });
  });

  test('receives PATH, HOME, LANG and named variables, but no key and no token', async () => {
    const output = 'HOME LANG PATH PYTHONUNBUFFERED';
    expect(await (await start()).say('env')).toMatchObject(said(output));
    const { say } = await start({ programEnv: ['EXTRA', 'NOT_SET'] });
    expect(await say('env')).toMatchObject(said(`EXTRA ${output}`));
  });

  test('in Python can answer without flushing', async () => {
    const { say } = await start();
    const loop =
      'import json,sys\nfor line in sys.stdin:\n  print(json.dumps({"id": json.loads(line)["id"], "output": "hi"}))';
    expect(await say('x', { command: ['python3', '-c', loop] })).toMatchObject(said('hi'));
  });

  test('is set up once per commit before its first call', async () => {
    const { say, log } = await start();
    const script =
      'require("fs").appendFileSync("prepared.txt", "once "); console.log("preparing"); console.error("::error::trick")';
    const setup = [process.execPath, '-e', script];
    const answers = await Promise.all([
      say('folder', { setup }),
      say('folder', { setup, model: 'other-name' }),
    ]);
    for (const answer of answers)
      expect(answer).toMatchObject(said(expect.stringMatching(/c1 once $/) as unknown as string));
    const lines = log.map((line) => line.slice(line.lastIndexOf(': ') + 2));
    expect(lines.sort()).toEqual([':\\:error:\\:trick', 'preparing']);
    expect(log.every((line) => line.startsWith('setup '))).toBe(true);
  });

  test('whose setup fails is not started, and every call reports the reason', async () => {
    const { say, starts } = await start();
    const setup = [process.execPath, '-e', 'console.error("no such package"); process.exit(7)'];
    for (const answer of await Promise.all([say('echo', { setup }), say('echo', { setup })])) {
      expect(errorOf(answer).kind).toBe('program');
      expect(errorOf(answer).message).toMatch(
        /^program \(our-app\): setup .*: ended with exit code 7: no such package$/,
      );
    }
    await expect(starts()).rejects.toThrow('ENOENT');
  });

  test('is an error with the reason if its files or command are missing', async () => {
    const full = await start({ checkout: () => Promise.reject(new Error('disk full')) });
    expect(errorOf(await full.say('echo'))).toMatchObject(
      program('its files could not be checked out: Error: disk full'),
    );
    const { say } = await start();
    expect(errorOf(await say('echo', { command: ['no-such-program'] }))).toMatchObject(
      program('the program "no-such-program" was not found'),
    );
    expect(errorOf(await say('echo', { command: [] }))).toMatchObject(
      program('the program "" cannot be started (not a command)'),
    );
  });

  test('can answer with an error, which is redacted and not retried', async () => {
    const { say, log } = await start();
    expect(errorOf(await say(`error failed with ${KEY} \u202e`))).toEqual({
      kind: 'program-answer',
      message: 'program (our-app): failed with *** \\u{202e}',
    });
    expect(log).toEqual([]);
  });

  test('can mark an error as temporary, which is retried', async () => {
    const { say, clock } = await start();
    expect(await say('flaky x')).toMatchObject({ status: 'ok', ...said('at last') });
    expect(clock.pauses).toEqual([250]);
  });

  test('causes an error that quotes any line on stdout that is not an answer', async () => {
    const { say } = await start();
    expect(errorOf(await say(`print Debug: ${RED} here`))).toEqual(
      program(
        'wrote a line on stdout that is not an answer: "Debug: \\u{1b}[31m here"; messages belong on stderr',
      ),
    );
    expect(errorOf(await say('odd'))).toEqual(program('line 3 of its stdout: output must be text'));
    expect(await say('echo')).toMatchObject({ status: 'ok' });
  });

  test('can return text, tool calls, files, steps and the model that answered', async () => {
    const { say, clock } = await start();
    expect(await say('parts')).toMatchObject({
      status: 'ok',
      parts: [
        { type: 'text', text: 'Done.' },
        { type: 'tool_call', name: 'write', arguments: '{"path":"a.md"}' },
        { type: 'file', path: 'a.md', diff: '# A' },
      ],
      steps: [{ type: 'tool_call', name: 'write', arguments: '{"path":"a.md"}', result: null }],
      served: { model: 'app-1', fingerprint: null, at: clock.now() },
    });
  });

  test('that exits makes its running calls fail and is restarted for the next call', async () => {
    const { say, starts } = await start();
    const answers = await Promise.all([say('late'), say('late'), say('crash out of luck')]);
    const ended = program('ended with exit code 3: out of luck');
    expect(answers.map(errorOf)).toEqual([ended, ended, ended]);
    expect(await say('echo')).toMatchObject({ status: 'ok' });
    expect(await starts()).toBe(2);
  });

  test('that keeps exiting is not restarted forever', async () => {
    const { say, starts } = await start();
    for (let times = 0; times < 4; times++)
      expect(errorOf(await say('crash x')).message).toContain('exit code 3');
    expect(errorOf(await say('echo'))).toEqual(
      program('ended 4 times in a row without an answer and is not restarted'),
    );
    expect(await starts()).toBe(4);
  });

  test('that writes an endless line is ended', async () => {
    const { say } = await start();
    expect(errorOf(await say('flood'))).toEqual(program('wrote a line longer than 8 MiB'));
    expect(await say('echo')).toMatchObject({ status: 'ok' });
  });

  test('that is silent until the deadline is considered stuck and restarted', async () => {
    const { say, clock, starts } = await start();
    await say('echo');
    const asked = say('late');
    await until(() => clock.open() === 1);
    clock.expire(TIMEOUT_MS);
    const late = program('no answer after 120 s; it must flush stdout after each line');
    expect(errorOf(await asked)).toEqual({ ...late, kind: 'timeout' });
    while ((await starts()) < 2) await say('echo');
    expect(await say('echo')).toMatchObject({ status: 'ok' });
  });

  test('keeps running after a late answer to one call if it answers other calls', async () => {
    const { say, clock, starts } = await start();
    const late = say('late');
    await until(() => clock.open() === 1);
    await say('echo');
    clock.expire(TIMEOUT_MS);
    expect(errorOf(await late).kind).toBe('timeout');
    expect(await say('release')).toMatchObject(said('released'));
    expect(await say('echo')).toMatchObject({ status: 'ok' });
    expect(await starts()).toBe(1);
  });

  test('writes to the log through stderr, without keys and workflow commands, up to a limit', async () => {
    const { say, log } = await start();
    await say(`log key ${KEY} ##[error]x ::set-output name=a::b ${RED}`);
    await say(`log ${Array.from({ length: 300 }, (_, line) => `line ${line}`).join('\n')}`);
    await until(() => log.at(-1)?.endsWith('further lines are left out') === true);
    expect(log[0]).toMatch(
      /^program .*app\.mjs at c1: key \*\*\* ##\\\[error\]x :\\:set-output name=a:\\:b \\u\{1b\}\[31m$/,
    );
    expect(log).toHaveLength(201);
  });

  test('is killed with its children, even if they ignore SIGTERM', async () => {
    const { say, close } = await start();
    const answers = await Promise.all([say('stubborn'), say('child')]);
    const pids = answers.map((answer) => Number(outputOf(answer)));
    expect(await Promise.all(pids.map(isAlive))).toEqual([true, true]);
    await close();
    for (const pid of pids) await untilDead(pid);
    expect(errorOf(await say('echo')).kind).toBe('aborted');
  });

  test('stops its calls on the stop signal', async () => {
    const stop = new AbortController();
    const { say, clock } = await start({ signal: stop.signal, concurrency: { start: 2, max: 2 } });
    const asked = Array.from({ length: 5 }, () => say('late'));
    await until(() => clock.open() === 1);
    stop.abort();
    for (const answer of await Promise.all(asked)) expect(errorOf(answer).kind).toBe('aborted');
  });

  test('is not called if the limit of model calls is reached', async () => {
    const { say } = await start({
      reserve: reserveWhile(({ messages }) => messages[0]?.content !== 'echo'),
    });
    expect(errorOf(await say('echo'))).toEqual({
      kind: 'budget',
      message:
        'program (our-app): this call was not made, because the limit of model calls is reached',
    });
  });
});
