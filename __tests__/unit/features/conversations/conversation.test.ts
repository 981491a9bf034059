import { createHash } from 'node:crypto';
import { conversationOf } from '../../../../src/features/conversations/answerer.ts';
import { PROMPT, problemsOf, suiteFiles, suiteOf } from '../../config/tree.ts';

const REFERENCES = 'references: [{ input: { a: 1 } }]\n';
const tests = (lines: string) =>
  suiteFiles(PROMPT, `conversation:\n  evaluators: [gpt-4o]\n${lines}\n${REFERENCES}`);
const conversation = async (lines: string, more: Record<string, string> = {}) =>
  conversationOf((await suiteOf({ ...tests(lines), ...more })).tests);

describe('conversation', () => {
  const written = async (text: string) => {
    const files = suiteFiles(PROMPT, `conversation:\n${text}${REFERENCES}`);
    const settings = 'grader: { model: gpt-4o, temperature: 0 }';
    return conversationOf((await suiteOf({ 'evaldiff.yaml': settings, ...files })).tests);
  };

  test('has three criteria and the grader as evaluator by default', async () => {
    expect(await written('  instructions: Review it.\n')).toMatchObject({
      max_steps: 5,
      instructions: 'Review it.',
      evaluators: [{ model: 'gpt-4o', parameters: { temperature: 0 } }],
      criteria: [
        { name: 'understanding', combine: 'all' },
        { name: 'correctness', combine: 'all' },
        { name: 'completeness', combine: 'any' },
      ],
    });
  });

  test('has the text of code_chat_eval, unchanged, if the instructions are its name', async () => {
    const own = await written('  instructions: code_chat_eval\n');
    const digest = createHash('sha256').update(own!.instructions!).digest('hex');
    expect(digest).toBe('ce0ffaa111ef4823c76d58db9373dc855f7b35185a6d1f8dd9e1f0f6930c782b');
    const other = await written('  instructions: code_chat_eval is good.\n');
    expect(other!.instructions).toBe('code_chat_eval is good.');
  });

  test('accepts evaluators with parameters and custom criteria', async () => {
    expect(
      await written(
        '  max_steps: 3\n  evaluators: [{ model: m, temperature: 0.3 }, n, { top_p: 1 }]\n  criteria: { done: { combine: majority }, kind: any, safe: {} }\n',
      ),
    ).toMatchObject({
      max_steps: 3,
      evaluators: [
        { model: 'm', parameters: { temperature: 0.3 } },
        { model: 'n', parameters: {} },
        { model: 'gpt-4o', parameters: { temperature: 0, top_p: 1 } },
      ],
      criteria: [
        { name: 'done', combine: 'majority' },
        { name: 'kind', combine: 'any' },
        { name: 'safe', combine: 'all' },
      ],
    });
  });
});

describe('invalid conversation', () => {
  const written = (lines: string) => suiteFiles(PROMPT, `conversation:\n${lines}\n${REFERENCES}`);

  test.each([
    [
      'without evaluators',
      '  max_steps: 5',
      '1: conversation needs at least one evaluator: evaluators: [{ model: … }]',
    ],
    [
      'with an empty list of evaluators',
      '  evaluators: []',
      '2: conversation needs at least one evaluator: evaluators: [{ model: … }]',
    ],
    [
      'with an evaluator without a model',
      '  evaluators:\n    - { temperature: 0 }',
      '3: conversation.evaluators[0]: "model" is missing',
    ],
    [
      "with a misspelt name of an evaluator's model",
      '  evaluators: [{ modl: m }]',
      '2: conversation.evaluators[0]: unknown key "modl"; did you mean "model"?',
    ],
    [
      'without steps',
      '  evaluators: [gpt-4o]\n  max_steps: 0',
      '3: conversation.max_steps must be a whole number from 1 to 50',
    ],
    [
      'with an unknown combination rule',
      '  evaluators: [gpt-4o]\n  criteria: { understanding: { combine: most } }',
      '3: conversation.criteria.understanding.combine must be one of all, any, majority',
    ],
    [
      "with an evaluator's address",
      '  evaluators:\n    - { model: gpt-4o, base_url: x }',
      '3: conversation.evaluators[0]: "base_url" may only be set in the workflow (input endpoints)',
    ],
    [
      'with an unknown key',
      '  evaluators: [gpt-4o]\n  steps: 3',
      '3: unknown key "steps" in conversation; known are max_steps, evaluators, criteria, instructions, tool_results, examples, examples_from',
    ],
  ])('is rejected: %s', async (_, lines, problem) => {
    expect(await problemsOf(written(lines))).toEqual([`prompts/tests/p.yaml:${problem}`]);
  });
});

describe('combination rules', () => {
  test.each([
    [
      'for a criterion with a reserved name',
      '  criteria:\n    is_safe: all\n    follow_up: all',
      '5: conversation.criteria: "follow_up" is a reserved key of evaluator replies; choose another name',
    ],
    ['without a criterion', '  criteria: {}', '3: criteria must name at least one criterion'],
  ])('%s are rejected at their line', async (_, lines, problem) => {
    expect(await problemsOf(tests(lines))).toEqual([`prompts/tests/p.yaml:${problem}`]);
  });

  test('do not allow a metric named conversation', async () => {
    const files = suiteFiles(
      PROMPT,
      `conversation: { evaluators: [gpt-4o] }\nmetrics:\n  - { name: conversation, uses: is_json }\n${REFERENCES}`,
    );
    expect(await problemsOf(files)).toEqual([
      'prompts/tests/p.yaml:3: metric "conversation": conversation already uses this name for one of its results; give the metric another name',
    ]);
  });
});

describe('labelled answers', () => {
  const rowsOf = (examples: Awaited<ReturnType<typeof read>>) =>
    examples?.map(({ messages, accepted, place }) =>
      [messages.at(-1)?.content, accepted, place.line].join(' '),
    );
  const read = async (lines: string, more: Record<string, string> = {}) =>
    (await conversation(lines, more))?.examples;

  test('are a question with its answer, or a dialogue that ends with an answer', async () => {
    expect(
      await read(
        '  examples:\n    - { question: How?, answer: Thus., accepted: true }\n    - { input: [{ role: human, content: A }, { role: ai, content: B }], accepted: false }',
      ),
    ).toEqual([
      {
        messages: [
          { role: 'user', content: 'How?' },
          { role: 'assistant', content: 'Thus.' },
        ],
        accepted: true,
        place: { file: 'prompts/tests/p.yaml', line: 4 },
      },
      {
        messages: [
          { role: 'user', content: 'A' },
          { role: 'assistant', content: 'B' },
        ],
        accepted: false,
        place: { file: 'prompts/tests/p.yaml', line: 5 },
      },
    ]);
  });

  test('can come from JSON Lines and CSV files with additional columns', async () => {
    const jsonl =
      '{"question": "Q1", "answer": "A1", "accepted": true, "score": 6}\n\n{"input": [{"role": "user", "content": "Q2", "id": 7}, {"role": "assistant", "content": "A2"}], "accepted": false}\n';
    const fromLines = await read('  examples_from: ../data/answers.jsonl', {
      'prompts/data/answers.jsonl': jsonl,
    });
    expect(rowsOf(fromLines)).toEqual(['A1 true 1', 'A2 false 3']);
    const fromTable = await read('  examples_from: { file: ../data/answers.csv }', {
      'prompts/data/answers.csv':
        'question,answer,accepted,score\nQ1,A1,True,6\nQ2,"A\n2",false,-3\n',
    });
    expect(rowsOf(fromTable)).toEqual(['A1 true 2', 'A\n2 false 3']);
  });

  test.each([
    [
      'without a label',
      '    - { question: How?, answer: Thus. }',
      '4: conversation.examples[0]: "accepted" is missing',
    ],
    [
      'with a label that is not true or false',
      '    - { question: How?, answer: Thus., accepted: maybe }',
      '4: conversation.examples[0].accepted must be true or false',
    ],
    [
      'without an answer',
      '    - { question: How?, accepted: true }',
      '4: a labelled answer has question and answer, or the whole dialogue as input',
    ],
    [
      'with both forms',
      '    - { question: How?, input: [{ role: ai, content: B }], accepted: true }',
      '4: a labelled answer has question and answer, or the whole dialogue as input',
    ],
    [
      'that end with a question',
      '    - { input: [{ role: ai, content: B }, { role: user, content: C }], accepted: true }',
      '4: a labelled dialogue must end with the accepted or rejected answer, a message of the assistant',
    ],
    [
      'with contradictory labels',
      '    - { question: How?, answer: Thus., accepted: true }\n    - { question: How?, answer: Thus., accepted: false }',
      '5: the same answer is labelled "accepted" at prompts/tests/p.yaml:4 and "rejected" here; keep one of the two',
    ],
  ])('%s are rejected at their line', async (_, lines, problem) => {
    expect(await problemsOf(tests(`  examples:\n${lines}`))).toEqual([
      `prompts/tests/p.yaml:${problem}`,
    ]);
  });

  test.each([
    ['csv', 'question,answer,accepted\nQ,A,true\nQ,A,5\n', 3],
    ['jsonl', '{"question": "Q", "answer": "A", "accepted": [{}]}\n', 1],
  ])('in a .%s file with an invalid label are rejected at their row', async (type, rows, line) => {
    expect(
      await problemsOf({
        ...tests(`  examples_from: ../data/a.${type}`),
        [`prompts/data/a.${type}`]: rows,
      }),
    ).toEqual([`prompts/data/a.${type}:${line}: accepted must be true or false`]);
  });
});

describe('recorded dialogues', () => {
  const ROW =
    '{"input": [{"role": "system", "content": "S"}, {"role": "user", "content": "U1", "lang": "en"}, {"role": "assistant", "content": "A1"}, {"role": "user", "content": "U2"}], "topic": "x"}\n{"input": [{"role": "human", "content": "U1"}, {"role": "ai", "content": "A1"}, {"role": "tool", "content": "T"}]}\n';
  const threads = async (line: string, rows = ROW) => {
    const { tests: read } = await suiteOf({
      ...suiteFiles(
        PROMPT,
        `${line}conversation: { evaluators: [gpt-4o] }\nreferences_from: { file: ../data/d.jsonl }\n`,
      ),
      'prompts/data/d.jsonl': rows,
    });
    return read.references.map(({ thread, problem, id }) => ({
      thread: thread?.map(({ content }) => content).join(' '),
      problem,
      id,
    }));
  };

  const said = async (line: string) => (await threads(line)).map(({ thread }) => thread);
  const problemsIn = async (line: string, rows: string) =>
    (await threads(line, rows)).map(({ problem }) => problem);

  test("are read completely from FlexEval's JSON Lines", async () => {
    expect((await threads('')).map(({ thread, problem }) => [thread, problem])).toEqual([
      ['S U1 A1 U2', null],
      ['U1 A1 T', null],
    ]);
  });

  test('end with the question if do_completion is true, and with the answer if false', async () => {
    expect(await said('do_completion: true\n')).toEqual(['S U1 A1 U2', 'U1']);
    expect(await said('do_completion: false\n')).toEqual(['S U1 A1', 'U1 A1']);
  });

  test('keep their id regardless of do_completion', async () => {
    const ids = async (line: string) => (await threads(line)).map(({ id }) => id);
    expect(await ids('do_completion: true\n')).toEqual(await ids('do_completion: false\n'));
  });

  test('without a question or answer are an error of that reference only', async () => {
    const rows =
      '{"input": [{"role": "user", "content": "U"}]}\n{"input": [{"role": "assistant", "content": "A"}]}\n{"input": []}\n';
    expect(await problemsIn('do_completion: false\n', rows)).toEqual([
      'reference 1 is a dialogue without an answer, and do_completion is false',
      null,
      'reference 3 is a dialogue without an answer, and do_completion is false',
    ]);
    expect(await problemsIn('do_completion: true\n', rows)).toEqual([
      null,
      'reference 2 is a dialogue without a question to answer',
      'reference 3 is a dialogue without a question to answer',
    ]);
    expect(await problemsIn('', rows)).toEqual([
      null,
      null,
      'reference 3 is a dialogue without a message',
    ]);
  });

  test('are rejected if do_completion is text', async () => {
    expect(
      await problemsOf(
        suiteFiles(
          PROMPT,
          `do_completion: maybe\nconversation: { evaluators: [gpt-4o] }\n${REFERENCES}`,
        ),
      ),
    ).toEqual(['prompts/tests/p.yaml:1: do_completion must be true or false']);
  });
});
