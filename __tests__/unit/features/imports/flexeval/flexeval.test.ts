import { readProject } from '../../../../../src/config/project.ts';
import { builtInRubrics } from '../../../../../src/metrics/rubric.ts';
import { optionsOf, problemsOf, read, tools, treeOf } from '../../../config/tree.ts';

const RUN = 'evals/lesson.flexeval.yaml';
const DIALOGUES = [
  '{"input": [{"role": "system", "content": "Teach."}, {"role": "user", "content": "2+2?"}, {"role": "assistant", "content": "4"}], "class": "a"}',
  '{"input": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "Because."}, {"role": "user", "content": "Why that?"}]}',
].join('\n');
const RUBRIC =
  'asks:\n  prompt: "Does {content} ask? {context}"\n  choice_scores: { YES: 1, NO: 0 }\n';
const files = (run: string, more: Record<string, string> = {}) => ({
  [RUN]: run,
  'data/lessons.jsonl': DIALOGUES,
  'my/rubrics.yaml': RUBRIC,
  ...more,
});

/**
 * A complete run: three functions (two with one name), two rubrics, all kinds of conditions, and
 * run settings.
 */
const WHOLE = `data_sources:
  - path: data/lessons.jsonl
database_path: results.db
rubric_paths:
  - my/rubrics.yaml
eval:
  name: lessons
  do_completion: true
  metrics:
    function:
      - name: is_role
        kwargs: { role: assistant }
      - name: is_role
        kwargs: { role: user }
      - name: string_length
        metric_level: message
        depends_on:
          - { name: is_role, kwargs: { role: assistant }, metric_name: assistant, metric_min_value: 1 }
    rubric:
      - name: asks
      - name: is_student_acting_as_tutor
        depends_on:
          - { name: is_role, type: function, kwargs: { role: user }, metric_name: user, metric_min_value: 1, relative_object_position: -1 }
          - { name: asks, type: rubric, metric_max_value: 0 }
  completion_llm:
    function_name: open_ai_completion
    kwargs: { model_name: gpt-4o-mini, api_key_name: OPENAI_API_KEY, temperature: 0.2 }
  grader_llm:
    function_name: open_ai_completion
    kwargs: { model_name: gpt-4o, api_key_name: OPENAI_API_KEY }
config:
  nb_evaluations_per_thread: 3
  max_workers: 8
`;

/** A run that completes its dialogues with these settings. */
const completing = (lines: string) =>
  files(
    `data_sources: [{ path: data/lessons.jsonl }]\neval:\n  do_completion: true\n  metrics: { function: [{ name: count_turns }] }\n  ${lines}\n`,
  );

const imported = async (of: Record<string, string>) => {
  const found = await readProject(treeOf(of), optionsOf(), { ...tools, builtInRubrics });
  const { suites, settings, rubrics } = found.project;
  return {
    suites,
    settings,
    rubrics,
    problems: found.problems,
    notices: found.project.notices
      .filter(({ kind }) => kind === 'import')
      .map(({ place, message }) => `${String(place?.line)}: ${message}`),
  };
};

describe('a FlexEval run', () => {
  test('is read without conversion, with its dialogues, functions, rubrics, conditions and models', async () => {
    const { suites, settings, rubrics, problems } = await imported(files(WHOLE));
    expect(problems).toEqual([]);
    expect(suites).toHaveLength(1);
    const [suite] = suites;
    expect(suite?.prompt).toMatchObject({
      file: RUN,
      name: 'lessons',
      model: 'gpt-4o-mini',
      parameters: { temperature: 0.2 },
      places: { model: { file: RUN, line: 25 } },
    });
    expect(settings).toMatchObject({
      grader: { model: 'gpt-4o', parameters: {}, place: { file: RUN, line: 28 } },
    });
    expect(rubrics.get('asks')?.place.file).toBe('my/rubrics.yaml');
    expect(suite?.tests.n_tries).toBe(3);
    expect(suite?.tests.metrics).toMatchObject([
      {
        name: 'is_role_assistant_turn',
        source: { kind: 'built-in', uses: 'is_role', with: { role: 'assistant' } },
        skip: true,
        level: 'Turn',
        place: { file: RUN, line: 11 },
      },
      {
        name: 'is_role_user_turn',
        source: { uses: 'is_role', with: { role: 'user' } },
        skip: true,
      },
      {
        name: 'string_length',
        level: 'Message',
        skip: true,
        depends_on: [
          {
            name: 'is_role',
            kwargs: { role: 'assistant' },
            metric_name: 'assistant',
            metric_min_value: 1,
            place: { line: 18 },
          },
        ],
      },
      { name: 'asks', source: { kind: 'rubric', rubric: 'asks' }, skip: true, depends_on: [] },
      {
        name: 'is_student_acting_as_tutor',
        skip: false,
        depends_on: [
          { type: 'function', relative_object_position: -1 },
          { name: 'asks', metric_max_value: 0 },
        ],
      },
    ]);
    expect(suite?.tests.metrics.every(({ graders }) => graders === undefined)).toBe(true);
    expect(
      suite?.tests.references.map(({ thread, place }) => [thread?.map(({ role }) => role), place]),
    ).toEqual([
      [['system', 'user'], { file: 'data/lessons.jsonl', line: 1 }],
      [['user', 'assistant', 'user'], { file: 'data/lessons.jsonl', line: 2 }],
    ]);
  });

  test('reports what is dropped and what differs from FlexEval', async () => {
    expect((await imported(files(WHOLE))).notices).toEqual([
      expect.stringMatching(
        /^6: lessons: only the new answer is judged, because earlier turns are the same on both sides \(every: true judges them too\); the values of function metrics are shown/,
      ),
      '3: database_path is not converted: it configures how FlexEval runs and stores, not what it measures',
      '33: max_workers is not converted: it configures how FlexEval runs and stores, not what it measures',
    ]);
  });

  test('without completion judges recorded answers and makes no model call', async () => {
    const of = files(WHOLE.replace('do_completion: true', 'do_completion: false'));
    const { suites, settings, problems } = await imported(of);
    expect(problems).toEqual([]);
    expect(suites[0]?.prompt.model).toBe('recorded');
    expect(settings.models.get('recorded')?.provider).toBe('openai');
    expect(suites[0]?.tests.references.map(({ thread }) => thread?.at(-1)?.content)).toEqual([
      '4',
      'Because.',
    ]);
    expect(
      await problemsOf(
        {
          ...of,
          'my/rubrics.yaml': `${RUBRIC}is_student_acting_as_tutor: { prompt: "{content}", choice_scores: { YES: 1 } }\n`,
        },
        { allowedModels: ['gpt-4o'] },
      ),
    ).toEqual([]);
  });

  test.each([
    [
      'a function in code',
      '- name: has_question_mark',
      /the function has_question_mark is not converted: no built-in metric or function module has this name/,
    ],
    [
      'a function for LangGraph',
      '- { name: is_langgraph_type, kwargs: { type: ai } }',
      /the function is_langgraph_type is not converted: no built-in metric/,
    ],
    [
      'an invalid argument',
      '- { name: is_role, kwargs: { role: robot } }',
      /the function is_role is not converted: with\.role/,
    ],
    [
      'a level that it cannot judge',
      '- { name: string_length, metric_level: ToolCall }',
      /the function string_length is not converted: it cannot judge level ToolCall/,
    ],
    [
      'an unknown level',
      '- { name: string_length, metric_level: Word }',
      /metric_level must be one of Message, Turn, Thread, ToolCall/,
    ],
    ['context_only', '- { name: string_length, context_only: true }', /it reads earlier turns/],
    [
      'no name',
      '- { kwargs: { a: 1 } }',
      /the function \(without a name\) is not converted: it has no name/,
    ],
  ])(
    'drops a metric with %s, and the metrics that depend on it, with their lines',
    async (_, line, message) => {
      const name = /name: (\w+)/.exec(line)?.[1];
      const dependant =
        name === undefined
          ? ''
          : `      - { name: count_emojis, depends_on: [{ name: ${name}, metric_min_value: 1 }] }\n      - { name: count_messages, depends_on: [{ name: count_emojis, metric_min_value: 1 }] }\n`;
      const { suites, notices, problems } = await imported(
        files(
          `data_sources: [{ path: data/lessons.jsonl }]\neval:\n  metrics:\n    function:\n      ${line}\n      - name: count_turns\n      - name: openai_moderation_api\n${dependant}`,
        ),
      );
      expect(problems).toEqual([]);
      expect(suites[0]?.tests.metrics.map((metric) => metric.name)).toEqual([
        'count_turns',
        'openai_moderation_api',
      ]);
      expect(notices[1]).toMatch(
        new RegExp(`^5: ${message.source.startsWith('the function') ? '' : '.*'}${message.source}`),
      );
      const left = notices.filter((notice) => notice.includes('it depends on'));
      expect(left).toEqual(
        name === undefined
          ? []
          : [
              `8: the function count_emojis is not converted: it depends on ${name}, which is not`,
              '9: the function count_messages is not converted: it depends on count_emojis, which is not',
            ],
      );
    },
  );

  test('reports an ambiguous condition as an error at its line', async () => {
    const of = WHOLE.replace(
      '{ name: is_role, kwargs: { role: assistant }, metric_name',
      '{ name: is_role, metric_name',
    );
    expect((await imported(files(of))).problems).toMatchObject([
      {
        place: { file: RUN, line: 18 },
        message: expect.stringContaining('depends_on "is_role" matches 2 metrics'),
      },
    ]);
  });

  test.each([
    [
      'LiteLLM',
      'litellm_completion, kwargs: { model: anthropic/claude-sonnet-4-5, max_tokens: 9 }',
      ['claude-sonnet-4-5'],
      null,
    ],
    [
      'another vendor by LiteLLM',
      'litellm_completion, kwargs: { model: sagemaker/large }',
      ['default'],
      /completion_llm is not converted: litellm_completion: the provider of "sagemaker\/large" is unknown.*models: \{ default/,
    ],
    [
      'a model of unknown vendor',
      'open_ai_completion, kwargs: { model_name: ft-own }',
      ['ft-own', 'openai', 'ft-own'],
      null,
    ],
    [
      'a local server',
      'lm_studio_completion, kwargs: { model_name: llama, endpoint: "http://localhost:1234/v1" }',
      ['localhost-1234:llama', 'openai', 'llama'],
      /endpoint of completion_llm .*--endpoint "localhost-1234=http:\/\/localhost:1234\/v1/,
    ],
    [
      'a local server by IP address',
      'jan_completion, kwargs: { endpoint: "http://[::1]:1337/v1" }',
      ['1-1337:default', 'openai', 'default'],
      /--endpoint "1-1337=http:\/\/\[::1\]:1337\/v1/,
    ],
    [
      'an address without a host',
      'jan_completion, kwargs: { endpoint: "localhost:1337" }',
      ['default'],
      /completion_llm is not converted: jan_completion: it names no server/,
    ],
    ['code', 'my_own', ['default'], /my_own: completion functions in code do not run/],
    ['no function', 'null', ['default'], /it names no completion function/],
    ['a list of functions', '[{}]', ['default'], /it names no completion function/],
    [
      'several choices and a key name',
      'open_ai_completion, kwargs: { model_name: gpt-4o, n: 2, api_key_name: MY_KEY }',
      ['gpt-4o'],
      /n of completion_llm .*for several answers use n_tries/,
    ],
    [
      'a key in the file',
      'open_ai_completion, kwargs: { model_name: gpt-4o, api_key: sk-1 }',
      ['gpt-4o'],
      /api_key of completion_llm .*only be set in the workflow/,
    ],
  ])('completes dialogues with %s', async (_, llm, [name, provider, model], message) => {
    const { suites, settings, notices } = await imported(
      completing(`completion_llm: { function_name: ${llm} }`),
    );
    expect(suites[0]?.prompt.model).toBe(name);
    const entry = settings.models.get(name ?? '');
    expect([entry?.provider, entry?.model]).toEqual([provider, model]);
    if (message !== null) expect(notices.join('\n')).toMatch(message);
  });

  test('keeps two servers on one machine as separate endpoints', async () => {
    const { suites, settings } = await imported(
      completing(
        'completion_llm: { function_name: lm_studio_completion, kwargs: { endpoint: "http://localhost:1234/v1" } }\n  grader_llm: { function_name: jan_completion, kwargs: { endpoint: "http://localhost:1337/v1" } }',
      ),
    );
    const endpoints = [suites[0]?.prompt.model, settings.grader?.model].map(
      (name) => settings.models.get(name ?? '')?.endpoint,
    );
    expect(endpoints).toEqual(['localhost-1234', 'localhost-1337']);
  });

  test('reports unreadable data as dropped, and a missing file as an error', async () => {
    const of = (source: string) =>
      files(
        `data_sources:\n  - { path: data/lessons.jsonl }\n  - ${source}\neval: { metrics: { function: [{ name: count_turns }] } }\n`,
      );
    const said = async (source: string) => (await imported(of(source))).notices[1];
    expect(await said('{ path: data/check.db, format: langgraph_sqlite }')).toBe(
      '3: a data source is not converted: only JSONL files of the repository are read',
    );
    expect(await said('{ type: named, name: x }')).toContain('only JSONL files');
    expect(await said('{ type: iterable, contents: [] }')).toContain('only JSONL files');
    expect(await problemsOf(of('{ path: data/none.jsonl }'))).toEqual([
      `${RUN}:3: data/none.jsonl does not exist at abc1234`,
    ]);
    expect(await problemsOf(of('{ path: ../../etc/passwd }'))).toEqual([
      expect.stringMatching(/:3: .*passwd/),
    ]);
    expect(await problemsOf(of('{ path: /etc/passwd }'))).toEqual([
      `${RUN}:3: /etc/passwd must be a relative path inside the repository`,
    ]);
  });
});

describe('a FlexEval file with several evals', () => {
  const EVALS = `first:
  data: [../data/lessons.jsonl]
  config: { nb_evaluations_per_thread: 2, max_n_conversation_threads: 10, random_seed_conversation_sampling: 4 }
  metrics: { function: [{ name: count_turns }], rubric: [{ name: is_request_for_plot }] }
  grader_llm: { function_name: open_ai_completion, kwargs: { model_name: gpt-4o } }
second:
  data: [../data/lessons.jsonl]
  metrics: { rubric: [{ name: is_request_for_plot }] }
  grader_llm: { function_name: open_ai_completion, kwargs: { model_name: o3-mini, reasoning_effort: low } }
third:
  metrics: { function: [{ name: count_turns }] }
`;

  test('uses its own graders, even if the settings have another one', async () => {
    const { suites, settings, problems } = await imported({
      'evaldiff.yaml': 'prompts: evals/all.yaml\ngrader: claude-sonnet-4-5\n',
      'evals/all.yaml': EVALS,
      'data/lessons.jsonl': DIALOGUES,
    });
    expect(problems).toEqual([]);
    expect(settings.grader?.model).toBe('claude-sonnet-4-5');
    expect(
      suites.map(({ tests: { metrics } }) => metrics.at(-1)?.graders?.map(({ model }) => model)),
    ).toEqual([['gpt-4o'], ['o3-mini']]);
  });

  test('reports that the grader of another file replaces its own grader', async () => {
    const { notices } = await imported({
      'evaldiff.yaml': 'prompts: evals/*.yaml\n',
      'evals/a.yaml': EVALS,
      'evals/b.yaml': EVALS.replace('gpt-4o', 'gpt-4.1').replaceAll(/first|second|third/g, '$&_b'),
      'data/lessons.jsonl': DIALOGUES,
    });
    expect(notices).toContain(
      '5: the grader gpt-4.1 of this file is replaced by gpt-4o of evals/a.yaml',
    );
  });

  test('is recognized by its content if the settings list it, with one suite and grader per eval', async () => {
    const { suites, settings, problems, notices } = await imported({
      'evaldiff.yaml': 'prompts: evals/all.yaml',
      'evals/all.yaml': EVALS,
      'data/lessons.jsonl': DIALOGUES,
    });
    expect(problems).toEqual([]);
    expect(
      suites.map(({ prompt: { name }, tests: { n_tries, references } }) => [
        name,
        n_tries,
        references.length,
      ]),
    ).toEqual([
      ['first', 2, 2],
      ['second', null, 2],
    ]);
    expect(settings.grader?.model).toBe('gpt-4o');
    expect(
      suites.map(({ tests: { metrics } }) =>
        metrics.at(-1)?.graders?.map(({ model, parameters }) => [model, parameters]),
      ),
    ).toEqual([undefined, [['o3-mini', { reasoning_effort: 'low' }]]]);
    for (const key of ['max_n_conversation_threads', 'random_seed_conversation_sampling'])
      expect(notices).toContain(
        `3: ${key} is not converted: it configures how FlexEval runs and stores, not what it measures`,
      );
    expect(notices).toContain(
      '10: the eval third is not converted: none of its data could be converted',
    );
  });

  test.each(['a: 1', 'a: { metrics: [] }', '[]', 'eval: {}\ndata_sources: 3'])(
    'is not recognized if its content is %s',
    async (text) => {
      expect(await problemsOf({ 'flexeval.yaml': text })).toEqual([
        'flexeval.yaml: is not a FlexEval file: it has neither an eval with data_sources nor evals with metrics',
      ]);
    },
  );

  test('is not detected in an evaldiff prompt that contains similar keys', async () => {
    const {
      project: { suites },
    } = await read({
      'prompts/p.yaml':
        'name: p\nmodel: gpt-4o\nmessages: [{ role: user, content: hi }]\ntests: { metrics: { function: [{ name: count_turns }] }, references: [{ id: a }] }\n',
    });
    expect(suites[0]?.prompt.name).toBe('p');
  });
});
