import type { Result } from '../../../../src/kernel/result/result.ts';
import type { Script, Seen } from '../../../stand-ins/models/server.ts';
import {
  DIFF,
  JUDGE,
  openDialogues,
  promptOf,
  questions,
  rows,
  RUN,
  textOf,
  verdict,
} from './dialogue-project.ts';

const SORRY = 'I am sorry, I cannot find that crate.';
const RESULT = '{"apples": 41}';

const asked = { role: 'user', content: 'How many apples in crate 1?' };
const call = (id = 'c') => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'stock', arguments: '{"crate":1}' } }],
});
const found = { role: 'tool', tool_call_id: 'c', content: RESULT };

const recording = (last: string, count = 8) =>
  rows(
    Array.from({ length: count }, (_, index) => ({
      id: `d${index + 1}`,
      expected: '41',
      input: [
        { ...asked, content: asked.content.replace('1', String(index + 1)) },
        ...[call(), found, { role: 'assistant', content: last }],
      ],
    })),
  );

const judged = (metrics: string, more = 'do_completion: false\n') =>
  promptOf('You help.', `metrics: ${metrics}\nreferences_from: { file: ../d.jsonl }\n${more}`, '');

const firstTry = ({ suites }: Result) => suites[0]?.references[0]?.head?.tries[0];
const scoresOf = (result: Result) => firstTry(result)?.scores;

const unused: Script = () => ({ text: 'unused' });

const GOOD = 'There are 41 apples.';

describe("a recorded tool's result", () => {
  test('is not answered by what the assistant says before the call', async () => {
    const spoken = (last: string) =>
      recording(last).replaceAll('"content":null', '"content":"Let me count the apples: 41?"');
    const { repository, evaldiff } = await openDialogues(unused, {
      'prompts/t.yaml': judged('[{ uses: contains }]'),
      'd.jsonl': spoken(GOOD),
    });
    repository.commit('head', { 'd.jsonl': spoken('') });
    const { code, out } = await evaldiff(...DIFF);
    expect(out).toContain('t 100 → 0 %: clearly worse');
    expect(code).toBe(1);
  });

  test('is not the answer: tests whose answers break are red', async () => {
    const { repository, evaldiff, server } = await openDialogues(unused, {
      'prompts/t.yaml': judged('[{ uses: contains }]'),
      'd.jsonl': recording(GOOD),
    });
    repository.commit('head', { 'd.jsonl': recording(SORRY) });
    const { code, out } = await evaldiff(...DIFF);
    expect(out).toContain('✗ Regressed: t');
    expect(out).toContain('t 100 → 0 %: clearly worse');
    expect(code).toBe(1);
    expect(server.requests).toEqual([]);
  });

  test.each([
    ['exact_match', '{ uses: exact_match, with: { value: There are 41 apples. } }', { value: 1 }],
    ['word_count', '{ uses: word_count, with: { max: 4 } }', { status: 'pass', value: 4 }],
    [
      'code that reads actual',
      '{ name: c, code: "metric = actual\\nresult = True" }',
      { value: GOOD },
    ],
    [
      'code that reads calls',
      "{ name: c, code: \"metric = [c['name'] + c['arguments'] for c in calls]\\nresult = True\" }",
      { value: ['stock{"crate":1}'] },
    ],
    [
      'code that reads messages',
      "{ name: c, code: \"metric = [m['role'] for m in messages] + [messages[2]['content'], messages[1]['tool_calls'][0]['id'], messages[2]['tool_call_id']]\\nresult = True\" }",
      { value: ['user', 'assistant', 'tool', 'assistant', RESULT, 'c', 'c'] },
    ],
    [
      'code in JavaScript',
      '{ name: c, language: javascript, code: "metric = messages.length + calls.length; result = true" }',
      { value: 5 },
    ],
    ['regex', '{ uses: regex, with: { value: "^There" } }', { status: 'pass' }],
    ['every turn', '{ uses: starts_with, with: { value: There }, every: 1 }', { status: 'pass' }],
    [
      'every message',
      '{ uses: contains, with: { value: apples" }, metric_level: Message, every: true }',
      { status: 'fail' },
    ],
    ['tool_was_called', '{ uses: tool_was_called, with: { tool: stock } }', { status: 'pass' }],
    [
      'every call',
      '{ uses: count_tool_calls_by_name, metric_level: ToolCall, every: true }',
      { status: 'pass', objects: { scores: [{ at: 0 }] } },
    ],
    ['the whole dialogue', '{ uses: count_messages, metric_level: Thread }', { value: 4 }],
    ["FlexEval's turns", '{ uses: string_length, of: both }', { value: 36 }],
  ])('is what it is for a metric: %s', async (_, metric, wanted) => {
    const { result } = await openDialogues(unused, {
      'prompts/t.yaml': judged(`[${metric}]`),
      'd.jsonl': recording(GOOD, 1),
    });
    expect(scoresOf(await result(...RUN))?.[0]).toMatchObject(wanted);
  });

  test.each([
    [
      '{conversation}',
      /<<<conversation (\S+)>>>\nuser: How .*\nassistant calls stock\(\{"crate":1\}\)\ntool stock: \{"apples": 41\}\nassistant: There are 41 apples\.\n<<<end \1>>>/,
    ],
    [
      '{content}',
      /<<<content (\S+)>>>\nassistant calls stock\(.*\)\ntool stock: .*\nassistant: There/,
    ],
    ['{completion}', /<<<completion (\S+)>>>\nThere are 41 apples\.\n<<<end \1>>>/],
    ['{tool_calls}', /<<<tool_calls (\S+)>>>\nstock\(\{"crate":1\}\)\n<<<end \1>>>/],
    ['{context}', /<<<context (\S+)>>>\nuser: How many apples in crate 1\?\n<<<end \1>>>/],
  ])('has its role in a rubric with %s', async (keyword, shown) => {
    const { result, of } = await openDialogues(
      () => ({ text: '{"reasons": "r", "choice": "YES"}' }),
      {
        'prompts/t.yaml': judged('[{ rubric: right }]'),
        'rubrics/right.yaml': `right: { prompt: "Is it right? ${keyword}", choice_scores: { "YES": 1, "NO": 0 }, better: higher }\n`,
        'd.jsonl': recording(GOOD, 1),
      },
    );
    expect(scoresOf(await result(...RUN))?.[0]).toMatchObject({ status: 'pass' });
    expect(textOf(of(JUDGE)[0] as Seen)).toMatch(shown);
  });

  test('has its role for evaluators, inside delimiters that it cannot contain', async () => {
    const { result, of } = await openDialogues(() => verdict(null), {
      'prompts/t.yaml': judged('[]', 'conversation: { evaluators: [judge] }\n').replace(
        'metrics: []\n',
        '',
      ),
      'd.jsonl': recording(GOOD, 1),
    });
    const made = firstTry(await result(...RUN));
    expect(textOf(of(JUDGE)[0] as Seen)).toMatch(
      /<<<call 1 (\S+)>>>\nassistant calls stock\(\{"crate":1\}\)\n<<<end \1>>>\n<<<tool 1 \1>>>\ntool stock: \{"apples": 41\}\n<<<end \1>>>\n<<<answer 1 \1>>>\nThere are 41 apples\.\n/,
    );
    expect(made?.conversation?.turns).toMatchObject([
      {
        question: asked.content,
        steps: [{ type: 'tool_call', name: 'stock', arguments: '{"crate":1}', result: RESULT }],
        answer: GOOD,
      },
    ]);
  });

  test('over 262,144 characters is cut, and the grader sees where', async () => {
    const long = 'x'.repeat(2_000_000);
    const { result, of } = await openDialogues(() => verdict(null), {
      'prompts/t.yaml': judged('[]', 'conversation: { evaluators: [judge] }\n').replace(
        'metrics: []\n',
        '',
      ),
      'd.jsonl': rows([
        {
          id: 'd',
          input: [asked, call(), { ...found, content: long }, { role: 'assistant', content: GOOD }],
        },
      ]),
    });
    expect(firstTry(await result(...RUN))?.error).toBeNull();
    const text = textOf(of(JUDGE)[0] as Seen);
    expect(text).toContain('x\n[evaldiff cut this result after 262,144 of 2,000,000 characters]');
    expect(text).not.toContain('x'.repeat(262_145));
  });
});

const TOOL = (name: string) =>
  `  - { type: function, function: { name: ${name}, description: d, parameters: { type: object, properties: { crate: { type: integer } } } } }\n`;

const calling = (results: string, count = 1, more = ''): Record<string, string> => ({
  'prompts/t.yaml': promptOf(
    'You count.',
    `tools:\n${TOOL('stock')}metrics:\n  - { uses: contains, with: { value: '41' } }\n${more}conversation:\n  max_steps: 2\n  evaluators: [judge]\n${results}${questions(count)}`,
  ),
});

const GIVEN = `  tool_results: { stock: '${RESULT}' }\n`;

const STOCK = { name: 'stock', arguments: '{"crate":1}' };

/** Calls the tool and then answers with its result; evaluators are satisfied. */
const usesTool: Script = ({ model, messages }) => {
  if (model === JUDGE) return verdict(null);
  const last = messages.at(-1);
  return last?.role === 'tool' ? { text: `Found: ${last.content}` } : { calls: [STOCK] };
};

describe('a dialogue whose model calls tools', () => {
  test('sends the results of the suite, and judges the answer after them', async () => {
    const { result, of } = await openDialogues(usesTool, calling(GIVEN));
    const made = firstTry(await result(...RUN));
    expect(made).toMatchObject({ outcome: 'pass' });
    expect(made?.parts).toEqual([
      { type: 'text', text: `Found: ${RESULT}` },
      { type: 'tool_call', ...STOCK },
    ]);
    expect(of('app').map(({ messages }) => messages.map(({ role }) => role))).toEqual([
      ['system', 'user'],
      ['system', 'user', 'assistant', 'tool'],
    ]);
    expect(textOf(of(JUDGE)[0] as Seen)).toContain(`tool stock: ${RESULT}`);
  });

  test('is red if the model stops using the result', async () => {
    const script: Script = (request) =>
      request.model !== JUDGE &&
      textOf(request).includes('Be brief') &&
      request.messages.at(-1)?.role === 'tool'
        ? { text: 'I do not know.' }
        : usesTool(request);
    const { repository, evaldiff } = await openDialogues(script, calling(GIVEN, 8));
    const head = calling(GIVEN, 8)['prompts/t.yaml'] ?? '';
    repository.commit('head', {
      'prompts/t.yaml': head.replace('You count.', 'You count. Be brief.'),
    });
    const { code, out } = await evaldiff(...DIFF);
    expect(out).toContain('assistant calls stock({"crate":1})');
    expect(out).toContain('tool stock: {"apples": 41}');
    expect(out.match(/How do I close account 1\?/g)?.length).toBe(1);
    expect(out).toContain('8 of 8 tests broke');
    expect(code).toBe(1);
  });

  test.each([
    ['Python', `code: "output = {'apples': args['crate'] + 40}"`],
    ['JavaScript', 'language: javascript, code: "output = { apples: args.crate + 40 }"'],
  ])('runs code in %s with the arguments', async (_, code) => {
    const { result, of } = await openDialogues(
      usesTool,
      calling(`  tool_results: { stock: { ${code} } }\n`),
    );
    const made = firstTry(await result(...RUN));
    expect(made).toMatchObject({ outcome: 'pass', error: null });
    expect(of('app')[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: '{"apples":41}' });
  });

  test('is an error if the code of a tool fails', async () => {
    const { result } = await openDialogues(
      usesTool,
      calling('  tool_results: { stock: { code: "output = args[\'none\']" } }\n'),
    );
    const made = firstTry(await result(...RUN));
    expect(made).toMatchObject({ outcome: 'error', conversation: { outcome: 'tool_error' } });
    expect(made?.error).toMatch(/conversation\.tool_results: stock: .*KeyError/);
  });

  test('answers every call of a message before anything else, and calls of unknown tools, too', async () => {
    const script: Script = ({ model, messages }) => {
      if (model === JUDGE) return verdict(null);
      const results = messages.filter(({ role }) => role === 'tool');
      return results.length === 0
        ? { text: 'Let me look.', calls: [STOCK, { name: 'price', arguments: '{}' }] }
        : { text: '41' };
    };
    const { result, of } = await openDialogues(script, calling(GIVEN));
    const made = firstTry(await result(...RUN));
    expect(made?.conversation?.turns[0]?.steps).toEqual([
      { type: 'message', role: 'assistant', text: 'Let me look.' },
      { type: 'tool_call', ...STOCK, result: RESULT },
      { type: 'tool_call', name: 'price', arguments: '{}', result: 'there is no tool "price"' },
    ]);
    expect(
      of('app')[1]
        ?.messages.map(({ role }) => role)
        .slice(2),
    ).toEqual(['assistant', 'tool', 'tool']);
  });

  test('ends with its own word if the model never answers', async () => {
    const script: Script = ({ model }) => (model === JUDGE ? verdict(null) : { calls: [STOCK] });
    const { result, of } = await openDialogues(script, calling(GIVEN));
    const made = firstTry(await result(...RUN));
    expect(made).toMatchObject({ outcome: 'fail', conversation: { outcome: 'tool_limit' } });
    expect(JSON.stringify(made?.scores)).toContain('called tools 10 times in a row');
    expect([of('app').length, of(JUDGE).length]).toEqual([10, 0]);
  });

  test('ends at the first call with tool_results: end', async () => {
    const metric = '  - { uses: tool_was_called, with: { tool: stock } }\n';
    const { result, of } = await openDialogues(usesTool, {
      'prompts/t.yaml': (calling('  tool_results: end\n')['prompts/t.yaml'] ?? '').replace(
        /metrics:\n.*\n/,
        `metrics:\n${metric}`,
      ),
    });
    const made = firstTry(await result(...RUN));
    expect(made).toMatchObject({ outcome: 'pass', conversation: { outcome: 'complete' } });
    expect(of('app')).toHaveLength(1);
    expect(textOf(of(JUDGE)[0] as Seen)).toContain('assistant calls stock({"crate":1})');
  });

  test('keeps its turns: the next question comes after all results', async () => {
    const script: Script = (request) => {
      const { model, messages } = request;
      if (model !== JUDGE) return usesTool(request);
      return verdict(textOf({ messages }).includes('And crate 2?') ? null : 'And crate 2?');
    };
    const { result, of } = await openDialogues(script, calling(GIVEN));
    const made = firstTry(await result(...RUN));
    expect(made?.conversation?.turns).toMatchObject([
      { steps: [{ name: 'stock' }] },
      { question: 'And crate 2?', steps: [{ name: 'stock' }] },
    ]);
    expect(
      of('app')
        .at(-1)
        ?.messages.map(({ role }) => role)
        .join(' '),
    ).toBe('system user assistant tool assistant user assistant tool');
  });
});

describe('tools in a suite with conversation', () => {
  const refused = async (results: string, more = TOOL('stock')) => {
    const files = calling(results)['prompts/t.yaml'] ?? '';
    const { evaldiff } = await openDialogues(usesTool, {
      'prompts/t.yaml': files.replace(TOOL('stock'), more),
    });
    const { code, out } = await evaldiff('validate');
    expect(code).not.toBe(0);
    return out;
  };

  test.each([
    [
      'without results',
      '',
      TOOL('stock'),
      't.yaml:7: the prompt has the tool stock, and conversation has no result for it',
    ],
    [
      'without a result for one of them',
      GIVEN,
      TOOL('stock') + TOOL('price'),
      'the prompt has the tool price, and',
    ],
    [
      'with a result for a tool that does not exist',
      '  tool_results: { stok: "1" }\n',
      TOOL('stock'),
      'the prompt has no tool "stok"; did you mean "stock"?',
    ],
    [
      'with another form of results',
      '  tool_results: [1]\n',
      TOOL('stock'),
      'must be end, or a map of tool to its result',
    ],
    [
      'with code in a language that evaldiff does not know',
      '  tool_results: { stock: { code: x, language: ruby } }\n',
      TOOL('stock'),
      'language must be one of python, javascript',
    ],
  ])('are rejected: %s', async (_, results, tools, message) => {
    expect(await refused(results, tools)).toContain(message);
  });

  test('need no result if the vendor runs them', async () => {
    const files = (calling('')['prompts/t.yaml'] ?? '').replace(
      TOOL('stock'),
      '  - { type: web_search }\n',
    );
    const { evaldiff } = await openDialogues(usesTool, { 'prompts/t.yaml': files });
    expect((await evaldiff('validate')).out).not.toContain('no result for it');
  });
});
