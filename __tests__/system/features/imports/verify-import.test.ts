import { readdirSync } from 'node:fs';
import { commandIn, type Said } from '../../../stand-ins/command-line.ts';
import { createRepository } from '../../../stand-ins/repository.ts';

const CONFIG = `prompts: ['Answer: {{q}}']
providers: [openai:gpt-4o]
defaultTest: { assert: [{ type: javascript, value: 'JSON.parse(output).ok === true' }] }
tests:
  - { description: one, vars: { q: one }, assert: [{ type: contains, value: '{{q}}' }, { type: llm-rubric, value: is kind }] }
  - { vars: { q: [two, three] }, assert: [{ type: webhook, value: x }, { type: latency, threshold: 50 }] }
`;

interface Verdict {
  assertion: object;
  pass: boolean;
  reason?: string;
}

const script: object = { type: 'javascript', value: 'JSON.parse(output).ok === true' };
const contains: object = { type: 'contains', value: '{{q}}' };
const rubric: object = { type: 'llm-rubric', value: 'is kind' };
const webhook: object = { type: 'webhook', value: 'x' };
const latency: object = { type: 'latency', threshold: 50 };

const result = (
  testIdx: number,
  q: string,
  output: unknown,
  verdicts: Verdict[],
  more: object = {},
) => ({
  testIdx,
  promptIdx: 0,
  latencyMs: 40,
  prompt: { raw: `Answer: ${q}`, label: 'p' },
  vars: { q },
  testCase: { vars: { q }, ...(testIdx === 0 ? { description: 'one' } : {}) },
  response: { output },
  gradingResult: {
    pass: true,
    componentResults: verdicts.map((verdict) => ({ reason: 'r', ...verdict })),
  },
  ...more,
});

async function verify(results: unknown, config = CONFIG) {
  const repository = createRepository();
  repository.write({
    'promptfooconfig.yaml': config,
    'results.json': typeof results === 'string' ? results : JSON.stringify(results),
  });
  const said = await commandIn(repository.directory, [
    'import',
    'promptfooconfig.yaml',
    '--verify',
    'results.json',
  ]);
  return { ...withoutTail(said), files: readdirSync(repository.directory).sort() };
}

/** The output without its last line, which `run` has: how many tests would run. */
function withoutTail({ out, ...said }: Said): Said & { run: string } {
  const [, rest = '', run = ''] = /^([^]*\n)?(\d+ of \d+) tests? would run here\n$/.exec(out) ?? [];
  return { ...said, out: run === '' ? out : rest, run };
}

const of = (...results: object[]) => ({ evalId: 'e', results: { version: 3, results } });

describe('evaldiff import --verify', () => {
  test("scores promptfoo's own answers, finds equal verdicts and lists what is not compared", async () => {
    const { code, out, err, files } = await verify(
      of(
        // In the order in which they finished, with one from another provider.
        result(1, 'two', '{"ok": false}', [
          { assertion: script, pass: false },
          { assertion: webhook, pass: true },
          { assertion: latency, pass: true },
        ]),
        result(0, 'one', '{"ok": true} one', [
          { assertion: script, pass: false, reason: 'not JSON' },
          { assertion: contains, pass: true },
          { assertion: rubric, pass: true },
        ]),
        result(
          2,
          'three',
          '{"ok": true}',
          [
            { assertion: script, pass: true },
            { assertion: webhook, pass: true },
            { assertion: latency, pass: false },
          ],
          { latencyMs: 60 },
        ),
        result(2, 'three', null, []),
      ),
    );
    expect([err, out]).toEqual([
      '',
      '6 of 6 verdicts equal\nnot compared: 1 judged by a model, 2 of assertions that are not converted, 1 result without an answer\n',
    ]);
    expect([code, files]).toEqual([0, ['.git', 'promptfooconfig.yaml', 'results.json']]);
  });

  test('prints every kind of difference with line, test and both reasons, and exits with 1', async () => {
    const { code, out } = await verify(
      of(
        result(0, 'one', 'one', [
          { assertion: script, pass: true },
          { assertion: contains, pass: false, reason: 'Expected output to\ncontain' },
        ]),
        result(1, 'two', { ok: true }, [{ assertion: script, pass: false, reason: 'an object' }]),
        result(2, 'three', { ok: true }, [{ assertion: script, pass: false, reason: 'an object' }]),
      ),
    );
    expect(out.split('\n')).toEqual([
      '0 of 4 verdicts equal; these 4 differ because:',
      expect.stringMatching(
        /^ {2}javascript \(promptfooconfig\.yaml:3\), test one: promptfoo passes, evaldiff fails: .*SyntaxError/,
      ),
      '  contains (promptfooconfig.yaml:5), test one: promptfoo fails ("Expected output to"), evaldiff passes',
      '  2 × javascript (promptfooconfig.yaml:3), test {"q":"two"}: promptfoo fails ("an object"), evaldiff passes (in promptfoo the provider returned data; evaldiff judges its JSON text)',
      '',
    ]);
    expect(code).toBe(1);
  });

  test('finds a test by its variables if its position changed, and lists missing tests', async () => {
    const { code, out } = await verify(
      of(
        result(0, 'three', '{"ok": true}', [{ assertion: script, pass: true }]),
        result(7, 'nine', 'x', [{ assertion: script, pass: true }]),
      ),
    );
    expect([code, out]).toEqual([
      0,
      '1 of 1 verdict equal\nnot compared: 1 of tests that are not in the file\n',
    ]);
  });

  test.each([
    ['no JSON', 'prompts: [', 'results.json: is not a JSON file; write one with promptfoo eval'],
    ['another JSON', { results: 7 }, 'results.json: is not a promptfoo results file'],
    ['a list', [1], 'results.json: is not a promptfoo results file'],
    ['without answers', of(), 'results.json: contains no comparable verdict'],
    [
      'of nonsense',
      of({}, { testIdx: 'x' }),
      'contains no comparable verdict: 2 results without an answer',
    ],
  ])('rejects a results file that is %s', async (_, results, message) => {
    const { code, err, out } = await verify(results);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(message);
  });

  test('accepts prompts with logic or code, because it needs only the answers', async () => {
    const results = of(
      result(0, 'one', '{"ok": true} one', [{ assertion: contains, pass: true }]),
      result(1, 'two', '{"ok": true}', [{ assertion: script, pass: true }]),
    );
    for (const [prompt, tests] of [
      ["'{% if q %}{{ q | upper }}{% endif %}'", '3 of 3'],
      ['file://prompt.js', '0 of 3'],
    ] as const) {
      const { code, out, run } = await verify(results, CONFIG.replace("'Answer: {{q}}'", prompt));
      expect([code, out, run]).toEqual([0, '2 of 2 verdicts equal\n', tests]);
    }
  });

  test.each([
    ['a test', {}, { testCase: { vars: { q: 'one' }, options: { transform: 'output.a' } } }],
    [
      'a provider',
      { config: { providers: [{ id: 'openai:gpt-4o', label: 'big', transform: 'output.a' }] } },
      { provider: { id: 'openai:gpt-4o', label: 'big' } },
    ],
  ])(
    'compares the answers of the results file, which %s transformed before scoring',
    async (_, more, row) => {
      const answers = [
        result(
          0,
          'one',
          '{"ok": true, "n": "one"}',
          [
            { assertion: contains, pass: true },
            { assertion: script, pass: true },
          ],
          row,
        ),
        result(1, 'two', '{"ok": true}', [{ assertion: script, pass: true }]),
      ];
      const config = CONFIG.replace('{ assert:', "{ options: { transform: 'output.a' }, assert:");
      const { code, out } = await verify({ ...of(...answers), ...more }, config);
      expect([code, out]).toEqual([0, '3 of 3 verdicts equal\n']);
    },
  );

  test('finds tests by variables that results store unrendered, such as file names and templates', async () => {
    const config = CONFIG.replace(
      'vars: { q: [two, three] }',
      "vars: { q: file://q.txt, t: '{{ q | upper }}' }",
    );
    const row = result(1, 'file://q.txt', '{"ok": true}', [{ assertion: script, pass: true }]);
    const repository = createRepository();
    repository.write({
      'promptfooconfig.yaml': config,
      'q.txt': 'four',
      'results.json': JSON.stringify(
        of({ ...row, vars: { q: 'file://q.txt', t: '{{ q | upper }}' } }),
      ),
    });
    const argv = ['import', 'promptfooconfig.yaml', '--verify', 'results.json'];
    const { code, out } = withoutTail(await commandIn(repository.directory, argv));
    expect([code, out]).toEqual([0, '1 of 1 verdict equal\n']);
  });

  test.each([
    ['2026-01-31', '2026-01-31T00:00:00.000Z', '1 of 1 verdict equal\n'],
    ['2026-01-31 10:20:30', '2026-01-31T10:20:30.000Z', '1 of 1 verdict equal\n'],
    ['2026-01-30', '2026-01-31T00:00:00.000Z', ''],
  ])("matches a test's date %s with the date %s in the results", async (day, there, said) => {
    const { code, out } = await verify(
      of({
        ...result(0, 'one', '{"ok": true}', [{ assertion: script, pass: true }]),
        vars: { q: 'one', day: there },
      }),
      CONFIG.replace('vars: { q: one }', `vars: { q: one, day: ${day} }`),
    );
    expect([code, out]).toEqual([said === '' ? 2 : 0, said]);
  });

  test('reports that a configuration without tests has nothing to verify', async () => {
    const { code, err } = await verify(of(), "prompts: ['{{x}}']\nproviders: [openai:gpt-4o]\n");
    expect([code, err]).toEqual([2, 'promptfooconfig.yaml: has no tests to verify\n']);
  });

  test('rejects a missing results file', async () => {
    const repository = createRepository();
    repository.write({ 'promptfooconfig.yaml': CONFIG });
    const { code, err } = await commandIn(repository.directory, [
      'import',
      'promptfooconfig.yaml',
      '--verify',
      'gone.json',
    ]);
    expect([code, err]).toEqual([2, 'gone.json: cannot be read\n']);
  });
});
