import { problemsOf, read } from './tree.ts';

const rubrics = async (
  text: string,
  file = 'rubrics/r.yaml',
  more: Record<string, string> = {},
) => {
  const { project, problems, notices } = await read({ [file]: text, ...more });
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return { list: [...project.rubrics.values()], notices };
};
const scores = (text: string) =>
  rubrics(text).then(({ list }) => [...(list[0]?.choice_scores ?? [])].flat());

describe('rubrics', () => {
  test('keep labels as written, including YES, on and 1.0', async () => {
    expect(
      await scores('r: { prompt: "{content}", choice_scores: { YES: 1, NO: 0, on: 0.5 } }'),
    ).toEqual(['YES', 1, 'NO', 0, 'on', 0.5]);
    expect(
      await scores('r:\n  prompt: "{content}"\n  choice_scores:\n    1.0: 1\n    true: 0\n'),
    ).toEqual(['1.0', 1, 'true', 0]);
  });

  test.each([
    ['threshold: 0.5', ['A', 'B']],
    ['better: lower, threshold: 0.5', ['B', 'C']],
    ['threshold: 1', ['A']],
  ])('convert %s to passing labels', async (written, pass) => {
    const { list } = await rubrics(
      `r: { prompt: "{content}", choice_scores: { A: 1, B: 0.5, C: 0 }, ${written} }`,
    );
    expect(list[0]?.pass).toEqual(pass);
  });

  test('can be a whole file without a name, as in autoevals', async () => {
    const { list } = await rubrics(
      'prompt: |\n  Is {{output}} right for {{input}}? Expert: {{expected}}\nchoice_scores: { A: 1, B: 0.4 }\n',
      'rubrics/factual.yaml',
    );
    expect(list).toMatchObject([
      {
        name: 'factual',
        prompt: 'Is {{output}} right for {{input}}? Expert: {{expected}}\n',
        eval_type: 'cot_classify',
        place: { file: 'rubrics/factual.yaml', line: 1 },
      },
    ]);
  });

  test('may have use_cot as in autoevals, but a model in a rubric causes a notice', async () => {
    const { list, notices } = await rubrics(
      'prompt: "{{output}}"\nuse_cot: false\nmodel: gpt-4o\ntemperature: 0\nchoice_scores: { A: 1 }\n',
      'rubrics/kind.yaml',
    );
    expect(list).toMatchObject([{ name: 'kind', eval_type: 'classify' }]);
    expect(notices).toEqual(
      ['model', 'temperature'].map(
        (key, index) =>
          `rubrics/kind.yaml:${3 + index}: ${key} has no effect here; set the grader in the settings, or with grader: … in the metric`,
      ),
    );
    expect(
      (await rubrics('r: { prompt: "{content}", use_cot: true, choice_scores: { A: 1 } }')).list[0]
        ?.eval_type,
    ).toBe('cot_classify');
  });

  test('may have labels and eval_type as in openai/evals', async () => {
    const base =
      'r:\n  prompt: "{input} {completion} {ideal}"\n  eval_type: classify\n  input_outputs: { input: completion }\n';
    const { list, notices } = await rubrics(
      `${base}  choice_strings: ABC\n  choice_scores: { A: 1, B: 0.5, C: 0 }\n`,
    );
    expect(list).toMatchObject([{ name: 'r', eval_type: 'classify' }]);
    expect([...list[0]!.choice_scores].flat()).toEqual(['A', 1, 'B', 0.5, 'C', 0]);
    expect(notices).toEqual(['rubrics/r.yaml:4: r.input_outputs has no effect here']);
    expect(
      await scores(`${base}  choice_strings: ["1", "5"]\n  choice_scores: from_strings\n`),
    ).toEqual(['1', 1, '5', 5]);
  });

  test('keep the braces of JSON and of {{name}} in their text', async () => {
    const { list } = await rubrics(
      'r:\n  prompt: |\n    {content} as {"a": {"b": 1}} or {{name}} or {}\n  choice_scores: { A: 1 }\n',
    );
    expect(list[0]?.prompt).toBe('{content} as {"a": {"b": 1}} or {{name}} or {}\n');
  });

  test('that do not show the answer to the grader cause a notice', async () => {
    expect((await rubrics('r: { prompt: "{expected}", choice_scores: { A: 1 } }')).notices).toEqual(
      [
        'rubrics/r.yaml:1: the rubric "r" does not show the answer to the grader: use {completion}, {content} or {conversation}',
      ],
    );
  });

  test('have labelled examples, inline or from a data file', async () => {
    const { list } = await rubrics(
      'r:\n  prompt: "{content}"\n  choice_scores: { Yes: 1, No: 0 }\n  examples:\n    - { content: c, context: e, expected: "yes" }\n  examples_from: { file: x.jsonl }\n',
      'rubrics/r.yaml',
      { 'rubrics/x.jsonl': '{"content": "d", "expected": "No", "by": "ann"}\n' },
    );
    expect(list[0]?.examples).toEqual([
      {
        content: 'c',
        context: 'e',
        ideal: null,
        expected: 'Yes',
        place: { file: 'rubrics/r.yaml', line: 5 },
      },
      {
        content: 'd',
        context: null,
        ideal: null,
        expected: 'No',
        place: { file: 'rubrics/x.jsonl', line: 1 },
      },
    ]);
  });

  test.each([
    [
      'choice_strings: AB\n  choice_scores: { A: 1 }',
      '4: the rubric "r": choice_scores has no score for the label "B" of choice_strings',
    ],
    [
      'choice_strings: A\n  choice_scores: { A: 1, B: 0 }',
      '4: the rubric "r": choice_scores has the label "B", which is not in choice_strings',
    ],
    [
      'choice_strings: AB\n  choice_scores: from_strings',
      '4: the rubric "r": choice_scores must map at least one label to a number',
    ],
    [
      'choice_strings: AB',
      '1: the rubric "r": choice_scores must map at least one label to a number; choice_strings has labels but no scores',
    ],
    [
      'choice_strings: from_n',
      `1: the rubric "r": choice_scores cannot be used: choice_strings from_n compares several answers, but a rubric judges only one; to compare base's answer with head's, use pairwise_preference`,
    ],
    ['choice_scores: { "": 1 }', '3: the rubric "r": choice_scores has an empty label'],
    [
      'choice_scores: { A: 1 }\n  eval_type: guess',
      '4: r.eval_type must be one of classify, cot_classify, classify_cot',
    ],
    [
      'choice_scores: { A: 1 }\n  examples: [{ content: c }]',
      '4: r.examples[0]: "expected" is missing',
    ],
  ])('with %s are rejected', async (lines, problem) => {
    const text = `r:\n  prompt: "{content}"\n  ${lines}\n`;
    expect(await problemsOf({ 'rubrics/r.yaml': text })).toEqual([`rubrics/r.yaml:${problem}`]);
  });

  test('with {expected} in the prompt require an expected value in their examples', async () => {
    const text =
      'r:\n  prompt: "Is {content} as good as {expected}?"\n  choice_scores: { A: 1 }\n  examples:\n    - { content: c, ideal: 8, expected: A }\n    - { content: d, expected: A }\n';
    expect(await problemsOf({ 'rubrics/r.yaml': text })).toEqual([
      'rubrics/r.yaml:6: the rubric "r" contains {expected}, so this example needs the key ideal with the text to insert there',
    ]);
    const { list } = await rubrics(text.replace(/ {4}- .*expected: A }\n$/, ''));
    expect(list[0]?.examples.map(({ ideal }) => ideal)).toEqual(['8']);
  });
});

test('examples with the same answer and different labels are rejected at the second one', async () => {
  const text = `polite:
  prompt: 'Is it polite? {content}'
  choice_scores: { YES: 1, NO: 0 }
  examples:
    - { content: Hello, expected: YES }
    - { content: Hello, expected: YES }
    - { content: Hello, context: A reply., expected: NO }
    - { content: Hello, expected: NO }
`;
  expect(await problemsOf({ 'rubrics/r.yaml': text })).toEqual([
    'rubrics/r.yaml:8: the same answer is labelled "YES" at rubrics/r.yaml:5 and "NO" here; keep one of the two',
  ]);
});
