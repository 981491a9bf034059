import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerText } from '../../../../src/report/answers/text.ts';
import type { Script } from '../../../stand-ins/models/server.ts';
import { openShop, type Shop, type ShopOptions } from '../../../unit/app/commands/shop.ts';

const GPT = '  gpt-4o: { provider: openai, endpoint: local, model: model-1 }\n';
const LISTED = 'prompts: promptfooconfig.yaml\n';

/** A project with these files. The model calls `answer` with the request as JSON. */
async function opened(
  files: Record<string, string>,
  answer: (sent: string) => string = () => 'Yes, 5',
  { settings = `${GPT}${LISTED}`, ...more }: ShopOptions = {},
) {
  const script: Script = ({ messages }) => ({ text: answer(JSON.stringify(messages)) });
  const shop = await openShop({ answer: script, settings, ...more });
  shop.repository.commit('files', files);
  return shop;
}
const write = (of: Shop, files: Record<string, string>) => {
  for (const [path, text] of Object.entries(files))
    writeFileSync(join(of.repository.directory, path), text);
};

const config = (first: string) => `prompts: ['Answer: {{q}}']
providers: ['openai:chat:gpt-4o']
tests:
  - { description: long enough, vars: { q: one }, assert: [{ type: javascript, value: "output.length > context.vars.q.length" }, { type: icontains, value: ${first} }] }
  - { description: numbers, vars: { q: [two, three] }, assert: [{ type: python, value: "'5' in output" }] }
`;

describe('a promptfoo configuration evaluated directly', () => {
  test('is judged by its own assertions, and a changed assertion reruns only its own test', async () => {
    const here = await opened({ 'promptfooconfig.yaml': config('yes') }, (sent) =>
      sent.includes('three') ? 'No idea' : 'Yes, 5',
    );
    const result = await here.result('run', 'n_tries=1', '--fail-on', 'failure');
    expect(result.problems).toEqual([]);
    const [suite] = result.suites;
    expect(
      suite?.references.map(({ file, line, input, head }) => [
        file,
        line,
        input['q'],
        head?.rollup,
        head?.tries[0]?.scores.map(({ metric, status }) => `${metric} ${status}`),
      ]),
    ).toEqual([
      ['promptfooconfig.yaml', 4, 'one', 'pass', ['javascript pass', 'icontains pass']],
      ['promptfooconfig.yaml', 5, 'two', 'pass', ['python pass']],
      ['promptfooconfig.yaml', 5, 'three', 'fail', ['python fail']],
    ]);
    write(here, { 'promptfooconfig.yaml': config('nowhere') });
    const changed = await here.result('diff', '--base', 'HEAD');
    expect(changed.problems).toEqual([]);
    expect(changed.suites[0]?.references.map(({ id, status }) => [id, status])).toEqual([
      ['long enough', 'edited'],
    ]);
  });
});

describe("promptfoo's assertion `similar` without a key", () => {
  const COMPARED = `prompts: ['Answer: {{q}}']
providers: ['openai:chat:gpt-4o']
tests:
  - vars: { q: one }
    assert:
      - { type: icontains, value: yes }
      - { type: similar, value: 'Yes, 5', threshold: 0.9 }
`;

  test('is an error that names the line, the missing environment variable and a solution, whether evaluated directly or converted', async () => {
    const { evaldiff, result, repository, server } = await opened({
      'promptfooconfig.yaml': COMPARED,
    });
    const validated = await evaldiff('validate');
    expect([validated.code, validated.out]).toEqual([0, expect.stringContaining('no errors')]);
    const message = expect.stringMatching(
      /^No key for provider openai: set OPENAI_API_KEY .+ The metric "similar" calls text-embedding-3-large\. .+ models: \{ "text-embedding-3-large": /,
    );
    const run = await result('run', 'n_tries=1');
    expect([run.conclusion, run.suites, run.problems]).toEqual([
      'error',
      [],
      [{ place: { file: 'promptfooconfig.yaml', line: 7 }, message }],
    ]);
    const imported = await evaldiff('import', 'promptfooconfig.yaml');
    expect([imported.code, imported.out]).toEqual([
      0,
      expect.stringContaining('1 of 1 test, 2 of 2 assertions carried over'),
    ]);
    repository.commit('converted', {
      'evaldiff.yaml': `models:\n${GPT}prompts: ['prompts/promptfoo*.yaml']\n`,
    });
    const converted = await result('run', 'n_tries=1');
    const place = { file: expect.stringMatching(/^prompts\//), line: expect.any(Number) };
    expect([converted.conclusion, converted.problems]).toEqual(['error', [{ place, message }]]);
    expect(server.requests).toEqual([]);
  });

  test('is judged if the settings name a server that computes embeddings', async () => {
    const { result } = await opened({ 'promptfooconfig.yaml': COMPARED }, undefined, {
      settings: `${GPT}  text-embedding-3-large: { provider: openai, endpoint: local, model: vectors }\n${LISTED}`,
    });
    const run = await result('run', 'n_tries=1');
    expect(run.problems).toEqual([]);
    expect(
      run.suites[0]?.references[0]?.head?.tries[0]?.scores.map(
        ({ metric, status }) => `${metric} ${status}`,
      ),
    ).toEqual(['icontains pass', 'similar pass']);
  });
});

describe('a promptfoo check that throws when the answer is not JSON', () => {
  const asks = (words: string) => `prompts: ['${words}: {{q}}']
providers: ['openai:chat:gpt-4o']
defaultTest: { assert: [{ type: javascript, value: 'JSON.parse(output).ok === true' }] }
tests:
  - { vars: { q: [${Array.from({ length: 20 }, (_, index) => `"q${index}."`).join(', ')}] } }
`;

  /**
   * Base answers in JSON. Head answers with prose to the first `broken` of 20 tests, on every try.
   */
  async function compare(broken: number) {
    const { repository, result } = await opened(
      { 'promptfooconfig.yaml': asks('Old') },
      (sent) => {
        const index = Number(/q(\d+)\./.exec(sent)?.[1]);
        return sent.includes('New') && index < broken ? 'Sure, fine!' : '{"ok": true}';
      },
      { price: '' },
    );
    repository.commit('head', { 'promptfooconfig.yaml': asks('New') });
    return result('diff', '--base', 'HEAD~1', 'n_tries=3');
  }

  test.each([
    [6, 'Regressed: promptfooconfig 100 → 70 %: 6 of 20 tests broke'],
    [2, 'Regressed: promptfooconfig 100 → 90 %: 2 of 20 tests broke'],
  ])(
    'is a regression when %i of 20 answers break, and no try counts as an error',
    async (broken, title) => {
      const { conclusion, title: said, problems, suites } = await compare(broken);
      expect([conclusion, said, problems]).toEqual(['failure', title, []]);
      const heads = suites[0]?.references.map(({ status, head }) => [
        status,
        head?.rollup,
        head?.tries.map(({ error, scores }) => error ?? scores[0]?.status),
      ]);
      expect(heads).toEqual(
        Array.from({ length: 20 }, (_, index) =>
          index < broken
            ? ['regressed', 'fail', ['fail', 'fail', 'fail']]
            : ['unchanged', 'pass', ['pass', 'pass', 'pass']],
        ),
      );
    },
  );
});

test('a promptfoo check whose value is a function fails as in promptfoo, and the reason explains this', async () => {
  const { result } = await opened({
    'promptfooconfig.yaml': `prompts: ['Answer: {{q}}']
providers: ['openai:chat:gpt-4o']
tests:
  - vars: { q: one }
    assert: [{ type: javascript, value: "output => output.includes('Yes')" }]
`,
  });
  const { suites } = await result('run', 'n_tries=1');
  expect(suites[0]?.references[0]?.head?.tries[0]?.scores).toEqual([
    expect.objectContaining({
      status: 'fail',
      raised: true,
      reason: expect.stringContaining('it gives a function that is never called'),
    }),
  ]);
});

test('promptfoo checks that do not compile fail on both sides, and other checks still judge', async () => {
  const asks = (words: string) => `prompts: ['${words}: {{q}}']
providers: ['openai:chat:gpt-4o']
tests:
  - { vars: { q: one }, assert: [{ type: javascript, value: 'return output.length > 3' }] }
  - { vars: { q: two }, assert: [{ type: python, value: 'len(output' }] }
${Array.from({ length: 18 }, (_, at) => `  - { vars: { q: q${at} }, assert: [{ type: contains, value: Yes }] }\n`).join('')}`;
  const { repository, result } = await opened(
    { 'promptfooconfig.yaml': asks('Old') },
    (sent) => (sent.includes('Bad') ? 'No.' : 'Yes.'),
    { price: '' },
  );
  repository.commit('same', { 'promptfooconfig.yaml': asks('New') });
  const same = await result('diff', '--base', 'HEAD~1', 'n_tries=2');
  const [one, two] = same.suites[0]?.references ?? [];
  const statesOf = (reference: typeof one) => [
    reference?.status,
    ...[reference?.base, reference?.head].map((side) => side?.tries[0]?.scores[0]?.status),
  ];
  expect([same.problems, same.conclusion]).toEqual([[], 'success']);
  expect([one, two].map(statesOf)).toEqual([
    ['unchanged', 'fail', 'fail'],
    ['unchanged', 'fail', 'fail'],
  ]);
  expect(same.notices.map(({ message }) => message)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(
        /"javascript" does not compile, so it fails .*: SyntaxError at promptfooconfig\.yaml:4/,
      ),
      expect.stringMatching(
        /"python" does not compile, so it fails .*: SyntaxError at promptfooconfig\.yaml:5/,
      ),
    ]),
  );
  repository.commit('bad', { 'promptfooconfig.yaml': asks('Bad') });
  const bad = await result('diff', '--base', 'HEAD~1', 'n_tries=2');
  expect([bad.problems, bad.conclusion]).toEqual([[], 'failure']);
});

describe('a FlexEval run evaluated directly', () => {
  const RUN = `data_sources: [{ type: file, path: data/lessons.jsonl }]
eval:
  do_completion: true
  metrics:
    function:
      - { name: is_role, kwargs: { role: assistant } }
      - { name: string_length, depends_on: [{ name: is_role, metric_name: assistant, metric_min_value: 1 }] }
    rubric:
      - { name: is_request_for_plot, depends_on: [{ name: string_length, metric_min_value: 5 }] }
  completion_llm: { function_name: lm_studio_completion, kwargs: { model_name: model-1, endpoint: "http://local/v1" } }
  grader_llm: { function_name: lm_studio_completion, kwargs: { model_name: judge, endpoint: "http://local/v1" } }
`;
  const DATA = ['Draw x squared.', 'Hello.']
    .map((content) =>
      JSON.stringify({
        input: [
          { role: 'system', content: 'Teach.' },
          { role: 'user', content },
          { role: 'assistant', content: 'an old answer' },
        ],
      }),
    )
    .join('\n');

  test('completes and grades dialogues, and judges a changed rubric file without new answers', async () => {
    const shop = await openShop({
      settings: 'prompts: lessons.yaml\n',
      answer: ({ model, messages }) => ({
        text:
          model === 'judge'
            ? `{"reasons": "r", "choice": "${JSON.stringify(messages).includes('Shall I draw') ? 'YES' : 'NO'}"}`
            : JSON.stringify(messages).includes('Draw')
              ? 'Shall I draw it?'
              : 'Hi.',
      }),
    });
    shop.repository.commit('flexeval', { 'lessons.yaml': RUN, 'data/lessons.jsonl': DATA });
    const result = await shop.result('run', 'n_tries=1', '--fail-on', 'never');
    expect(result.problems).toEqual([]);
    const tries = result.suites[0]?.references.map(({ head }) => head?.tries[0]);
    expect(
      tries?.map((each) => [
        answerText({ parts: each?.parts ?? null }),
        each?.outcome,
        each?.scores.map(
          ({ metric, status, skip }) => `${metric} ${status}${skip ? ' (skip)' : ''}`,
        ),
      ]),
    ).toEqual([
      [
        'Shall I draw it?',
        // The rubric defines no passing label, so it does not gate.
        'skipped',
        ['is_role pass (skip)', 'string_length pass (skip)', 'is_request_for_plot pass (skip)'],
      ],
      [
        'Hi.',
        'skipped',
        ['is_role pass (skip)', 'string_length pass (skip)', 'is_request_for_plot skipped (skip)'],
      ],
    ]);
    expect(
      shop.server.requests
        .filter(({ model }) => model === 'model-1')
        .map(({ messages }) => messages.map(({ role }) => role)),
    ).toEqual([
      ['system', 'user'],
      ['system', 'user'],
    ]);
    const before = shop.server.requests.length;
    writeFileSync(
      join(shop.repository.directory, 'lessons.yaml'),
      RUN.replace('metric_min_value: 5', 'metric_min_value: 1'),
    );
    const changed = await shop.result('diff', '--base', 'HEAD', 'n_tries=1');
    expect(changed.problems).toEqual([]);
    expect(changed.scoring).toHaveLength(1);
    expect(shop.server.requests.slice(before).map(({ model }) => model)).toEqual(['judge']);
  });
});

describe('the reason for a run of a promptfoo configuration', () => {
  const files = (prompt: string, check: string, rows: string, doc = 'old') => ({
    'vars/doc.txt': doc,
    'vars/s.txt': 'shared',
    'promptfooconfig.yaml':
      "prompts: [file://p/a.txt]\nproviders: ['openai:chat:gpt-4o']\ndefaultTest: { vars: { s: file://vars/s.txt }, assert: [{ type: javascript, value: file://checks/long.js }] }\ntests: [file://cases/rows.csv, { vars: { q: three, doc: file://vars/doc.txt } }]\n",
    'p/a.txt': prompt,
    'checks/long.js': check,
    'cases/rows.csv': rows,
  });
  const CHECK = 'module.exports = (output) => output.length > 1;\n';
  const ROWS = 'q,__expected\none,contains: 5\ntwo,contains: 5\n';

  test.each([
    ['the prompt', files('Say: {{q}} {{doc}}', CHECK, ROWS), ['messages (p/a.txt)'], 3],
    [
      "a variable's text",
      files('Answer: {{q}} {{doc}}', CHECK, ROWS, 'new'),
      ['references (vars/doc.txt)'],
      1,
    ],
    [
      "a check's code",
      files('Answer: {{q}} {{doc}}', CHECK.replace('1', '2'), ROWS),
      ['references (checks/long.js)'],
      3,
    ],
    [
      'a row',
      files('Answer: {{q}} {{doc}}', CHECK, ROWS.replace('two,contains: 5', 'two,contains: Y')),
      ['references (cases/rows.csv)'],
      1,
    ],
  ])('names the file whose change caused it: %s', async (_, head, because, count) => {
    const here = await opened(files('Answer: {{q}} {{doc}}', CHECK, ROWS));
    write(here, head);
    const result = await here.result('diff', '--base', 'HEAD', 'n_tries=1');
    expect(result.problems).toEqual([]);
    expect(
      result.suites.map((suite) => [
        suite.because.map(({ key, file }) => `${key} (${file})`),
        suite.references.length,
      ]),
    ).toEqual([[because, count]]);
  });
});

const onLessons = (files: Record<string, string>, answer: (sent: string) => string) =>
  opened(files, answer, { settings: 'prompts: lessons.yaml\n' });

describe('recorded FlexEval dialogues', () => {
  /** Speakers of three lessons as FlexEval records them, with 39 tutor turns in all. */
  const LESSONS = ['AUAUAAUAUAUAUAU', `${'AU'.repeat(15)}A`, `${'AU'.repeat(15)}A`];
  const DATA = LESSONS.map((sides, lesson) =>
    JSON.stringify({
      topic: `lesson ${lesson}`,
      input: [
        { role: 'system', content: 'Teach.' },
        ...[...sides].map((side, at) => ({
          role: side === 'A' ? 'assistant' : 'user',
          content: `${side === 'A' ? 'Tutor' : 'Student'} says ${at} of ${lesson}.`,
        })),
      ],
    }),
  ).join('\n');
  const RUN = `data_sources: [{ type: file, path: data/lessons.jsonl }]
rubric_paths: [rubrics.yaml]
eval:
  do_completion: false
  metrics:
    function:
      - { name: is_role, kwargs: { role: assistant } }
      - { name: index_in_thread }
    rubric:
      - { name: teaches, depends_on: [{ name: is_role, metric_name: assistant, metric_min_value: 1 }] }
  grader_llm: { function_name: lm_studio_completion, kwargs: { model_name: judge, endpoint: "http://local/v1" } }
`;
  const rubrics = (words: string) =>
    `teaches: { prompt: "${words} {content}", choice_scores: { "YES": 1, "NO": 0 }, better: higher }\n`;

  test('are measured by functions from files, which run in the sandbox and can read all fields of the recording', async () => {
    const run = (names: string) =>
      `data_sources: [{ path: data/lessons.jsonl }]\nfunction_modules: [my/functions.py]\neval:\n  metrics:\n    function: ${names}\n`;
    const files = {
      'lessons.yaml': run(
        '[{ name: asks }, { name: words, kwargs: { least: 5 } }, { name: counts, metric_level: Thread }, { name: is_last_turn_in_thread }, { name: count_llm_models, metric_level: Thread }]',
      ),
      'my/functions.py': `import re

def asks(turn: str) -> int:
    return int("?" in turn)

def words(turn: list, least: int) -> list:
    return [{"name": "long", "value": sum(len(re.findall(r"\\w+", one["content"])) >= least for one in turn)}]

def counts(thread):
    return {"messages": len(thread.messages), "level": thread.metadata["level"]}
`,
      'data/lessons.jsonl': `${JSON.stringify({
        level: 3,
        input: [
          { role: 'user', content: 'Why is that so, please?' },
          { role: 'assistant', content: 'Well.', model_name: 'tutor-1' },
          { role: 'user', content: 'Why?' },
          { role: 'assistant', content: 'Because it always was.', model_name: 'tutor-2' },
        ],
      })}\n`,
    };
    const { repository, result: ran } = await onLessons(files, () => 'unasked');
    const result = await ran('run', 'n_tries=1', '--fail-on', 'never');
    expect(result.problems).toEqual([]);
    expect(result.notices.filter(({ message }) => message.includes('not converted'))).toEqual([]);
    const scores = result.suites[0]?.references[0]?.head?.tries[0]?.scores ?? [];
    expect(
      scores.map(({ metric, value, objects }) => [
        metric,
        value,
        objects?.scores.map((score) => score.value),
      ]),
    ).toEqual([
      ['asks', 0.5, [1, 0, 1, 0]],
      ['words', { long: 0.25 }, [{ long: 1 }, { long: 0 }, { long: 0 }, { long: 0 }]],
      ['counts', { messages: 4, level: 3 }, [{ messages: 4, level: 3 }]],
      ['is_last_turn_in_thread', 0.25, [0, 0, 0, 1]],
      ['count_llm_models', { 'tutor-1': 1, 'tutor-2': 1 }, [{ 'tutor-1': 1, 'tutor-2': 1 }]],
    ]);
    repository.commit('packages', {
      'lessons.yaml': run('[{ name: asks }]'),
      'my/functions.py':
        'import re\nfrom flexeval.classes.turn import Turn\n\ndef asks(turn: Turn):\n    return 1\n',
    });
    const lacking = await ran('run', 'n_tries=1');
    expect(lacking.problems).toMatchObject([
      {
        place: { file: 'lessons.yaml', line: 5 },
        message:
          'metric "asks": ModuleNotFoundError at my/functions.py:2: flexeval. Packages need code: host',
      },
    ]);
  });

  test('without messages are rejected, and the error names their row', async () => {
    const { server, result } = await onLessons(
      {
        'lessons.yaml':
          'data_sources: [{ path: data/lessons.jsonl }]\neval:\n  metrics:\n    function: [{ name: string_length }]\n',
        'data/lessons.jsonl':
          '{"input": [{"role": "assistant", "content": "a"}]}\n{"messages": []}\n',
      },
      () => 'unasked',
    );
    expect((await result('run', 'n_tries=1')).problems).toEqual([
      {
        place: { file: 'data/lessons.jsonl', line: 2 },
        message: 'has no member "input"; known are messages',
      },
    ]);
    expect(server.requests).toEqual([]);
  });

  test("are graded at each of the tutor's 39 turns", async () => {
    const { server, result: run } = await onLessons(
      {
        'lessons.yaml': RUN,
        'rubrics.yaml': rubrics('Does this teach?'),
        'data/lessons.jsonl': DATA,
      },
      (sent) => `{"reasons": "r", "choice": "${sent.includes('says 20 of 1') ? 'NO' : 'YES'}"}`,
    );
    const result = await run('run', 'n_tries=1', '--fail-on', 'never');
    expect(result.problems).toEqual([]);
    expect(server.requests).toHaveLength(39);
    const [suite] = result.suites;
    expect(suite?.metrics.find(({ name }) => name === 'teaches')?.objects).toMatchObject({
      level: 'Turn',
      base: null,
      head: { passes: 38, judged: 39 },
    });
    const scores = suite?.references.map(({ head }) =>
      head?.tries[0]?.scores.find(({ metric }) => metric === 'teaches'),
    );
    expect(scores?.map((score) => [score?.status, score?.value])).toEqual([
      ['pass', 1],
      ['pass', 15 / 16],
      ['pass', 1],
    ]);
    expect(scores?.[1]?.reason).toBe('15 of 16 turns pass; turn 21: NO: r');
    const [grade] = scores?.[0]?.objects?.scores.flatMap((score) => score.grade ?? []) ?? [];
    expect(grade?.prompt).toMatch(/^Does this teach\?[^]*Tutor says 0 of 0\./);
    expect(grade?.replies).toEqual([
      {
        grader: 'judge',
        label: 'YES',
        reply: '{"reasons": "r", "choice": "YES"}',
        usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
      },
    ]);
    const first = scores?.[0]?.objects?.scores.map(({ status }) => status);
    expect(first?.map((status) => (status === 'pass' ? 'A' : '.')).join('')).toBe('A.A.A.A.A.A.A.');
  });

  test("are graded at each of the student's 37 turns on request, even if the tutor never answered the last one", async () => {
    const { server, result: run } = await onLessons(
      {
        'lessons.yaml': RUN.replaceAll('assistant', 'user').replace(
          '- { name: index_in_thread }',
          '- { name: is_last_turn_in_thread }\n      - { name: count_messages, metric_level: Thread }',
        ),
        'rubrics.yaml': rubrics('Does this ask?'),
        'data/lessons.jsonl': DATA,
      },
      () => '{"reasons": "r", "choice": "YES"}',
    );
    const result = await run('run', 'n_tries=1', '--fail-on', 'never');
    expect(result.problems).toEqual([]);
    const asked = server.requests.map(({ messages }) => JSON.stringify(messages));
    expect(asked).toHaveLength(37);
    expect(asked.filter((prompt) => prompt.includes('Student says 14 of 0.'))).toHaveLength(1);
    const scores = result.suites[0]?.references[0]?.head?.tries[0]?.scores ?? [];
    const values = (name: string) =>
      scores.find(({ metric }) => metric === name)?.objects?.scores.map(({ value }) => value);
    expect(values('count_messages')).toEqual([15]);
    expect(values('is_last_turn_in_thread')).toEqual([...Array.from({ length: 13 }, () => 0), 1]);
  });
});
