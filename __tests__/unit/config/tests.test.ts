import { PROMPT, TESTS, problemsOf, read, suiteFiles, suiteOf } from './tree.ts';

const suite = (tests: string, prompt = PROMPT) =>
  suiteOf({
    'evaldiff.yaml': 'grader: { model: gpt-4o, temperature: 0 }',
    ...suiteFiles(prompt, tests),
  });
const METRICS = 'metrics: [{ uses: is_json }]\n';

describe('metric with the key "every"', () => {
  const METRIC = '  - { name: kind, uses: contains, with: { value: x }, every: true }\n';
  const RECORDED =
    'references: [{ input: [{ role: user, content: q }, { role: assistant, content: a }] }]\n';
  const problems = (metrics: string, references = RECORDED, more = '') =>
    problemsOf(suiteFiles(PROMPT, `metrics:\n${metrics}${more}${references}`));

  test.each([
    ['every: true', 0.5],
    ['every: 0.9', 0.9],
    ['every: 1', 1],
    ['every: false', undefined],
  ])('written as %s requires this share of the turns to pass: %s', async (written, share) => {
    const { tests } = await suite(
      `metrics: [{ name: kind, uses: contains, with: { value: x }, ${written} }]\n${RECORDED}`,
    );
    expect(tests.metrics[0]?.every).toBe(share);
  });

  test('is the way to require all turns, which all: true is not', async () => {
    expect(await problems('  - { uses: is_json, all: true }\n')).toEqual([
      'prompts/tests/p.yaml:2: unknown key "all" in metrics[0]; to require all turns to pass, write every: 1',
    ]);
  });

  test('is rejected for single answers', async () => {
    expect(await problems(METRIC, 'references: [{ input: { a: 1 } }]\n')).toEqual([
      'prompts/tests/p.yaml:2: metric "kind": every judges each turn of a dialogue, but the references have only one answer each; remove `every`, use recorded dialogues (input: a list of messages), or add conversation to the suite',
    ]);
  });

  test('is rejected at level ToolCall if no dialogue has tool calls', async () => {
    const calls = '  - { uses: tool_was_called, level: toolcall, every: true }\n';
    expect(await problems(calls)).toEqual([
      'prompts/tests/p.yaml:2: metric "tool_was_called": it judges tool calls, but no recorded dialogue has any (the key tool_calls: [{ name, arguments }] of a message)',
    ]);
    const called = (call: string) =>
      `references: [{ input: [{ role: user, content: q }, { role: assistant, tool_calls: [${call}] }] }]\n`;
    expect(await problems(calls, called('{ name: plot, arguments: { x: 1 } }'))).toEqual([]);
    expect(
      await problems(
        calls,
        called('{ type: function, function: { name: plot, arguments: "{}" } }'),
      ),
    ).toEqual([]);
    expect(await problems(calls, called('{ arguments: "{}" }'))).toHaveLength(1);
  });

  test('is rejected if the metric measures the whole call, such as its latency, instead of a turn', async () => {
    expect(await problems('  - { uses: latency, with: { max: 5 }, every: true }\n')).toEqual([
      'prompts/tests/p.yaml:2: metric "latency": latency judges the whole answer, so every cannot be used with it',
    ]);
  });

  test.each(['0', '1.5', 'all', '-1'])(
    'requires a share above 0 and up to 1, not %s',
    async (written) => {
      expect(await problems(`  - { uses: is_json, every: ${written} }\n`)).toEqual([
        'prompts/tests/p.yaml:2: metrics[0].every must be true, or a number above 0 and up to 1: the share of turns that must pass',
      ]);
    },
  );
});

describe('metrics', () => {
  test('can be built-in, code or a rubric', async () => {
    const { tests } = await suiteOf({
      'evaldiff.yaml': 'grader: gpt-4o',
      'rubrics/r.yaml': 'is_polite: { prompt: "{content}", choice_scores: { YES: 1 } }',
      ...suiteFiles(
        PROMPT,
        `metrics:
  - { name: exact, uses: exact_match, with: { ignore_case: true } }
  - { name: short, code: "result = True" }
  - { name: js, language: javascript, code: "result = true", metric_level: thread, skip: true }
  - { name: polite, rubric: is_polite, threshold: 1, depends_on: [{ name: exact, metric_min_value: 1 }] }
  - is_json
references: [{ input: { a: 1 }, expected: x, metrics: [contains] }]
`,
      ),
    });
    expect(tests.references[0]?.metrics).toMatchObject([
      { name: 'contains', source: { kind: 'built-in', uses: 'contains', with: {} } },
    ]);
    expect(tests.metrics).toMatchObject([
      {
        name: 'exact',
        source: { kind: 'built-in', uses: 'exact_match', with: { ignore_case: true } },
        level: 'Turn',
        skip: false,
        threshold: null,
        place: { line: 2 },
      },
      { name: 'short', source: { kind: 'code', language: 'python', code: 'result = True' } },
      { name: 'js', source: { kind: 'code', language: 'javascript' }, level: 'Thread', skip: true },
      {
        name: 'polite',
        source: { kind: 'rubric', rubric: 'is_polite' },
        threshold: 1,
        depends_on: [
          {
            name: 'exact',
            type: null,
            kwargs: null,
            metric_name: null,
            metric_level: null,
            relative_object_position: 0,
            metric_min_value: 1,
            metric_max_value: Number.MAX_VALUE,
          },
        ],
      },
      { name: 'is_json', source: { kind: 'built-in', uses: 'is_json', with: {} } },
    ]);
    expect(
      await problemsOf(suiteFiles(PROMPT, 'metrics: [is_jsn, 3]\nreferences: [{}]\n')),
    ).toEqual(
      expect.arrayContaining([
        expect.stringContaining(
          '1: metric "is_jsn": there is no built-in metric "is_jsn"; did you',
        ),
        expect.stringContaining('1: metrics[1] must be the name of a metric, or a map like { uses'),
      ]),
    );
  });

  test("in FlexEval's format are functions or rubrics, depending on the list that contains them", async () => {
    const { tests } = await suiteOf({
      'evaldiff.yaml': 'grader: gpt-4o',
      'rubrics/r.yaml': 'is_polite: { prompt: "{content}", choice_scores: { YES: 1 } }',
      ...suiteFiles(
        PROMPT,
        'metrics:\n  function: [{ name: exact_match, kwargs: { trim: true } }]\n  rubric: [{ name: is_polite, metric_level: Message }]\nreferences: [{ input: { a: 1 }, expected: x }]\n',
      ),
    });
    expect(tests.metrics).toMatchObject([
      {
        name: 'exact_match',
        source: { kind: 'built-in', uses: 'exact_match', with: { trim: true } },
      },
      { name: 'is_polite', source: { kind: 'rubric', rubric: 'is_polite' }, level: 'Message' },
    ]);
  });
});

describe('depends_on', () => {
  const metrics = (lines: string) =>
    problemsOf(
      suiteFiles(PROMPT, `metrics:\n${lines}\nreferences: [{ input: { a: 1 }, expected: x }]\n`),
    );
  const on = (entry: string) => `depends_on: [${entry}]`;

  test.each([
    [
      'may name the built-in that a metric uses',
      `- { name: a, uses: exact_match }\n- { name: b, uses: is_json, ${on('{ name: exact_match }')} }`,
      null,
    ],
    [
      'prefers a metric with that name',
      `- { name: is_json, uses: exact_match }\n- { name: b, uses: is_json }\n- { name: c, code: x, ${on('{ name: is_json }')} }`,
      null,
    ],
    [
      'may be narrowed by kwargs',
      `- { name: a, uses: exact_match, with: { trim: true } }\n- { name: b, uses: exact_match }\n- { name: c, code: x, ${on('{ name: exact_match, kwargs: { trim: true } }')} }`,
      null,
    ],
    [
      'is rejected if two metrics match',
      `- { name: a, uses: exact_match, with: { trim: true } }\n- { name: b, uses: exact_match }\n- { name: c, code: x, ${on('{ name: exact_match }')} }`,
      '4: metric "c": depends_on "exact_match" matches 2 metrics (a, b); write the name of one, or add kwargs, type or metric_level',
    ],
    [
      'is rejected if no metric matches',
      `- { name: aaa, uses: exact_match }\n- { name: b, code: x, ${on('{ name: aab }')} }`,
      '3: metric "b": depends_on "aab" matches no metric of this file; did you mean "aaa"?',
    ],
    [
      'is rejected if the type differs',
      `- { name: a, uses: exact_match }\n- { name: b, code: x, ${on('{ name: a, type: rubric }')} }`,
      '3: metric "b": depends_on "a" matches no metric of this file of that type, level and kwargs',
    ],
    [
      'may be on a coarser level',
      `- { name: a, uses: exact_match, level: Thread }\n- { name: b, uses: tool_was_called, level: ToolCall, ${on('{ name: a }')} }`,
      null,
    ],
    [
      'is rejected on a finer level',
      `- { name: a, uses: exact_match, level: Message }\n- name: b\n  code: x\n  depends_on:\n    - { name: a }`,
      '6: metric "b": depends_on "a" judges at level Message, which is a smaller part than this metric\'s Turn',
    ],
    [
      'is rejected in a cycle',
      `- { name: a, uses: is_json, ${on('{ name: c }')} }\n- { name: b, uses: is_json, ${on('{ name: a }')} }\n- { name: c, code: x, ${on('{ name: b }')} }`,
      '3: depends_on forms a cycle: a -> c -> b -> a',
    ],
    [
      'is rejected for the metric itself',
      `- { name: a, uses: is_json, ${on('{ name: a }')} }`,
      '2: depends_on forms a cycle: a -> a',
    ],
    [
      'is rejected for a later object',
      `- { name: a, uses: is_json }\n- { name: b, code: x, ${on('{ name: a, relative_object_position: 1 }')} }`,
      '3: metrics[1].depends_on[0].relative_object_position must be 0 or a negative whole number',
    ],
  ])('is validated: it %s', async (_, lines, problem) => {
    expect(await metrics(lines)).toEqual(
      problem === null ? [] : [`prompts/tests/p.yaml:${problem}`],
    );
  });
});

describe('level of a metric', () => {
  const metrics = (line: string) =>
    problemsOf({
      'evaldiff.yaml': 'grader: g',
      'rubrics/r.yaml': 'r: { prompt: "{content}", choice_scores: { YES: 1 } }',
      ...suiteFiles(PROMPT, `metrics:\n${line}\nreferences: [{ input: { a: 1 }, expected: x }]\n`),
    });

  test.each([
    '{ uses: count_messages, level: Thread }',
    '{ uses: is_role, with: { role: assistant }, metric_level: message }',
    '{ uses: tool_call_match, level: ToolCall }',
    '{ uses: count_tool_calls_by_name, level: toolcall }',
    '{ rubric: r, level: ToolCall }',
  ])('is accepted for %s', async (metric) => {
    expect((await metrics(`  - ${metric}`)).filter((problem) => problem.includes('level'))).toEqual(
      [],
    );
  });

  test('is rejected at its line if the metric cannot judge that level', async () => {
    expect(await metrics('  - uses: exact_match\n    level: ToolCall')).toEqual([
      'prompts/tests/p.yaml:3: metric "exact_match": exact_match cannot judge level ToolCall; it can judge Message, Turn, Thread',
    ]);
    expect(await metrics('  - name: c\n    code: x\n    metric_level: ToolCall')).toEqual([
      'prompts/tests/p.yaml:4: metric "c": code cannot judge level ToolCall; it can judge Message, Turn, Thread',
    ]);
  });
});

describe("roll-up of a test's tries", () => {
  test.each([
    ['', { kind: 'named', policy: 'all' }],
    ['metrics_rollup: majority\n', { kind: 'named', policy: 'majority' }],
    ['metrics_rollup: { name: any }\n', { kind: 'named', policy: 'any' }],
    ['metrics_rollup: { name: at_least, k: 3 }\n', { kind: 'at_least', k: 3 }],
    ['metrics_rollup: { name: pass_rate, min: 0.8 }\n', { kind: 'pass_rate', min: 0.8 }],
    [
      'metrics_rollup: { name: "majority", code: "result = num_passes > num_fails" }\n',
      {
        kind: 'code',
        name: 'majority',
        language: 'python',
        code: 'result = num_passes > num_fails',
        at: { file: 'prompts/tests/p.yaml', line: 1, linewise: true },
        place: { file: 'prompts/tests/p.yaml', line: 1 },
      },
    ],
  ])('is parsed from the line %j', async (line, rollup) => {
    expect((await suite(`${line}${TESTS}`)).tests.rollup).toEqual(rollup);
  });
});

describe('references', () => {
  const ids = async (list: string) =>
    (await suite(`${METRICS}references:\n${list}`)).tests.references.map(({ id }) => id);

  test('get an id that depends on their input but not on the expected value, and duplicates get a number', async () => {
    const [first, same, other, typed] = await ids(
      '  - { input: { a: 1, b: x }, expected: p }\n  - { expected: q, input: { b: x, a: 1 } }\n  - { input: { a: 2 } }\n  - { input: { a: "1", b: x } }\n',
    );
    expect(first).toMatch(/^[0-9a-f]{10}$/);
    expect(same).toBe(`${first}-2`);
    expect(new Set([first, other, typed]).size).toBe(3);
    expect(await ids('  - { input: { a: 2 } }\n  - { input: { b: x, a: 1 } }\n')).toEqual([
      other,
      first,
    ]);
  });

  test('keep an id from the file, and generated ids do not collide with it', async () => {
    const [made] = await ids('  - { input: { a: 1 } }\n');
    expect(
      await ids(
        `  - { id: four, input: { a: 4 } }\n  - { id: 7, input: { a: 5 } }\n  - { id: ${made}, input: { a: 6 } }\n  - { input: { a: 1 } }\n`,
      ),
    ).toEqual(['four', '7', made, `${made}-2`]);
  });

  test('keep messages after the last recorded answer separate if do_completion (a new answer) is false', async () => {
    const of = async (completes: string) => {
      const { tests } = await suite(
        `${METRICS}${completes}references:\n  - { input: [{ role: user, content: q }, { role: assistant, content: a }, { role: user, content: more }] }\n`,
      );
      return tests.references.map(({ thread, after }) =>
        [thread, after].map((messages) => messages?.map(({ content }) => content)),
      );
    };
    expect(await of('do_completion: false\n')).toEqual([[['q', 'a'], ['more']]]);
    expect(await of('do_completion: true\n')).toEqual([[['q', 'a', 'more'], undefined]]);
    expect(await of('')).toEqual([[['q', 'a', 'more'], undefined]]);
  });

  test('contain all keys of the file, and may have a recorded dialogue as input', async () => {
    const { tests } = await suite(`${METRICS}references:
  - { input: { a: true, extra: 1.5 }, expected: { k: [1] }, skip: True, tags: [x, y], n_tries: 4 }
  - { input: [{ role: user, content: hi, id: 3 }, { role: tool, content: t }, { role: ai, content: ho }], tags: z }
`);
    expect(tests.references).toMatchObject([
      {
        input: { a: true, extra: 1.5 },
        expected: { k: [1] },
        skip: true,
        tags: ['x', 'y'],
        n_tries: 4,
        thread: null,
        problem: null,
      },
      {
        input: {},
        thread: [
          { role: 'user', content: 'hi' },
          { role: 'tool', content: 't' },
          { role: 'assistant', content: 'ho' },
        ],
        tags: ['z'],
        expected: undefined,
        problem: null,
      },
    ]);
  });
});

describe('references_from', () => {
  const from = async (rules: string, files: Record<string, string>, prompt = PROMPT) => {
    const { project, problems } = await read({
      ...suiteFiles(prompt, `${METRICS}references_from: ${rules}\n`),
      ...files,
    });
    return {
      problems,
      rows: project.suites[0]?.tests.references.map(({ input, expected, place, problem }) => [
        `${place.file}:${place.line}`,
        input,
        expected,
        problem,
      ]),
    };
  };
  const TWO = PROMPT.replace('  - name: a\n', '  - name: a\n  - name: b\n').replace(
    '{a}',
    '{a}{b}',
  );

  test('reads variables from maps, single values or top-level keys of JSON Lines', async () => {
    const jsonl =
      '{"input": {"a": 1}, "expected": "x", "note": 2}\n\n{"input": "two", "expected": "y"}\n{"a": 3}\n';
    expect(await from('{ file: data/c.jsonl }', { 'data/c.jsonl': jsonl })).toEqual({
      problems: [],
      rows: [
        ['data/c.jsonl:1', { a: 1 }, 'x', null],
        ['data/c.jsonl:3', { a: 'two' }, 'y', null],
        ['data/c.jsonl:4', { a: 3 }, undefined, null],
      ],
    });
  });

  test('maps columns to variables, and looks for the file first in the folder of the test file', async () => {
    const files = {
      'prompts/tests/c.jsonl': '{"question": "q", "ideal": "i"}\n',
      'c.jsonl': 'not this one',
    };
    expect(
      await from('{ file: c.jsonl, map: { input: question, expected: ideal } }', files),
    ).toEqual({ problems: [], rows: [['prompts/tests/c.jsonl:1', { a: 'q' }, 'i', null]] });
    expect(
      await from('{ file: c.jsonl, map: { input: { a: question, b: ideal } } }', files, TWO),
    ).toMatchObject({
      problems: [],
      rows: [['prompts/tests/c.jsonl:1', { a: 'q', b: 'i' }, undefined, null]],
    });
  });

  test('reads CSV and TSV with variables as columns and text as cells', async () => {
    const csv =
      'id,a,b,expected,tags,skip,n_tries\r\nx,1,"two\r\nlines",e,"s, t",TRUE,3\r\n\r\n,2,3,,,,\r\n';
    const { project, problems } = await read({
      ...suiteFiles(TWO, `${METRICS}references_from: [{ file: d.csv }, { file: d.tsv }]\n`),
      'd.csv': csv,
      'd.tsv': 'a\tb\n4\t5\n',
    });
    expect(problems).toEqual([]);
    expect(project.suites[0]?.tests.references).toMatchObject([
      {
        id: 'x',
        input: { a: '1', b: 'two\nlines' },
        expected: 'e',
        tags: ['s', 't'],
        skip: true,
        n_tries: 3,
        place: { file: 'd.csv', line: 2 },
      },
      {
        input: { a: '2', b: '3' },
        expected: undefined,
        tags: [],
        skip: false,
        n_tries: null,
        place: { line: 5 },
      },
      { input: { a: '4', b: '5' }, place: { file: 'd.tsv', line: 2 } },
    ]);
  });

  test('rejects a row without messages if other rows are recorded dialogues', async () => {
    const dialogue = '{"input": [{"role": "user", "content": "q"}]}\n';
    const { problems } = await from('{ file: d.jsonl }', {
      'd.jsonl': `${dialogue}{"foo": 1}\n{"id": "x", "input": {}}\n{"a": 1}\n{"input": {"a": 1}}\n`,
    });
    const lacks =
      'has no "input", but other rows of the file have recorded dialogues as input; add a list of messages, or remove the row';
    expect(problems).toEqual([`d.jsonl:2: ${lacks}`, `d.jsonl:3: ${lacks}`]);
  });

  test('reports missing tool calls even if another row is invalid', async () => {
    const { problems } = await read({
      ...suiteFiles(
        PROMPT,
        'metrics: [{ uses: tool_was_called, level: toolcall, every: true }]\ndo_completion: false\nreferences_from: { file: d.jsonl }\n',
      ),
      'd.jsonl':
        '{"input": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]}\n{"foo": 1}\n',
    });
    expect(problems).toEqual([
      expect.stringContaining('d.jsonl:2: has no "input"'),
      expect.stringContaining('no recorded dialogue has any'),
    ]);
  });

  test('may map a column whose name contains a comma', async () => {
    const mapped = '{ file: c.csv, map: { input: { a: "question, as asked" } } }';
    expect(await from(mapped, { 'c.csv': '"question, as asked"\n1\n' })).toMatchObject({
      problems: [],
      rows: [['c.csv:2', { a: '1' }, undefined, null]],
    });
  });

  test('reports a row without a value for a variable as an error of that reference, not of the file', async () => {
    expect(await from('{ file: c.jsonl }', { 'c.jsonl': '{"a": 1}\n{"b": 1}\n' })).toMatchObject({
      problems: [],
      rows: [
        ['c.jsonl:1', { a: 1 }, undefined, null],
        [
          'c.jsonl:2',
          {},
          undefined,
          'the reference has no value for {a}: add it to its input, or remove it from the prompt',
        ],
      ],
    });
  });

  test.each([
    ['column', 'c.csv', 'id,A\n1,x\n2,y\n', 1, 'has no column "a" for {a}; did you mean "A"?'],
    [
      'column without a similar name',
      'c.csv',
      'id,q\n1,x\n2,y\n',
      1,
      'has no column "a" for {a}; known are id, q',
    ],
    [
      'member',
      'c.jsonl',
      '\n{"id": 1, "A": "x"}\n{"id": 2, "A": "y"}\n',
      2,
      'no line has "a" for {a}; did you mean "A"?',
    ],
    [
      'member of input',
      'c.jsonl',
      '{"input": {"A": "x"}}\n{"input": {"A": "y"}}\n',
      1,
      'no line has "a" for {a}; did you mean "A"?',
    ],
  ])('reports a missing %s once for the whole file', async (_, file, text, line, problem) => {
    const { project, problems } = await read({
      ...suiteFiles(PROMPT, `${METRICS}references_from: { file: ${file} }\n`),
      [file]: text,
    });
    expect(problems).toEqual([]);
    const found = { problem, problemAt: { file, line } };
    expect(project.suites[0]?.tests.references).toMatchObject([found, found]);
  });

  test.each([
    [
      'c.csv',
      'a,Expected\n1,x\n2,y\n',
      1,
      'has no column "expected", but metric exact needs one; did you mean "Expected"?',
    ],
    [
      'c.jsonl',
      '{"a": 1}\n{"a": 2}\n',
      1,
      'no line has "expected", but metric exact needs one; known are a',
    ],
  ])('reports missing expected values once: %s', async (file, text, line, problem) => {
    const { project } = await read({
      ...suiteFiles(
        PROMPT,
        `metrics: [{ name: exact, uses: exact_match }]\nreferences_from: { file: ${file} }\n`,
      ),
      [file]: text,
    });
    const found = { problem, problemAt: { file, line } };
    expect(project.suites[0]?.tests.references).toMatchObject([found, found]);
  });

  test.each([
    [
      'a missing file',
      '{ file: no.jsonl }',
      {},
      'prompts/tests/p.yaml:2: prompts/tests/no.jsonl does not exist at abc1234',
    ],
    [
      'a file outside the repository',
      '{ file: ../../../x.jsonl }',
      {},
      'prompts/tests/p.yaml:2: ../../../x.jsonl is outside the repository',
    ],
    [
      'an absolute path',
      '{ file: /etc/passwd }',
      {},
      'prompts/tests/p.yaml:2: /etc/passwd must be a relative path like data/cases.jsonl',
    ],
    [
      'an unsupported file type',
      '{ file: c.txt }',
      { 'c.txt': 'x' },
      'c.txt: must be a .jsonl, .json, .csv or .tsv file',
    ],
    [
      'a missing column',
      '{ file: c.csv, map: { expected: ideal } }',
      { 'c.csv': 'a\n1\n2\n' },
      'c.csv:1: has no column "ideal"; known are a',
    ],
    [
      'every missing column at once',
      '{ file: c.csv, map: { id: key, input: { a: question }, expected: ideal } }',
      { 'c.csv': 'a,b\n1,2\n' },
      'c.csv:1: has no column "question" or "key" or "ideal"; known are a, b',
    ],
    [
      'a comma-separated file named .tsv',
      '{ file: c.tsv }',
      { 'c.tsv': 'a,expected\n1,2\n' },
      'c.tsv:1: is separated by commas; write tabs, and put cells that contain tabs into double quotes',
    ],
  ])('rejects %s', async (_, rules, files, problem) => {
    expect((await from(rules, files)).problems).toEqual([problem]);
  });

  test.each([
    [
      'broken JSON',
      'c.jsonl',
      '{"a": 1}\n{"a": \n',
      '2: is not valid JSON; every line must be one object',
    ],
    ['a list', 'c.jsonl', '[1]', '1: must be a JSON object'],
    [
      'a duplicate key',
      'c.jsonl',
      '{"a": "x:y", "a": 2}',
      '1: has the same key twice in one object',
    ],
    [
      '__proto__',
      'c.jsonl',
      '{"a": {"__proto__": {"polluted": 1}}}',
      '1: the key "__proto__" is not allowed',
    ],
    [
      'two million brackets',
      'c.jsonl',
      `{"a": ${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`,
      '1: is nested too deep',
    ],
    [
      'a number that loses digits',
      'c.jsonl',
      '{"a": 12345678901234567890}',
      '1: has a number that is too large to be exact; quote it if it is text',
    ],
    [
      'a control character',
      'c.jsonl',
      '{"a": "\\u0007"}',
      '1: has the control character U+0007; remove it',
    ],
    [
      'a semicolon as separator',
      'c.csv',
      'a;expected\n1;2\n',
      '1: is separated by semicolons; write commas, and put cells that contain commas into double quotes',
    ],
    [
      'a ragged table',
      'c.csv',
      'a,b\n1,2\n3\n',
      '3: has 1 cell where the first row has 2; put a cell that contains a separator into double quotes',
    ],
    ['an unclosed quote', 'c.csv', 'a\n"1\n', '2: has a double quote that is not closed'],
    ['a duplicate column', 'c.csv', 'a,a\n1,2\n', '1: has the column "a" twice'],
    [
      'a column __proto__',
      'c.csv',
      'a,__proto__\n1,2\n',
      '1: the column "__proto__" is not allowed',
    ],
    [
      'a number of tries that is text',
      'c.csv',
      'a,n_tries\n1,many\n',
      '2: n_tries must be a whole number from 1 to 50',
    ],
  ])('rejects a file with %s', async (_, file, content, problem) => {
    const { problems } = await from(`{ file: ${file} }`, { [file]: content });
    expect(problems).toEqual([`${file}:${problem}`]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('rejects a single value for several variables', async () => {
    expect(
      (await from('{ file: c.jsonl }', { 'c.jsonl': '{"input": "x"}' }, TWO)).problems,
    ).toEqual([
      'c.jsonl:1: "input" is one value, but the prompt has 2 variables; name a column for each: input: { variable: column }',
    ]);
  });
});

test('quarantine and skip are read with their files and lines', async () => {
  const { tests } = await suite(
    `skip: true\n${METRICS}references: [{ id: x, input: { a: 1 } }]\nquarantine:\n  - { id: x, reason: flaky vendor, until: 2026-12-31 }\n`,
  );
  expect(tests).toMatchObject({
    skip: true,
    quarantine: [
      {
        id: 'x',
        reason: 'flaky vendor',
        until: '2026-12-31',
        place: { file: 'prompts/tests/p.yaml', line: 5 },
      },
    ],
  });
});

test("a suite's gate may set only fail_on, min_drop, tolerance, min_pass_rate, unit and metrics", async () => {
  const gated = (lines: string) =>
    suite(`${METRICS}references: [{ id: x, input: { a: 1 } }]\ngate: ${lines}\n`);
  expect(
    (await gated('{ fail_on: never, min_drop: 0.02, tolerance: 0.1, min_pass_rate: null }')).tests
      .gate,
  ).toEqual({ fail_on: 'never', min_drop: 0.02, tolerance: 0.1, min_pass_rate: null });
  expect(
    (await suite(`${METRICS}references: [{ id: x, input: { a: 1 } }]\n`)).tests,
  ).not.toHaveProperty('gate');
  await expect(gated('{ alpha: 0.5 }')).rejects.toThrow(
    /^prompts\/tests\/p\.yaml:3: unknown key "alpha" in gate; known are fail_on, min_drop, tolerance, min_pass_rate, unit, metrics$/,
  );
  expect((await gated('{ tolerance: auto }')).tests.gate).toEqual({ tolerance: 'auto' });
  await expect(gated('{ tolerance: 0 }')).rejects.toThrow(
    /gate\.tolerance must be auto, or a number above 0 .*no number of tries can rule out every drop/,
  );
  await expect(gated('{ tolerance: 2 }')).rejects.toThrow(
    /^prompts\/tests\/p\.yaml:3: gate\.tolerance must be /,
  );
});

test('a model parameter in a test file is rejected at its line', async () => {
  const misplaced = async (key: string) =>
    problemsOf(suiteFiles(PROMPT, `${key}: x\n${METRICS}references: [{ input: { a: 1 } }]\n`));
  const where =
    "write a model and its parameters into the prompt's file, or under sweep in the settings file";
  for (const key of ['model', 'temperature', 'max_tokens'])
    expect(await misplaced(key)).toEqual([
      `prompts/tests/p.yaml:1: unknown key "${key}"; ${where}`,
    ]);
  expect((await misplaced('metrix')).join()).toMatch(
    /unknown key "metrix"; did you mean "metrics"/,
  );
});

describe('clusters of references', () => {
  test('are read from references and from columns', async () => {
    const written = await suite(
      `${METRICS}references: [{ input: { a: 1 }, cluster: letter }, { input: { a: 2 }, cluster: letter }, { input: { a: 3 } }]\n`,
    );
    expect(written.tests.references.map(({ cluster }) => cluster)).toEqual([
      'letter',
      'letter',
      undefined,
    ]);
    const { project, problems } = await read({
      ...suiteFiles(
        PROMPT,
        `${METRICS}references_from: [{ file: d.csv, map: { cluster: template } }]\n`,
      ),
      'd.csv': 'a,template\n1,letter\n2,letter\n3,\n',
    });
    expect(problems).toEqual([]);
    expect(project.suites[0]?.tests.references.map(({ cluster }) => cluster)).toEqual([
      'letter',
      'letter',
      undefined,
    ]);
  });

  test('with only one reference are rejected as probable misspellings', async () => {
    await expect(
      suite(
        `${METRICS}references:\n  - { input: { a: 1 }, cluster: letter }\n  - { input: { a: 2 }, cluster: leter }\n  - { input: { a: 3 }, cluster: letter }\n`,
      ),
    ).rejects.toThrow(
      /^prompts\/tests\/p\.yaml:4: the cluster "leter" has only this reference; give all references with the same template the same cluster, or remove it$/,
    );
  });
});
