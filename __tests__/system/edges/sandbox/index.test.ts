import { join } from 'node:path';
import { createSandbox, type SandboxOptions } from '../../../../src/edges/sandbox/index.ts';
import type { CodeJob, CodeResult } from '../../../../src/types/model.ts';
import type { CodeLanguage } from '../../../../src/types/plain.ts';
import { afterThisTest } from '../../../stand-ins/after-test.ts';
import { temporaryFolder } from '../../../stand-ins/repository.ts';
import { oldPython, pythonWithout, systemPython } from './kernels.ts';

const folder = temporaryFolder('pythons');

const DEFAULTS: SandboxOptions = {
  mode: 'sandbox',
  env: {},
  timeoutSeconds: 600,
  time: Date.UTC(2026, 0, 2),
  log: () => undefined,
  python: systemPython,
};

function sandbox(options: Partial<SandboxOptions> = {}) {
  const made = createSandbox({ ...DEFAULTS, ...options });
  afterThisTest(made.close);
  return made;
}

function job(language: CodeLanguage, code: string, rest: Partial<CodeJob> = {}): CodeJob {
  const outputs = ['metric', 'result'];
  return { suite: 'p', side: 'head', language, code, outputs, inputs: [{}], ...rest };
}

/** Shared by tests of the code's results, because starting a sandbox is slow. */
let kept: ReturnType<typeof createSandbox> | null = null;
afterAll(async () => await kept?.close());
const evaluate = (asked: CodeJob): Promise<CodeResult[]> =>
  (kept ??= createSandbox(DEFAULTS)).evaluate(asked);

async function one(
  language: CodeLanguage,
  code: string,
  options: Partial<SandboxOptions> | null = null,
  input: CodeJob['inputs'][number] = {},
): Promise<CodeResult> {
  const asked = job(language, code, { inputs: [input] });
  const [result] = await (options === null ? evaluate(asked) : sandbox(options).evaluate(asked));
  return result!;
}

const passing = (language: CodeLanguage, metric: string) =>
  language === 'python' ? `metric = ${metric}\nresult = True` : `metric = ${metric}; result = true`;

const ok = (metric: unknown, result = true): unknown => ({
  status: 'ok',
  values: { metric, result },
});
const error = (message: string): unknown => ({ status: 'error', cause: 'code', message });

/** The result of inputs that the sandbox could not evaluate. */
const unrun = (message: string): unknown => ({ status: 'error', cause: 'sandbox', message });

/** The same code in both languages, which must give the same results. */
const both = [
  {
    language: 'python' as const,
    equal: 'metric = actual == expected\nresult = metric',
    unlessLooping: 'if actual == "loop":\n  while True: pass\nmetric = actual\nresult = True',
    never: 'while True: pass',
    counting:
      'import builtins\nbuiltins.count = getattr(builtins, "count", 0) + 1\nmetric = builtins.count\nresult = True',
  },
  {
    language: 'javascript' as const,
    equal: 'metric = actual === expected\nresult = metric',
    unlessLooping: 'if (actual == "loop") for (;;);\nmetric = actual\nresult = true',
    never: 'for (;;);',
    counting:
      'Array.prototype.count = (Array.prototype.count ?? 0) + 1; metric = Array.prototype.count; result = true',
  },
];

describe('code cannot detect which side it scores', () => {
  const clocks = {
    python: `import datetime, os, time
from datetime import date, datetime as moment
def link(path):
  try: return os.readlink(path)
  except OSError: return None
metric = [link('/proc/self'), link('/proc/thread-self'), os.times().elapsed, os.getpid(), time.time(), str(time.time_ns()), time.monotonic(), time.perf_counter_ns(), time.process_time(), time.strftime("%F", time.gmtime()),
  time.clock_gettime(time.CLOCK_MONOTONIC), str(moment.now()), str(moment.utcnow()), str(date.today()), str(moment.now(datetime.timezone.utc))]
result = True`,
    javascript: `metric = [Date.now(), new Date().getTime(), Date(), new (new Date(0).constructor)().getTime(), new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC' }).format()];
result = true`,
  };

  test.each(['python', 'javascript'] as const)(
    'because clocks and process ids in %s have the same values on both sides',
    async (language) => {
      const asked = job(language, clocks[language], { inputs: [{}, {}] });
      const own = sandbox();
      const results = [
        ...(await own.evaluate({ ...asked, side: 'base' })),
        ...(await own.evaluate({ ...asked, side: 'head' })),
      ];
      expect(results[0]).toMatchObject({ status: 'ok' });
      expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
      expect(JSON.stringify(results[0])).toContain('2026');
    },
  );

  const dates = 'from datetime import date, datetime, timedelta\n';
  test.each([
    ['python', 'str(__import__("datetime").date.today())', '2026-01-02'],
    [
      'python',
      '[str(date(2024, 1, 31) + timedelta(days=1)), isinstance(date.today(), date), isinstance(datetime.now(), date), isinstance(1, date), repr(datetime(2024, 1, 2)), str(datetime.strptime("2024-01-02", "%Y-%m-%d") - datetime(2024, 1, 1))]',
      ['2024-02-01', true, true, false, 'datetime.datetime(2024, 1, 2, 0, 0)', '1 day, 0:00:00'],
    ],
    [
      'javascript',
      '[new Date(2024, 0, 31).getMonth(), new Date(0) instanceof Date, Date.UTC(1970, 0, 2), typeof Date(), new Date().getUTCFullYear()]',
      [0, true, 86_400_000, 'string', 2026],
    ],
  ] as const)('although it can use dates: %s %.30s', async (language, metric, expected) => {
    const code = `${language === 'python' ? dates : ''}${passing(language, metric)}`;
    expect(await one(language, code)).toEqual(ok(expected));
  });

  test('because stack traces contain no process id', async () => {
    const code = `import sys
frame, names = sys._getframe(), []
while frame is not None:
    names.append(frame.f_code.co_name)
    frame = frame.f_back`;
    const result = await one('python', `${code}\n${passing('python', 'names')}`);
    expect(JSON.stringify(result)).not.toMatch(/relay|zygote|__init__/);
  });
});

describe('JavaScript code has the features of Node', () => {
  test.each([
    ["[...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment('👨‍👩‍👧é')].length", 2],
    ["[...new Intl.Segmenter('en', { granularity: 'word' }).segment('so it is')].length", 5],
    [
      "new Intl.NumberFormat('de', { style: 'currency', currency: 'EUR' }).format(1234.5)",
      '1.234,50\u00a0€',
    ],
    ["(1234567.891).toLocaleString('en-US', { maximumFractionDigits: 1 })", '1,234,567.9'],
    ["['b', 'a', 'C', 'ä'].sort(new Intl.Collator('de').compare).join('')", 'aäbC'],
    ["['b', 'a', 'C'].sort((x, y) => x.localeCompare(y)).join('')", 'abC'],
    ["new Date(0).toLocaleDateString('en-US', { timeZone: 'UTC' })", '1/1/1970'],
    ["new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC' }).format(new Date(0))", '01/01/1970'],
    ["new Intl.PluralRules('en').select(1)", 'one'],
    ["new Intl.ListFormat('en').format(['a', 'b'])", 'a and b'],
    ["Buffer.from('é').toString('base64')", 'w6k='],
    ["Buffer.from('w6k=', 'base64').toString()", 'é'],
    ["Buffer.byteLength('é') + Buffer.concat([Buffer.from('a'), Buffer.alloc(2)]).length", 5],
    ["new TextDecoder().decode(new TextEncoder().encode('é'))", 'é'],
    ["atob(btoa('hi'))", 'hi'],
    ["new URL('/b?c=1', 'https://a.example').searchParams.get('c')", '1'],
    ["[URL.canParse('https://a.example'), URL.canParse('nothing')]", [true, false]],
    ['structuredClone({ a: [1, { b: new Date(0) }] }).a[1].b.getTime()', 0],
    ['structuredClone(new Map([[1, new Set([2])]])).get(1).has(2)', true],
  ])('including the expression %s', async (code, value) => {
    expect(await one('javascript', passing('javascript', code))).toEqual(ok(value));
  });

  test.each([
    ["new Intl.NumberFormat('en', { maximumFractionDigits: 999 })", 'RangeError'],
    ["new Intl.Collator('a language')", 'RangeError'],
    ["new URL('nothing')", 'TypeError'],
    ["Buffer.from('a', 'utf99')", 'TypeError'],
    ['structuredClone(() => 1)', 'TypeError'],
    ["new Intl.Segmenter('en').segment('a'.repeat(300000))", 'RangeError'],
  ])('including its errors: %s', async (code, type) => {
    const message = expect.stringMatching(new RegExp(`^${type}`)) as never;
    expect(await one('javascript', `${code}; metric = result = true`)).toEqual(error(message));
  });

  test.each([
    ['f(); result = f().then((n) => n === 3)', ok(3)],
    ['(async () => { throw new RangeError("x") })()', error('RangeError on line 1: x')],
    ['new Promise(() => {})', { message: expect.stringMatching(/waits for something that never/) }],
    ['spin()', { message: expect.stringMatching(/took longer than 1 s/) }],
  ])('and can return promises, which the sandbox awaits: %s', async (metric, result) => {
    const functions =
      'const f = async () => (await Promise.resolve(2)) + 1, spin = () => Promise.resolve().then(spin);';
    const code = `${functions} metric = ${metric}${metric.includes('result') ? '' : '; result = true'}`;
    const { evaluate } = sandbox({ timeoutSeconds: metric === 'spin()' ? 1 : 600 });
    expect((await evaluate(job('javascript', code)))[0]).toMatchObject(result as object);
    // The next evaluation sees nothing of an unfinished one.
    expect(await evaluate(job('javascript', passing('javascript', 'typeof f')))).toEqual([
      ok('undefined'),
    ]);
  });
});

describe.each(both)('$language code', ({ language, equal, unlessLooping, never, counting }) => {
  const either = (python: string, javascript: string) =>
    language === 'python' ? python : javascript;
  const scored = (python: string, javascript = python) =>
    passing(language, either(python, javascript));
  const pair = scored('[a, a]');
  const run = (code: string, inputs: CodeJob['inputs'], rest: Partial<CodeJob> = {}) =>
    evaluate(job(language, code, { inputs, ...rest }));

  test('is evaluated once per input, in order', async () => {
    const inputs = Array.from({ length: 300 }, (_, index) => ({
      actual: `${index}`,
      expected: index % 3 === 0 ? `${index}` : 'other',
    }));
    const results = await run(equal, inputs);
    expect(results).toEqual(inputs.map((_, index) => ok(index % 3 === 0, index % 3 === 0)));
  });

  test('gets its variables as values, whatever they contain', async () => {
    const values = [
      '"""; import os',
      '`${1}`',
      '\\',
      '\u2028\n\r\t\0',
      '{a}',
      '::error::',
      'é漢😀',
      '__proto__',
      '',
      null,
      true,
      -1.5,
      [1, { x: ['y'] }],
      [[[[[[[1]]]]]]],
      { __proto__x: 1 },
    ];
    const inputs = values.map((a) => ({ a }));
    expect(await run(pair, inputs)).toEqual(values.map((a) => ok([a, a])));
  });

  test('can return lone surrogates (half characters), which are replaced so that they can be stored', async () => {
    const results = await run(pair, [{ a: 'x\ud800y' }]);
    expect(results[0]).toMatchObject({ status: 'ok' });
    expect(JSON.stringify(results)).not.toContain('\\ud800');
  });

  test('does not see a variable that was not passed', async () => {
    const code = scored('"expected" in globals()', 'typeof expected !== "undefined"');
    const inputs = [{ expected: undefined }, { expected: 'x' }, {}];
    expect(await run(code, inputs)).toEqual([ok(false), ok(true), ok(false)]);
  });

  test('gets a fresh namespace for each evaluation', async () => {
    const code = either(
      'metric = "left" in globals()\nleft = 1\nresult = True',
      'metric = typeof left + typeof kept + typeof JSON; left = 1; var kept = 2; JSON = 3; const local = 4; result = true',
    );
    const first = ok(language === 'python' ? false : 'undefinedundefinedobject');
    expect(await run(code, [{}, {}, {}])).toEqual([first, first, first]);
  });

  const stopped = unrun('took longer than 1 s and was stopped');
  test('that does not end is stopped, and the other evaluations run', async () => {
    const inputs = ['a', 'b', 'loop', 'c'].map((actual) => ({ actual }));
    const { evaluate } = sandbox({ timeoutSeconds: 1 });
    const results = await evaluate(job(language, unlessLooping, { inputs }));
    expect(results).toEqual([ok('a'), ok('b'), stopped, ok('c')]);
  });

  test('is not run again after five endless evaluations, even in later jobs', async () => {
    const { evaluate } = sandbox({ timeoutSeconds: 1 });
    const words = ['loop', 'a', 'loop', 'loop', 'loop', 'b', 'loop', 'c'];
    const inputs = words.map((actual) => ({ actual }));
    const given = unrun('was not run again: it took longer than 1 s 5 times');
    const results = await evaluate(job(language, unlessLooping, { inputs }));
    const [a, b] = [ok('a'), ok('b')];
    expect(results).toEqual([stopped, a, stopped, stopped, stopped, b, stopped, given]);
    const later = job(language, unlessLooping, { inputs: [{ actual: 'a' }] });
    expect(await evaluate(later)).toEqual([given]);
    const other = job(language, equal, { inputs: [{ actual: 1, expected: 1 }] });
    expect(await evaluate(other)).toEqual([ok(true)]);
  });

  test('cannot pass data to another suite or the other side', async () => {
    const { evaluate } = sandbox();
    const found: CodeResult[] = [];
    const head = { suite: 'p', side: 'head' } as const;
    const base = { suite: 'p', side: 'base' } as const;
    for (const place of [head, head, { ...head, suite: 'q' }, head, base, base])
      found.push(...(await evaluate(job(language, counting, place))));
    expect(found).toEqual([1, 2, 1, 1, 1, 2].map((count) => ok(count)));
  });

  test('cannot pass data between evaluations if each has its own process', async () => {
    const inputs = Array.from({ length: 30 }, () => ({}));
    const { evaluate } = sandbox({ alone: true });
    const results = await evaluate(job(language, counting, { inputs }));
    expect(results).toEqual(inputs.map(() => ok(1)));
  });

  test('returns each result to the job that requested it when several jobs run at the same time', async () => {
    const { evaluate } = sandbox();
    const jobs = [0, 1, 2, 3, 4].flatMap((index) =>
      (['base', 'head'] as const).map((side) => {
        const inputs = [{ a: `${side} ${index}` }, { a: index }];
        return evaluate(job(language, `${pair}\n${'\n'.repeat(index)}`, { side, inputs }));
      }),
    );
    const results = await Promise.all(jobs);
    expect(results[3]).toEqual([ok(['head 1', 'head 1']), ok([1, 1])]);
    expect(results[8]).toEqual([ok(['base 4', 'base 4']), ok([4, 4])]);
  });

  test('returns the variables that the caller requests as outputs', async () => {
    const code = either('output = name.upper()', 'const output = name.toUpperCase()');
    const results = await run(code, [{ name: 'ada' }], { outputs: ['output'] });
    expect(results).toEqual([{ status: 'ok', values: { output: 'ADA' } }]);
  });

  test('returns the messages that it sets in Python, unless they are invalid or too large', async () => {
    const outputs = ['output', 'messages?'];
    const returned = async (messages: string) => {
      const [result] = await run(`output = 'x'\nmessages = ${messages}`, [{}], { outputs });
      return result?.status === 'ok' ? result.values['messages'] : result;
    };
    const list = `[{ 'role': 'human', 'content': 'Hi' }, { 'content': 'Go' }]`;
    const found = [
      { role: 'human', content: 'Hi' },
      { role: 'user', content: 'Go' },
    ];
    expect(await returned(list)).toEqual(language === 'python' ? found : undefined);
    const long = either(`'x' * 70000`, `'x'.repeat(70000)`);
    for (const other of ['5', '[1]', `[{ 'content': ${long} }]`])
      expect(await returned(other)).toBeUndefined();
  });

  test('is rejected above 32 KiB', async () => {
    const comment = either('#', '//');
    const fill = (bytes: number) => `${equal}\n${comment}`.padEnd(bytes, 'x');
    const input = { actual: 1, expected: 1 };
    expect(await one(language, fill(32768), null, input)).toEqual(ok(true));
    expect(await one(language, fill(32769), null, input)).toEqual(
      unrun('the code is 32769 bytes; the limit is 32768'),
    );
  });

  test('may return at most 64 KiB', async () => {
    const times = (count: number) => scored(`"x" * ${count}`, `"x".repeat(${count})`);
    const room = 65536 - JSON.stringify({ metric: '', result: true }).length;
    expect(await one(language, times(room))).toEqual(ok('x'.repeat(room)));
    expect(await one(language, times(room + 1))).toEqual(error('metric is larger than 64 KiB'));
  });

  test("with more than 8 MiB of variables is skipped, and the job's other evaluations run", async () => {
    const inputs = [{ a: 1 }, { a: 'x'.repeat(8 << 20) }, { a: 'y'.repeat(3 << 20) }, { a: 2 }];
    const code = scored('len(str(a))', 'String(a).length');
    expect(await run(code, inputs)).toEqual([
      ok(1),
      unrun('the variables for the code are larger than 8 MiB'),
      ok(3 << 20),
      ok(1),
    ]);
  });

  test('may print up to 8 KiB per evaluation, line by line', async () => {
    const lines: string[] = [];
    const code = either(
      'print("one\\r\\ntwo\\x1b[31m")\nfor i in range(count): print("x" * 99)\nmetric = 1\nresult = True',
      'console.log("one\\r\\ntwo\\x1b[31m"); for (let i = 0; i < count; i++) console.log("x".repeat(99)); metric = 1; result = true',
    );
    const { evaluate } = sandbox({ log: (line) => lines.push(line) });
    await evaluate(job(language, code, { inputs: [{ count: 0 }, { count: 1000 }, { count: 1 }] }));
    const said = (...words: string[]) => words.map((word) => `${language} code: ${word}`);
    expect(lines.slice(0, 4)).toEqual(said('one', 'two\\u{1b}[31m', 'one', 'two\\u{1b}[31m'));
    const cut = '(more than 8 KiB was printed; the rest is left out)';
    expect(lines.slice(-4)).toEqual(said(cut, 'one', 'two\\u{1b}[31m', 'x'.repeat(99)));
    expect(lines.filter((line) => line.endsWith('x'.repeat(99)))).toHaveLength(82);
  });

  test('cannot print workflow commands', async () => {
    const lines: string[] = [];
    const text = '::error::a\\n##[set-output name=x]b\\r::warning::c\\u2028::d::';
    const print = either(`print("${text}")\n`, `console.log("${text}"); `);
    await one(language, `${print}${scored('1')}`, { log: (line) => lines.push(line) });
    expect(lines).toHaveLength(4);
    const commands = /##\[|::/;
    for (const line of lines)
      expect([line.startsWith(`${language} code: `), commands.test(line)]).toEqual([true, false]);
  });

  test('prints at most a thousand lines into the log', async () => {
    const lines: string[] = [];
    const print = either('print("x\\n" * 50)\n', 'console.log("x\\n".repeat(50)); ');
    const { evaluate } = sandbox({ log: (line) => lines.push(line) });
    const inputs = Array.from({ length: 100 }, () => ({}));
    await evaluate(job(language, `${print}${scored('1')}`, { inputs }));
    expect(lines).toHaveLength(1001);
    expect(lines.at(-1)).toBe(`${language} code: further lines are left out`);
  });

  test('does not run with code: off', async () => {
    const { evaluate } = sandbox({ mode: 'off' });
    const off = unrun('was not run, because of code: off');
    expect(await evaluate(job(language, equal, { inputs: [{}, {}] }))).toEqual([off, off]);
  });

  test('gets an error if the sandbox closes while it runs', async () => {
    const made = sandbox();
    const running = made.evaluate(job(language, never, { inputs: [{}, {}] }));
    await made.close();
    const results = await running;
    expect(results.map(({ status }) => status)).toEqual(['error', 'error']);
    expect(JSON.stringify(results)).toContain('was not run');
  });

  test('is not evaluated without inputs', async () => expect(await run(equal, [])).toEqual([]));
});

describe('errors of Python code', () => {
  test.each([
    ['metric = 1\nresult = (', "SyntaxError on line 2: '(' was never closed"],
    ['metric = 1\nif True:\nresult = 1', /^IndentationError on line 3: expected an indented block/],
    [
      'x = "1"\nmetric = float("eight")\nresult = True',
      "ValueError on line 2: could not convert string to float: 'eight'",
    ],
    ['def f():\n  return 1 / 0\n\nmetric = f()', 'ZeroDivisionError on line 2: division by zero'],
    ['raise ValueError', 'ValueError on line 1'],
    ['raise SystemExit(3)', 'SystemExit on line 1: 3'],
    ['metric = 1', 'did not set result'],
    ['result = True', 'did not set metric'],
    ['metric = 1\nresult = 2', 'result must be True or False, not int'],
    ['metric = 1\nresult = "yes"', 'result must be True or False, not str'],
    [
      'metric = 1\nclass bool_(int): pass\nresult = bool_(1)',
      'result must be True or False, not bool_',
    ],
    ['metric = 1\nresult = None', 'result must be True or False, not NoneType'],
    ['metric = float("nan")\nresult = True', 'metric is not a finite number'],
    ['metric = [1, {"a": float("-inf")}]\nresult = True', 'metric is not a finite number'],
    ['metric = {1, 2}\nresult = True', 'metric must be plain data, not set'],
    ['metric = object()\nresult = True', 'metric must be plain data, not object'],
    ['metric = {1: 2}\nresult = True', "metric must be plain data: a map's keys are text, not int"],
    ['metric = 2 ** 53 + 1\nresult = True', 'metric is a whole number beyond 2^53; use text'],
    ['metric = [[[[[[[[[1]]]]]]]]]\nresult = True', 'metric is nested deeper than 8 levels'],
    ['metric = list(range(10 ** 6))\nresult = True', 'metric is larger than 64 KiB'],
    ['import requests', 'ModuleNotFoundError: requests. Packages need code: host'],
    ['import langchain.llms', 'ModuleNotFoundError: langchain. Packages need code: host'],
    [
      'open("/etc/passwd")',
      'PermissionError on line 1: metric code cannot use files, the network or programs',
    ],
    ['x = bytearray(3 << 30)', 'used more than 512 MiB'],
    ['import os\nos._exit(0)', 'ended the Python process'],
    [
      'import os\nfor fd in range(3, 20):\n  try: os.write(fd, b"{}\\n")\n  except OSError: pass',
      "wrote to evaldiff's internal channel",
    ],
    [
      'class E(Exception):\n  def __str__(self): return "a\\n::error::b" + "c" * 9999\nraise E()',
      /^E on line 3: a ::error::bc+…$/,
    ],
    [
      'class E(Exception):\n  def __str__(self): raise E()\nraise E()',
      /^E on line 3: an error without a message$/,
    ],
    ['metric = 1\0', /^(SyntaxError|ValueError)/],
  ])('are readable: %j gives %s', async (code, message) => {
    const result = await one('python', code);
    const said = typeof message === 'string' ? message : (expect.stringMatching(message) as never);
    const stops = /^(?:used more|ended|wrote)/.test(String(message));
    expect(result).toEqual(stops ? unrun(said) : error(said));
  });

  test('do not occur when it returns values of built-in types', async () => {
    const metric = '{"a": (1, -0.5, None, True, "é"), "b": {"c": ()}, "d": 2 ** 53}';
    const value = { a: [1, -0.5, null, true, 'é'], b: { c: [] }, d: 9007199254740992 };
    expect(await one('python', passing('python', metric))).toEqual(ok(value));
  });

  /**
   * Finds the stack frame of the worker and runs `forge` to fake the answer for the evaluation with
   * actual == 1.
   */
  const forger = (forge: string, late: 'True' | 'False') =>
    [
      `late = ${late}`,
      'import os, select, sys',
      'frame = sys._getframe()',
      'while frame and "identity" not in frame.f_locals: frame = frame.f_back',
      'worker = frame.f_locals',
      'line = worker["identity"] + b\' {"values":{"metric":"forged","result":true}}\\n\'',
      `if actual == 1: ${forge}`,
      // sends no answer, so an answer that arrives is not its own
      'while actual == 2 and late: pass',
      'metric = actual',
      'result = True',
    ].join('\n');
  const channel = unrun("wrote to evaldiff's internal channel");
  const inputs = [0, 1, 2, 3].map((actual) => ({ actual }));

  test('occur if it forges two replies at once', async () => {
    const code = forger('os.write(worker["replies"], line + line)', 'False');
    expect(await evaluate(job('python', code, { inputs }))).toEqual([ok(0), channel, ok(2), ok(3)]);
  });

  test('include a second reply that it forges, which is never used for the next evaluation', async () => {
    // Waits for the next request, so that its ordinary answer arrives when another answer is
    // expected.
    const forge = 'os.write(worker["replies"], line); select.select([worker["requests"]], [], [])';
    const results = await evaluate(job('python', forger(forge, 'True'), { inputs }));
    expect(results).toEqual([ok(0), ok('forged'), channel, ok(3)]);
  });
});

describe('Python code in the sandbox', () => {
  const modules =
    'ast, json, re, math, difflib, statistics, collections, datetime, unicodedata, string, decimal, fractions, itertools, functools, textwrap, html, xml.etree.ElementTree, csv, io, random, hashlib, base64, uuid, urllib.parse, dataclasses, typing';
  const everything = `import ${modules}\nmetric = [round(difflib.SequenceMatcher(None, "abc", "abd").ratio(), 3), datetime.datetime.strptime("2024-01-02", "%Y-%m-%d").year, "Straße".casefold(), xml.etree.ElementTree.fromstring("<a/>").tag]\nresult = True`;
  const value = ok([0.667, 2024, 'strasse', 'a']);

  test('can import the standard library', async () =>
    expect(await one('python', everything)).toEqual(value));

  test('can import most of the standard library on a kernel without Landlock, and gets an error for other modules', async () => {
    const python = pythonWithout('landlock', folder);
    expect(await one('python', everything, { python })).toEqual(value);
    const message =
      'ModuleNotFoundError: antigravity. With this version of Linux, it can be imported only with code: host';
    expect(await one('python', 'import antigravity', { python })).toEqual(error(message));
  });

  test('iterates sets in the same order in every process', async () => {
    const code = passing('python', 'list({"a", "b", "c", "d", "e"})');
    expect(await one('python', code, {})).toEqual(await one('python', code, {}));
  });

  test('sees only the environment that Python itself needs', async () => {
    const code = `import os\n${passing('python', 'sorted(os.environ)')}`;
    const result = await one('python', code, { env: { GIVEN: 'x' } });
    expect(result).toEqual(ok(['LANG', 'PATH', 'PYTHONHASHSEED', 'PYTHONSAFEPATH']));
  });

  test('cannot affect later code, whatever it changes', async () => {
    const { evaluate } = sandbox();
    const change = 'import builtins\nbuiltins.len = lambda x: 99\n';
    await evaluate(job('python', `${change}${passing('python', '1')}`));
    expect(await evaluate(job('python', passing('python', 'len("ab")')))).toEqual([ok(2)]);
  });

  test.each([
    ['landlock', ok(true)],
    [
      'landlock and seccomp',
      unrun(
        'Metric code cannot run in a sandbox on this Linux system, because Landlock and seccomp are missing. Use a Linux runner or built-in metrics, or set code: host in the workflow.',
      ),
    ],
  ] as const)('is confined, or does not run, on a kernel without %s', async (missing, result) => {
    const python = pythonWithout(missing, folder);
    const code = `import os\n${passing('python', 'os.getpid() == 0')}`;
    expect(await one('python', code, { python })).toEqual(result);
  });

  const none =
    'Metric code needs python3 (3.8 or newer); none was found. Built-in metrics work without it.';
  test.each([
    [() => join(folder, 'python3'), none],
    [() => oldPython(folder), none],
    [() => '/bin/echo', '/bin/echo is not a Python that evaldiff supports'],
    [() => '/bin/false', '/bin/false did not start: it wrote nothing'],
  ])('needs a recent, real Python interpreter: %#', async (python, message) => {
    expect(await one('python', '', { python: python() })).toEqual(unrun(message));
  });
});

describe('compiling code', () => {
  const compiled = (language: CodeLanguage, code: string) =>
    sandbox().evaluate({ ...job(language, code, { inputs: [{}] }), outputs: [] });
  const at = { file: 'tests/a.yaml', line: 20, linewise: true };

  test.each([
    ['python', 'import json, os.path\nmetric = json.loads(actual)'],
    ['python', 'try:\n  import numpy\nexcept ImportError:\n  numpy = None'],
    ['javascript', 'function f() { return actual }\nmetric = f(); result = missing'],
    ['javascript', 'const reason = 1; let metric = 2; while (true) {}'],
  ] as const)('does not run it: %s %j', async (language, code) => {
    expect(await compiled(language, code)).toEqual([{ status: 'ok', values: {} }]);
  });

  test.each([
    ['python', 'metric = 1\nresult = (', "SyntaxError at tests/a.yaml:21: '(' was never closed"],
    [
      'python',
      'import json\nfrom numpy.linalg import norm',
      'ModuleNotFoundError at tests/a.yaml:21: numpy. Packages need code: host',
    ],
    ['javascript', 'metric = 1;\n\nresult = (', /^SyntaxError at tests\/a\.yaml:22: /],
    ['javascript', 'return 1', 'SyntaxError at tests/a.yaml:20: return not in a function'],
  ] as const)('reports what is wrong and where: %s %j', async (language, code, message) => {
    const said = typeof message === 'string' ? message : (expect.stringMatching(message) as never);
    expect(await evaluate(job(language, code, { outputs: [], at }))).toEqual([error(said)]);
  });

  test("reports the first line of the code if the code's lines differ from the file's", async () => {
    const quoted = { outputs: [], at: { ...at, linewise: false } };
    expect(await evaluate(job('python', 'metric = 1\nresult = (', quoted))).toEqual([
      error("SyntaxError at tests/a.yaml:20: '(' was never closed"),
    ]);
  });
});

describe('Python code on the host', () => {
  test('sees the named variables, files, programs and threads', async () => {
    const code =
      'import os, subprocess, threading\nt = threading.Thread(target=lambda: None)\nt.start()\nt.join()\nmetric = [os.environ["GIVEN"], subprocess.run(["echo", "hi"], capture_output=True, text=True).stdout, len(os.listdir("/")) > 0]\nresult = True';
    expect(await one('python', code, { mode: 'host', env: { GIVEN: 'value' } })).toEqual(
      ok(['value', 'hi\n', true]),
    );
  });

  test('does not see a variable that was not passed', async () => {
    process.env.EVALDIFF_NOT_GIVEN = 'secret';
    const names = '[name for name in os.environ if "EVALDIFF" in name or "GITHUB" in name]';
    const code = `import os\n${passing('python', names)}`;
    expect(await one('python', code, { mode: 'host' })).toEqual(ok([]));
    delete process.env.EVALDIFF_NOT_GIVEN;
  });

  test('does not import from its working directory', async () => {
    const { evaluate } = sandbox({ mode: 'host' });
    const write = 'open("evaldiff_local.py", "w").write("x = 1")\nmetric = 1\nresult = True';
    expect(await evaluate(job('python', write))).toEqual([ok(1)]);
    expect(await evaluate(job('python', 'import evaldiff_local'))).toEqual([
      error("ModuleNotFoundError on line 1: No module named 'evaldiff_local'"),
    ]);
  });

  test("reports the system's message if access is denied", async () => {
    const code = 'raise PermissionError(13, "Permission denied")';
    expect(await one('python', code, { mode: 'host' })).toEqual(
      error('PermissionError on line 1: [Errno 13] Permission denied'),
    );
  });

  test('is killed at the time limit with its child processes', async () => {
    const { evaluate } = sandbox({ mode: 'host', timeoutSeconds: 5 });
    const pidFile = join(folder, 'sleeper');
    const code = `import subprocess, time\np = subprocess.Popen(["sleep", "600"])\nopen(${JSON.stringify(pidFile)}, "w").write(str(p.pid))\ntime.sleep(600)`;
    expect(await evaluate(job('python', code))).toEqual([
      unrun('took longer than 5 s and was stopped'),
    ]);
    const gone = `pid = open(${JSON.stringify(pidFile)}).read()\ndef lives():\n  try: return open("/proc/" + pid + "/stat").read().split()[2] not in "ZX"\n  except OSError: return False\nwhile lives(): pass\nmetric = "gone"\nresult = True`;
    expect(await evaluate(job('python', gone))).toEqual([ok('gone')]);
  });
});

describe('errors of JavaScript code', () => {
  test.each([
    ['metric = 1;\nresult = (', 'SyntaxError on line 2: '],
    ['metric = 1;\nfoo()', "ReferenceError on line 2: 'foo' is not defined"],
    ['function f() {\n  throw new TypeError("bad") }\n\nf()', 'TypeError on line 2: bad'],
    ['throw "x"', 'Error: x'],
    ['throw null', 'Error: null'],
    ['return 1', 'SyntaxError on line 1: return not in a function'],
    ['metric = 1', 'did not set result'],
    ['let result = true', 'did not set metric'],
    ['metric = 1; result = 2', 'result must be true or false, not number'],
    ['metric = 1; result = null', 'result must be true or false, not null'],
    ['metric = NaN; result = true', 'metric is not a finite number'],
    ['metric = [1, { a: -Infinity }]; result = true', 'metric is not a finite number'],
    ['metric = new Map(); result = true', 'metric must be plain data, not Map'],
    ['metric = new Date(0); result = true', 'metric must be plain data, not Date'],
    ['metric = 1n; result = true', 'metric must be plain data, not bigint'],
    ['metric = [undefined]; result = true', 'metric must be plain data, not undefined'],
    ['metric = () => 1; result = true', 'metric must be plain data, not function'],
    ['metric = [Promise.resolve(1)]; result = true', 'metric must be plain data, not Promise'],
    ['metric = [[[[[[[[[1]]]]]]]]]; result = true', 'metric is nested deeper than 8 levels'],
    ['metric = Array(1e6).fill(1); result = true', 'metric is larger than 64 KiB'],
    ['require("fs")', "ReferenceError on line 1: 'require' is not defined"],
    ['for (var a = [];;) a.push(new ArrayBuffer(1 << 26))', 'used more than 512 MiB'],
    // Uses up the rest of the memory in small parts, so that even an error cannot be created.
    [
      'var b = []; try { for (;;) b.push(new ArrayBuffer(1 << 26)) } catch {} for (var a = null;;) a = { a, list: Array(1000).fill(1) }',
      'used more than 512 MiB',
    ],
    ['throw new Error("a\\n::error::b" + "c".repeat(9999))', 'Error on line 1: a ::error::bc'],
  ])('are readable: %j gives %s', async (code, message) => {
    const result = await one('javascript', code);
    expect(result.status === 'error' && result.message.slice(0, message.length)).toBe(message);
    if (/^used more/.test(message)) expect(result).toEqual(unrun(message));
    else if (!/: $|c$/.test(message)) expect(result).toEqual(error(message));
  });

  test('cannot affect later code', async () => {
    const { evaluate } = sandbox();
    const change = 'Array.prototype.map = null; Object.freeze(globalThis); ';
    await evaluate(job('javascript', `${change}${passing('javascript', '1')}`));
    const code = passing('javascript', '[1].map((x) => x + 1)');
    expect(await evaluate(job('javascript', code))).toEqual([ok([2])]);
  });
});

describe('prompt code in Python', () => {
  test.each([
    ['a plain string', 'output = "say {name}!"', 'say {evil} "x" \\n!'],
    ['a string over several lines', "output = '''a\n{name}'''", 'a\n{evil} "x" \\n'],
    ['an unknown name', 'output = "{other} {{name}}"', '{other} {{evil} "x" \\n}'],
    ['a formatted string', 'output = f"{name} {{name}}"', '{evil} "x" \\n {name}'],
    ['a call of format', 'output = "{name}{}".format(1, name=name)', '{evil} "x" \\n1'],
    ['a number', 'output = "{age} {yes}"', '7 true'],
    ['a message', 'class M: content = "{name}"\noutput = M()', '{evil} "x" \\n'],
  ])('gets its variables in %s as text, never as code', async (_, code, expected) => {
    const input = { name: '{evil} "x" \\n', evil: 'no', age: 7, yes: true };
    const results = await evaluate(job('python', code, { outputs: ['output'], inputs: [input] }));
    expect(results).toEqual([{ status: 'ok', values: { output: expected } }]);
  });
});
