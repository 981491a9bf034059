import { PROMPT, problemsOf, suiteFiles, suiteOf } from '../../config/tree.ts';

const CONVERSATION = '  max_steps: 3\n  evaluators: [judge]\n';

const files = (references: string, instructions = '', more = '') => ({
  'evaldiff.yaml': 'models: { judge: { provider: openai, model: gpt-4o } }',
  ...suiteFiles(
    PROMPT,
    `conversation:\n${CONVERSATION}${instructions === '' ? '' : `  instructions: "${instructions}"\n`}${more}references:\n${references}`,
  ),
});

const scriptsOf = async (references: string, instructions = '') =>
  (await suiteOf(files(references, instructions))).tests.references.map(({ script }) => script);

const ref = (id: string, keys: string) => `  - { id: ${id}, input: { a: "1" }, ${keys} }\n`;

const STEP = '{ user: Hi }';

describe('the script of a reference', () => {
  test('gives values to the variables in the instructions', async () => {
    const both = ref('x', 'persona: a nurse, goal: a refund') + ref('y', 'persona: a clerk');
    expect(await scriptsOf(both, 'You are {persona}, and {{b}}. Topic: {a}')).toEqual([
      { persona: 'a nurse', goal: 'a refund', values: { persona: 'a nurse', a: '1' } },
      { persona: 'a clerk', values: { persona: 'a clerk', a: '1' } },
    ]);
  });

  test('is absent if the reference has no keys for it and the instructions have no variables', async () => {
    expect(await scriptsOf('  - { id: x, input: { a: "1" } }\n', 'Judge.')).toEqual([undefined]);
  });

  test.each([
    [
      'a persona that no reference sets',
      '  - { id: x, input: { a: "1" } }\n',
      'You are {persona}.',
      [
        'prompts/tests/p.yaml:4: conversation.instructions: no reference sets {persona}; add persona: TEXT to the references, or write {{persona}} if you mean the literal text',
      ],
    ],
    [
      'a misspelt variable',
      ref('x', 'persona: a nurse'),
      'You are {persoa}.',
      [
        'prompts/tests/p.yaml:4: conversation.instructions: no reference sets {persoa}; did you mean "persona"?; add input: { persoa: TEXT } to the references, or write {{persoa}} if you mean the literal text',
      ],
    ],
    [
      'a reference without a value for a variable',
      `${ref('x', 'persona: a nurse')}  - { id: y, input: { a: "2" } }\n`,
      'You are {persona}.',
      [
        'prompts/tests/p.yaml:7: has no value for {persona} of conversation.instructions; add persona: TEXT',
      ],
    ],
    [
      'more turns than steps',
      ref('x', `turns: [${['{}', STEP, STEP, STEP].join(', ')}]`),
      '',
      ['prompts/tests/p.yaml:5: has 4 turns; raise conversation.max_steps (3)'],
    ],
    [
      'a later turn without words of the user',
      ref('x', 'turns: [{}, {}]'),
      '',
      ['prompts/tests/p.yaml:5: each turn after the first needs the key user with a text'],
    ],
    [
      'an expectation that no metric compares with',
      ref('x', 'turns: [{ expected: Hello }]'),
      '',
      [
        'prompts/tests/p.yaml:5: turns have expected values, but no metric compares all turns with them; add one, such as { uses: contains, every: true }',
      ],
    ],
    [
      'a second opening question',
      ref('x', `turns: [${STEP}]`),
      '',
      [
        'prompts/tests/p.yaml:5: has two opening questions: the last message of the prompt, and user of the first turn; remove one of them',
      ],
    ],
    [
      'no turn in its list of turns',
      ref('x', 'turns: []'),
      '',
      [
        'prompts/tests/p.yaml:5: references[0].turns must have at least one turn; add one, or remove the key turns',
      ],
    ],
    [
      'a criterion that is a key of replies',
      ref('x', 'criteria: { analysis: short }'),
      '',
      [
        'prompts/tests/p.yaml:5: criteria: "analysis" is a reserved key of evaluator replies; choose another name',
      ],
    ],
  ])('is rejected with %s', async (_, references, instructions, wanted) => {
    expect(await problemsOf(files(references, instructions))).toEqual(wanted);
  });

  test('is rejected if labelled answers lack the variables', async () => {
    const examples = '  examples: [{ question: q, answer: a, accepted: true }]\n';
    expect(
      await problemsOf(files(ref('x', 'persona: a nurse'), 'You are {persona}.', examples)),
    ).toEqual([
      'prompts/tests/p.yaml:4: conversation.instructions: labelled answers have no value for {persona}; remove the variables, or remove examples and examples_from',
    ]);
  });

  test.each(['persona: a nurse', 'turns: [{ user: Hi }]'])(
    'is rejected in a suite without conversation: %s',
    async (keys) => {
      const [key] = keys.split(':');
      const tests = `metrics: [{ uses: is_json }]\nreferences:\n${ref('x', keys)}`;
      expect(await problemsOf(suiteFiles(PROMPT, tests))).toEqual([
        `prompts/tests/p.yaml:3: ${key ?? ''} needs the key conversation in the suite; add it`,
      ]);
    },
  );

  test('may contain expected values for the turns of a recorded dialogue in a suite without conversation', async () => {
    const recorded =
      'references: [{ input: [{ role: user, content: q }, { role: assistant, content: a }], turns: [{ expected: a }] }]\n';
    const tests = `metrics: [{ uses: contains, every: true }]\n${recorded}`;
    const suite = await suiteOf(suiteFiles(PROMPT, tests));
    expect(suite.tests.references[0]?.script).toEqual({ turns: [{ expected: 'a' }] });
  });

  const recorded = (turns: string, metric = 'uses: contains, every: true') =>
    `metrics: [{ ${metric} }]\nreferences: [{ input: [{ role: user, content: q }, { role: assistant, content: a }], turns: [${turns}] }]\n`;

  test.each([
    [
      'words of the user',
      recorded('{ user: Hi, expected: a }'),
      "a recorded dialogue already contains the user's messages; remove user from turns",
    ],
    [
      'more turns than answers',
      recorded('{ expected: a }, { expected: b }'),
      'has 2 turns, and its dialogue 1 answer',
    ],
  ])('of a recorded dialogue is rejected with %s', async (_, tests, message) => {
    expect(await problemsOf(suiteFiles(PROMPT, tests))).toEqual([
      `prompts/tests/p.yaml:2: ${message}`,
    ]);
  });

  test('is rejected if it expects a value for a turn, but no metric judges every turn', async () => {
    const tests = recorded('{ expected: a }', 'uses: contains, every: true, metric_level: Message');
    const problems = await problemsOf(suiteFiles(PROMPT, tests));
    expect(problems.join('\n')).toContain('no metric compares all turns with them');
  });

  test('can be in a row of a JSONL file', async () => {
    const rows = [{ id: 'x', input: { a: '1' }, persona: 'a nurse', turns: [{}, { user: 'Hi' }] }];
    const suite = await suiteOf({
      ...files('  []\n'),
      ...suiteFiles(
        PROMPT,
        `conversation:\n${CONVERSATION}references_from: { file: ../../d.jsonl }\n`,
      ),
      'd.jsonl': rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
    });
    expect(suite.tests.references[0]?.script).toEqual({
      persona: 'a nurse',
      turns: [{}, { user: 'Hi' }],
    });
  });
});
