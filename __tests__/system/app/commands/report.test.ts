import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { entriesBelow } from '../../../../scripts/entries-below.ts';
import { commandIn } from '../../../stand-ins/command-line.ts';
import { filesBelow, temporaryFolder } from '../../../stand-ins/repository.ts';
import { openShop } from '../../../unit/app/commands/shop.ts';
import { regression } from '../../../unit/report/results.ts';

async function report(files: Record<string, string>, ...args: string[]) {
  const folder = temporaryFolder('reports');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return commandIn(folder, ['report', ...args], { width: 400 });
}

/** A report as llmeval writes it: no ids, no reasons, and a Python roll-up. */
const llmeval = (
  actual: string,
  result: string,
  more: { rollup?: string; references?: string; model?: string } = {},
) => `prompts:
  tests:
    metrics:
      - { name: exact_match, code: "metric = actual == expected\\nresult = metric\\n" }
${more.rollup ?? ''}    references:
${more.references ?? ''}      - input: { a: 4, b: 4 }
        expected: 8
        actual: "${actual}"
        metrics: { exact_match: { metric: ${result === 'pass'}, result: ${result}, skipped: false } }
  name: math
  model: ${more.model ?? 'gpt-3.5-turbo'}
  temperature: 0.0
  variables: [{ name: a }, { name: b }]
  messages: [{ role: human, content: "What is {a} + {b}?" }]
n_tries: 2
`;
const RUN = 'multirun/2026-01-31/10-20-30';

test('evaldiff run folds its report in a terminal, and prints all of it, without colour, to a file or pipe', async () => {
  const folder = temporaryFolder('folded');
  writeFileSync(join(folder, 'result.json'), JSON.stringify(regression()));
  const rendered = (isTerminal: boolean, ...more: string[]) =>
    commandIn(folder, ['report', 'result.json', ...more], { width: 100, isTerminal });
  expect((await rendered(true)).out).toMatch(/▸ .*regressed[^]*▸ collapsed here\. To see/);
  const piped = (await rendered(false)).out;
  expect(piped).not.toContain('▸');
  await rendered(true, '--out', 'report.txt');
  expect(readFileSync(join(folder, 'report.txt'), 'utf8')).toBe(piped);
});

describe('evaldiff report of a folder', () => {
  test.each([
    ['itself', 'link', '.'],
    ['the folder above it', 'runs/link', '..'],
    ['a folder of results', 'latest', 'runs/first'],
    ['itself by another link', 'runs/first/link', '../../runs'],
    ['the root of the file system', 'runs/link', '/'],
  ])('reads each result once if a link leads to %s', async (_where, path, to) => {
    const folder = temporaryFolder('links');
    mkdirSync(join(folder, 'runs/first'), { recursive: true });
    writeFileSync(join(folder, 'runs/first/result.json'), JSON.stringify(regression()));
    symlinkSync(to, join(folder, path));
    const { code, out } = await commandIn(folder, ['report', '.', '--format', 'terminal']);
    const alone = await commandIn(folder, [
      'report',
      'runs/first/result.json',
      '--format',
      'terminal',
    ]);
    expect([code, out]).toEqual([alone.code, alone.out]);
  });
});

describe('evaldiff run --report', () => {
  test('writes a sweep (full run) in the layout of the tool llmeval, which evaldiff report can read', async () => {
    const shop = await openShop({
      references: 2,
      answer: ({ model }) => ({ text: model === 'model-1' ? 'Yes, 5' : 'No idea' }),
      settings: '  n: { provider: openai, endpoint: local, model: model-2 }\n',
    });
    const ran = await shop.evaldiff('run', 'model=m,n', 'n_tries=2', '--report', 'out');
    expect(ran.err).toContain('sweep: 2 model = 2 combinations\n');
    const folder = join(shop.repository.directory, 'out');
    const [day, time, ...more] = entriesBelow(join(folder, 'multirun')).map(({ path }) => path);
    expect([day, time, more.length]).toEqual([
      expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
      expect.stringMatching(/^\d{4}-\d{2}-\d{2}\/\d{2}-\d{2}-\d{2}$/),
      6,
    ]);
    expect(Object.keys(filesBelow(join(folder, 'multirun', time ?? '')))).toEqual([
      '0/report-0.yaml',
      '0/report-1.yaml',
      '1/report-0.yaml',
      '1/report-1.yaml',
    ]);
    expect(
      parse(readFileSync(join(folder, 'multirun', time ?? '', '0/report-1.yaml'), 'utf8')),
    ).toEqual({
      prompts: {
        tests: {
          metrics: [{ name: 'has', uses: 'contains', with: { value: '5' } }],
          references: ['question 0', 'question 1'].map((q, index) => ({
            id: `r${index}`,
            input: { q },
            expected: '5',
            actual: 'Yes, 5',
            metrics: { has: { metric: 1, result: 'pass', skipped: false } },
            duration: expect.any(Number),
          })),
        },
        name: 'ask',
        model: 'm',
        variables: [{ name: 'q' }],
        messages: [{ role: 'human', content: 'Answer: {q}' }],
      },
      n_tries: 2,
      version: null,
    });
    const { code, out } = await shop.evaldiff('report', 'out/multirun', '--format', 'markdown');
    expect(code).toBe(1);
    expect(out).toContain('✗ ask');
    expect(out.match(/<tr>/g)).toHaveLength(5);
    expect((await shop.evaldiff('report', 'out/result.json')).out).toContain('Evaluated');
    // The folder counts as one result, because its runs have the same answers.
    expect((await shop.evaldiff('report', 'out')).out).toBe(
      (await shop.evaldiff('report', 'out/result.json')).out,
    );
    expect((await shop.evaldiff('report', 'out/result.json', '--tables')).out).toMatch(
      /Status +model +q +Expected +Actual #0 +has \(metric\) #0/,
    );
  });
});

const PASSES: Readonly<Record<string, number[]>> = {
  'model-1': [3, 3, 2, 3, 1, 3],
  'model-2': [1, 2, 2, 0, 1, 3],
};
const TRIES = 3;

describe('evaldiff report of two results', () => {
  const compared = async () => {
    const asked = new Map<string, number>();
    const shop = await openShop({
      references: 6,
      answer: ({ model, messages }) => {
        const question = /question (\d)/.exec(JSON.stringify(messages))?.[1] ?? '';
        const key = `${model} ${question}`;
        const before = asked.get(key) ?? 0;
        asked.set(key, before + 1);
        return { text: before < (PASSES[model]?.[Number(question)] ?? 0) ? 'Yes, 5' : 'No' };
      },
      settings: '  n: { provider: openai, endpoint: local, model: model-2 }\n',
    });
    await shop.evaldiff('run', `n_tries=${TRIES}`, '--report', 'one');
    await shop.evaldiff('run', `n_tries=${TRIES}`, 'model=n', '--report', 'other');
    return shop;
  };

  test('pairs references and computes a permutation test and interval that match independent calculations', async () => {
    const { evaldiff } = await compared();
    const { out } = await evaldiff('report', 'one', 'other');
    const row = out.split('\n').find((line) => line.includes('m → n'));
    expect(row?.split(/ {2,}/)).toEqual([
      'ask: m → n',
      'worse',
      '83.3 %',
      '50.0 %',
      expect.stringContaining('−33.3'),
      // Student's t with five degrees of freedom at 95 %, from a printed table.
      expect.stringMatching(/^−68\.0.* to [+]1\.4/),
      // Two-sided mid-p, by enumerating every assignment of the tries.
      '0.036',
      '6',
    ]);
  });

  test('lists suites that only one result has and compares references that both results judged', async () => {
    const { evaldiff, repository } = await compared();
    repository.write({
      'prompts/more.yaml':
        'name: more\nmodel: m\nprompt: hi\ntests: { metrics: [{ uses: contains, with: { value: "5" } }], references: [{}] }\n',
    });
    const tries = `n_tries=${TRIES}`;
    await evaldiff('run', tries, 'model=n', 'references=r0,r1', '--report', 'few');
    await evaldiff('run', tries, '--report', 'wide');
    const few = (await evaldiff('report', 'one', 'few')).out;
    expect(few).toMatch(/ask: m → n .* 2\n/);
    expect((await evaldiff('report', 'one', 'wide')).out).toContain(
      'Missing from the other result: 0 suites of the first, 1 suite of the second.',
    );
  });
});

describe('two models on one prompt', () => {
  const reworded = (prompt: string) => prompt.replace('Answer:', 'Answer this:');
  const asked = async (argv: readonly string[], settings: string, edit = reworded) => {
    const shop = await openShop({
      references: 6,
      answer: ({ model, messages }) => ({
        text: model === 'model-2' && /question [0-4]/.test(JSON.stringify(messages)) ? 'No' : '5',
      }),
      settings,
    });
    const prompt = join(shop.repository.directory, 'prompts/ask.yaml');
    const settingsFile = join(shop.repository.directory, 'evaldiff.yaml');
    writeFileSync(prompt, edit(readFileSync(prompt, 'utf8')));
    const now = readFileSync(settingsFile, 'utf8');
    writeFileSync(settingsFile, now.includes(SECOND) ? now : `${now}${SECOND}`);
    const { out } = await shop.evaldiff(...argv, 'model=m,n', '--report', 'out');
    const files = filesBelow(join(shop.repository.directory, 'out'));
    return [out, files['comment.md'] ?? '', files['report.html'] ?? ''];
  };
  const SECOND = '  n: { provider: openai, endpoint: local, model: model-2 }\n';

  test.each(['run', 'diff'])(
    'are compared on the same references in the terminal, comment and HTML report of %s',
    async (command) => {
      const outputs = await asked([command], SECOND);
      for (const said of outputs.map((text) => text.replaceAll(/\s+/g, ' '))) {
        expect(said).toContain(
          'The first is ahead of all others: on the same references, each passes less often (paired test).',
        );
        expect(said).not.toContain('overlap');
      }
    },
  );

  test("cause a message that names the missing model if base's settings define only one", async () => {
    const [terminal = ''] = await asked(['diff'], '');
    const said = terminal.replaceAll(/\s+/g, ' ');
    expect(said).toContain(
      'could be run on head only: base\'s settings do not define the model "n"',
    );
    expect(said).toMatch(/- ask \(n\): 0 of 6 tests compared; base cannot answer these/);
    expect(said).not.toContain('variable');
  });

  test('are reported as not judged, with the missing variable, if head cannot fill in the prompt', async () => {
    const [terminal = ''] = await asked(['diff'], SECOND, (prompt) =>
      prompt
        .replace('variables: [', 'variables: [{ name: nobody }, ')
        .replace('Answer:', 'Answer {nobody}:'),
    );
    expect(terminal.replaceAll(/\s+/g, ' ')).toContain(
      'Not judged the reference has no value for {nobody}: add it to its input',
    );
  });
});

describe('evaldiff report', () => {
  test('shows all tries of a reference in one row, with the columns of the tool llmeval, for any type of expected value', async () => {
    const { code, out } = await report(
      {
        [`${RUN}/0/report-0.yaml`]: llmeval('8', 'pass'),
        [`${RUN}/0/report-1.yaml`]: llmeval('9', 'fail'),
        [`${RUN}/1/report-0.yaml`]: llmeval('8', 'pass', { model: 'gpt-4' }),
      },
      'multirun',
    );
    expect(code).toBe(1);
    const [title, asked, head, , first, second] = out
      .split('\n')
      .filter((line) => line.trim() !== '');
    expect(title).toBe(`✗ math – ${RUN}`);
    expect(asked).toBe('[{"role":"human","content":"What is {a} + {b}?"}]');
    const of = (at: number) =>
      `Actual #${at} | exact_match (metric) #${at} | exact_match (pass / fail) #${at}`;
    expect([head, first, second].map((row) => row?.split(/ {2,}/).join(' | '))).toEqual([
      `Status | model | temperature | a | b | Expected | ${of(0)} | ${of(1)}`,
      'fail | gpt-3.5-turbo | 0 | 4 | 4 | 8 | 8 | true | pass | 9 | false | fail',
      'pass | gpt-4 | 0 | 4 | 4 | 8 | 8 | true | pass | – | – | –',
    ]);
  });

  test('renders the newest run if no path is given, and says where it looked if there is none', async () => {
    const older = 'multirun/2026-01-30/10-20-30';
    const { code, out } = await report({
      [`${older}/0/report-0.yaml`]: llmeval('9', 'fail'),
      [`${RUN}/0/report-0.yaml`]: llmeval('8', 'pass'),
      [`${RUN}/1/report-0.yaml`]: llmeval('8', 'pass', { model: 'gpt-4' }),
    });
    expect([code, out.includes(older)]).toEqual([0, false]);
    expect(out).toContain(`✓ math – ${RUN}`);
    expect(out).toContain('gpt-4');
    const none = await report({});
    expect(none.code).toBe(2);
    expect(none.err).toContain('this folder has none of evaldiff-report, multirun');
  });

  test('shows the duration of each try if the report has it', async () => {
    const timed = (duration: string) =>
      `      - { input: { a: 4 }, expected: "8", actual: "8", ${duration}metrics: { exact_match: { metric: true, result: pass, skipped: false } } }\n`;
    const { out } = await report(
      {
        [`${RUN}/0/report-0.yaml`]: llmeval('8', 'pass', { references: timed('duration: 1234, ') }),
        [`${RUN}/0/report-1.yaml`]: llmeval('8', 'pass', { references: timed('') }),
      },
      RUN,
    );
    expect(out).toMatch(/exact_match \(pass \/ fail\) #0 +Duration #0 +Actual #1/);
    expect(out).toMatch(/pass +1\.23 s +8/);
    expect(out).not.toContain('Duration #1');
  });

  test('exits with 0 if everything passes, shows equal references in separate rows, and has columns for all their metrics', async () => {
    const references =
      '      - { input: { a: 4, b: 4 }, expected: "8", actual: "8", metrics: { exact_match: { metric: true, result: pass, skipped: false } } }\n      - { input: { c: 1 }, actual: "x", metrics: { other: { metric: [1], result: pass, skipped: true }, exact_match: { metric: 1, result: pass, skipped: false } } }\n';
    const { code, out } = await report(
      { [`${RUN}/0/report-0.yaml`]: llmeval('8', 'pass', { references }) },
      RUN,
    );
    expect(code).toBe(0);
    expect(out).toContain('other (metric) #0');
    expect(out).toContain('pass (skipping)');
    expect(out.split('\n').filter((line) => line.startsWith('pass '))).toHaveLength(3);
  });

  test('runs roll-up code (combining tries) in the sandbox', async () => {
    const rollup = '    metrics_rollup: { name: at least one, code: "result = num_passes >= 1" }\n';
    const files = {
      [`${RUN}/0/report-0.yaml`]: llmeval('8', 'pass', { rollup }),
      [`${RUN}/0/report-1.yaml`]: llmeval('9', 'fail', { rollup }),
    };
    const { code, out } = await report(files, '.');
    expect([code, out.split('\n').find((line) => line.includes('Expected'))]).toEqual([
      0,
      expect.stringMatching(/^at least one /),
    ]);
  });

  test('does not count a reference without tries as judged or passed', async () => {
    const references = '      - { input: { a: 1 } }\n';
    const unasked = { [`${RUN}/0/report-0.yaml`]: llmeval('8', 'pass', { references }) };
    const { code, out } = await report(unasked, '.');
    expect([code, out]).toEqual([1, expect.stringMatching(/^not judged/m)]);
  });

  test('rejects files that are not results, other versions, and incompatible combinations', async () => {
    const passed = llmeval('8', 'pass');
    const two = { 'a/report-0.yaml': passed, 'b/report-0.yaml': passed };
    for (const [files, argv, words] of [
      [
        { 'report-0.yaml': 'a: 1\n' },
        ['.'],
        'report-0.yaml: is not the report of an llmeval run: it has no prompts.tests.references\n',
      ],
      [{ 'x.txt': '' }, ['.'], '.: holds neither a result.json, nor a report-<try>.yaml\n'],
      [{}, ['gone'], 'gone: does not exist, or cannot be read\n'],
      ...(existsSync('/dev/zero')
        ? [[{}, ['/dev/zero'], '/dev/zero: is neither a file nor a folder\n'] as const]
        : []),
      [two, ['.', '--format', 'html'], 'renders one result.json'],
    ] as const) {
      const { code, err } = await report({ ...files }, ...argv);
      expect([code, err]).toEqual([2, expect.stringContaining(words)]);
    }
  });
});

describe('evaldiff view', () => {
  const view = (text: string) => {
    const folder = temporaryFolder('view');
    writeFileSync(join(folder, 'result.json'), text);
    return commandIn(folder, ['view', 'result.json']);
  };
  const saved = JSON.stringify(regression());

  test('writes the page of a saved result and prints its address', async () => {
    const { code, out } = await view(saved);
    expect(code).toBe(0);
    expect(readFileSync(new URL(out.trim()), 'utf8')).toContain('<title>✗ Regressed – evaldiff');
  });

  test.each([
    [
      'of another version',
      saved.replace('"schema_version":2', '"schema_version":3'),
      'version 3; this evaldiff reads version 2',
    ],
    [
      'that is truncated',
      saved.slice(0, -9),
      'is not JSON, or is incomplete; give the result.json',
    ],
    ['of something else', '{}', 'is not a result of evaldiff'],
  ])('refuses a file %s, and says what to do', async (_what, text, words) => {
    const { code, err } = await view(text);
    expect([code, err]).toEqual([2, expect.stringContaining(words)]);
  });
});
