import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json, JsonMap } from '../../../../src/types/plain.ts';
import { commandIn } from '../../../stand-ins/command-line.ts';
import { createRepository } from '../../../stand-ins/repository.ts';

const SYSTEM = 'You answer customers of a shop (help@shop.example).';

const PROMPT = `model: gpt-5.4
messages:
  - { role: system, content: '${SYSTEM}' }
  - { role: user, content: "Question: {question}\\nAnswer in one sentence." }
metrics: [{ uses: length, with: { max: 300 } }]
references: [{ input: { question: Hi } }]
`;

const asked = (question: string) => `Question: ${question}\nAnswer in one sentence.`;

const messages = (question: string): Json[] => [
  { role: 'system', content: SYSTEM },
  { role: 'user', content: asked(question) },
];

const answered = (text: string): JsonMap => ({ role: 'assistant', content: text });

/** A trace of each format, with the question `Why?` and the answer `Because.`. */
const FORMATS: Readonly<Record<string, JsonMap>> = {
  OpenTelemetry: otlp({
    'gen_ai.system_instructions': JSON.stringify([{ type: 'text', content: SYSTEM }]),
    'gen_ai.input.messages': JSON.stringify([
      { role: 'user', parts: [{ type: 'text', content: asked('Why?') }] },
    ]),
    'gen_ai.output.messages': JSON.stringify([
      { role: 'assistant', parts: [{ type: 'text', content: 'Because.' }], finish_reason: 'stop' },
    ]),
    'gen_ai.request.model': 'gpt-5.4',
  }),
  'OpenTelemetry with an event': {
    resourceLogs: [
      {
        scopeLogs: [
          {
            logRecords: [
              {
                traceId: 't1',
                eventName: 'gen_ai.client.inference.operation.details',
                attributes: [
                  { key: 'gen_ai.request.model', value: { stringValue: 'gpt-5.4' } },
                  { key: 'gen_ai.input.messages', value: anyValue(messages('Why?')) },
                  { key: 'gen_ai.output.messages', value: anyValue([answered('Because.')]) },
                ],
              },
            ],
          },
        ],
      },
    ],
  },
  'OpenInference in OpenTelemetry': otlp({
    'llm.model_name': 'gpt-5.4',
    'llm.input_messages.0.message.role': 'system',
    'llm.input_messages.0.message.content': SYSTEM,
    'llm.input_messages.1.message.role': 'user',
    'llm.input_messages.1.message.content': asked('Why?'),
    'llm.output_messages.0.message.role': 'assistant',
    'llm.output_messages.0.message.content': 'Because.',
  }),
  'a data frame of Phoenix': {
    'context.trace_id': 't1',
    'context.span_id': 's1',
    'attributes.llm.model_name': 'gpt-5.4',
    'attributes.llm.input_messages': (messages('Why?') as JsonMap[]).map(
      ({ role = '', content = '' }) => ({ 'message.role': role, 'message.content': content }),
    ),
    'attributes.llm.output_messages': [
      { 'message.role': 'assistant', 'message.content': 'Because.' },
    ],
  },
  langfuse: {
    id: 'o1',
    traceId: 't1',
    type: 'GENERATION',
    model: 'gpt-5.4',
    input: messages('Why?'),
    output: answered('Because.'),
  },
  'a trace of langfuse with observations': {
    id: 't1',
    observations: [
      {
        traceId: 't1',
        model: 'gpt-5.4',
        input: JSON.stringify({ messages: messages('Why?') }),
        output: JSON.stringify(answered('Because.')),
      },
    ],
  },
  LangSmith: {
    id: 'r1',
    trace_id: 't1',
    run_type: 'llm',
    extra: { metadata: { ls_model_name: 'gpt-5.4' } },
    inputs: {
      messages: [
        [
          {
            lc: 1,
            type: 'constructor',
            id: ['SystemMessage'],
            kwargs: { type: 'system', content: SYSTEM },
          },
          {
            lc: 1,
            type: 'constructor',
            id: ['HumanMessage'],
            kwargs: { type: 'human', content: asked('Why?') },
          },
        ],
      ],
    },
    outputs: {
      generations: [
        [{ text: 'Because.', message: { kwargs: { type: 'ai', content: 'Because.' } } }],
      ],
    },
  },
  'LangSmith with messages of OpenAI': {
    trace_id: 't1',
    run_type: 'llm',
    extra: { invocation_params: { model: 'gpt-5.4' } },
    inputs: { messages: messages('Why?') },
    outputs: { choices: [{ index: 0, message: answered('Because.') }] },
  },
  Braintrust: {
    id: 'b1',
    root_span_id: 't1',
    span_attributes: { type: 'llm' },
    metadata: { model: 'gpt-5.4' },
    input: messages('Why?'),
    output: [{ index: 0, message: answered('Because.') }],
  },
  'stored completions of OpenAI': {
    id: 't1',
    object: 'chat.completion',
    model: 'gpt-5.4',
    messages: messages('Why?'),
    choices: [{ index: 0, message: answered('Because.') }],
  },
  "OpenAI's Responses": {
    id: 't1',
    object: 'response',
    model: 'gpt-5.4',
    choices: null,
    instructions: SYSTEM,
    input: [{ role: 'user', content: [{ type: 'input_text', text: asked('Why?') }] }],
    output: [
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Because.' }] },
    ],
  },
};

function otlp(attributes: Record<string, string>): JsonMap {
  const spans = [
    {
      traceId: 't1',
      spanId: 's1',
      startTimeUnixNano: '1764460800000000000',
      attributes: Object.entries(attributes).map(([key, stringValue]) => ({
        key,
        value: { stringValue },
      })),
    },
  ];
  return { resourceSpans: [{ scopeSpans: [{ scope: {}, spans }] }] };
}

function anyValue(value: Json): JsonMap {
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  if (typeof value === 'string') return { stringValue: value };
  const entries = Object.entries(value as JsonMap);
  return { kvlistValue: { values: entries.map(([key, own]) => ({ key, value: anyValue(own) })) } };
}

async function importTraces(files: Record<string, string>, ...options: string[]) {
  const repository = createRepository();
  repository.write({ 'prompts/support.yaml': PROMPT, ...files });
  const { directory } = repository;
  const given = ['--prompt', 'prompts/support.yaml', ...options];
  const said = await commandIn(directory, ['import', 'traces', ...Object.keys(files), ...given]);
  const path = join(directory, 'prompts/support.traces.jsonl');
  const texts = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  return { ...said, repository, rows: texts.map((text) => JSON.parse(text) as JsonMap) };
}

const trace = (question: string): JsonMap => ({
  traceId: 't1',
  model: 'gpt-5.4',
  input: messages(question),
  output: answered('Because.'),
});

const lines = (...values: Json[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');

describe('evaldiff import traces', () => {
  test.each(Object.keys(FORMATS))('reads %s', async (name) => {
    const { code, err, rows } = await importTraces({ 't.jsonl': lines(FORMATS[name] ?? null) });
    expect([code, err]).toEqual([0, 'replaced: no personal data found\n']);
    expect(rows).toMatchObject([
      {
        input: { question: 'Why?' },
        trace: { file: 't.jsonl', line: 1, id: 't1', model: 'gpt-5.4' },
        request: { messages: messages('Why?') },
        reply: { output: 'Because.' },
      },
    ]);
  });

  test('reads a file that is one array, and lists what it does not use with the first place', async () => {
    const traces = [
      trace('Why?'),
      trace('Why?'),
      { ...trace('Who?'), input: [{ role: 'user', content: 'Who?' }] },
      { ...trace('How?'), input: 'How?' },
      { ...trace('When?'), input: null },
      {
        ...trace(''),
        input: [
          { role: 'system', content: SYSTEM },
          { role: 'user', content: 'When?' },
        ],
      },
    ];
    const { code, out, err, rows } = await importTraces({
      't.json': `\ufeff${JSON.stringify(traces, null, 2)}`,
    });
    expect([code, rows.length]).toEqual([0, 1]);
    expect(err.split('\n')).toEqual([
      't.json:38: 2 traces not used, such as this one, which has not as many messages as the prompt',
      't.json:61: 1 trace not used, such as this one, which has no messages, or some that are not text',
      't.json:70: 1 trace not used, such as this one, which has in message 2 not the text of the prompt, or in several ways',
      'replaced: no personal data found',
      '',
    ]);
    expect(out).toMatch(/^wrote prompts\/support\.traces\.jsonl: 1 test\n/);
  });

  test('takes disliked, failed and corrected traces first, and the others by length and seed', async () => {
    const special = [
      { ...trace('disliked?'), scores: [{ name: 'user-feedback', value: 0 }] },
      { ...trace('failed?'), output: null, statusMessage: 'rate limit' },
      { ...trace('corrected?'), expectedOutput: 'Right.' },
    ];
    const short = Array.from({ length: 40 }, (_, at) => trace(`short ${at}`));
    const long = trace(`long ${'word '.repeat(200)}`);
    const draw = async (seed: string) => {
      const file = lines(...short, long, ...special);
      const drawn = await importTraces({ 't.jsonl': file }, '--most', '7', '--seed', seed);
      return { ...drawn, questions: drawn.rows.map(({ input }) => (input as JsonMap)['question']) };
    };
    const [first, again, other] = [await draw('0'), await draw('0'), await draw('1')];
    expect(
      first.rows
        .slice(0, 3)
        .map(({ tags }) => tags)
        .sort(),
    ).toEqual([
      ['trace', 'corrected'],
      ['trace', 'disliked'],
      ['trace', 'failed'],
    ]);
    expect(first.rows.flatMap(({ expected }) => expected ?? [])).toEqual(['Right.']);
    expect(first.out).toMatch(/: 7 tests, 1 \w+, 1 \w+, 1 \w+\n/);
    expect(first.questions).toHaveLength(7);
    expect(first.questions.filter((each) => String(each).startsWith('long'))).toHaveLength(1);
    expect(again.questions).toEqual(first.questions);
    expect(other.questions).not.toEqual(first.questions);
  });

  test('replaces personal data everywhere it writes, and refuses traces with secrets', async () => {
    const personal =
      'I am Ann@mail.example or ann@mail.example, +49 30 1234567, card 4111 1111 1111 1111, ' +
      'DE89 3704 0044 0532 0130 00, 192.168.0.1, order 4111111111111112 of 2026-11-30';
    const key = `sk-proj-${'a1B2'.repeat(10)}`;
    const { code, err, rows, repository } = await importTraces({
      't.jsonl': lines(
        { ...trace(personal), output: 'Mail to ann@mail.example.' },
        trace(`my key is ${key}`),
        { ...trace('Why?'), output: '-----BEGIN RSA PRIVATE KEY-----' },
      ),
    });
    expect(code).toBe(0);
    expect(err).toContain(
      't.jsonl:2: 1 trace not used, such as this one, which contains an API key (sk-…)',
    );
    expect(err).toContain(
      't.jsonl:3: 1 trace not used, such as this one, which contains a private key',
    );
    expect(err).toContain(
      'replaced: 2 emails, 1 IBAN, 1 card number, 1 network address, 1 phone number\n',
    );
    const question =
      'I am [email-2] or [email-1], [phone-1], card [card-1], [iban-1], [ip-1], ' +
      'order 4111111111111112 of 2026-11-30';
    expect(rows).toMatchObject([
      {
        input: { question },
        request: { messages: messages(question) },
        reply: { output: 'Mail to [email-1].' },
      },
    ]);
    const written = repository.git('status', '--porcelain', '-uall');
    expect(written).not.toContain('logged');
  });

  test('reads a dialogue, and a prompt at the commit that made the traces', async () => {
    const dialogue = [
      ...messages('Why?'),
      answered('Because.'),
      { role: 'user', content: 'Really?' },
    ];
    const { rows } = await importTraces({ 't.jsonl': lines({ ...trace(''), input: dialogue }) });
    expect(rows).toMatchObject([
      { input: dialogue.slice(1), request: { messages: dialogue }, reply: { output: 'Because.' } },
    ]);
    const earlier = createRepository();
    const commit = earlier.commit('earlier', { 'prompts/support.yaml': PROMPT });
    earlier.write({
      'prompts/support.yaml': PROMPT.replace('in one sentence', 'briefly'),
      't.jsonl': lines(trace('Why?')),
    });
    const args = ['import', 'traces', 't.jsonl', '--prompt', 'prompts/support.yaml'];
    const now = await commandIn(earlier.directory, args);
    expect([now.code, now.err]).toEqual([2, expect.stringContaining('no trace can be used')]);
    expect((await commandIn(earlier.directory, [...args, '--commit', commit])).code).toBe(0);
  });

  test('writes tests and recordings, of several formats, that run as the printed lines say', async () => {
    const { repository, out } = await importTraces({
      't.jsonl': lines(FORMATS['LangSmith'] ?? null, trace('Who?')),
    });
    const line = (pattern: RegExp) => pattern.exec(out)?.[0].trim() ?? '';
    repository.write({
      'prompts/support.yaml': `${PROMPT}${line(/ {2}references_from: .*/)}\n`,
      'evaldiff.yaml': `models:\n  ${line(/ {2}logged: .*/)}\n`,
    });
    expect(out).toContain(
      'npx evaldiff run prompts=support tags=trace model=logged,gpt-5.4 n_tries=1\n',
    );
    const run = ['run', 'prompts=support', 'model=logged', 'tags=trace', 'n_tries=1'];
    const ran = await commandIn(repository.directory, run);
    expect([ran.code, ran.err]).toEqual([0, expect.stringContaining('2 answers from recordings')]);
  });

  const WHY = { 't.jsonl': lines(trace('Why?')) };

  test.each<[string, Record<string, string>, string[], string]>([
    [
      'a file without traces',
      { 't.jsonl': lines({ a: 1 }) },
      [],
      't.jsonl:1: is not a trace in a known format: OpenTelemetry, ',
    ],
    ['an empty file', { 't.jsonl': '\n' }, [], 't.jsonl: contains no traces'],
    [
      'another prompt',
      WHY,
      ['--prompt', 'prompts/none.yaml'],
      'prompts/none.yaml: is not a prompt of this project; name one of prompts/support.yaml',
    ],
    [
      'a number of tests that is none',
      WHY,
      ['--most', '0'],
      '--most: must be a whole number from 1 to 5000',
    ],
    [
      'a file that was written before',
      { ...WHY, 'prompts/support.traces.jsonl': WHY['t.jsonl'] },
      [],
      'prompts/support.traces.jsonl: exists already and is not overwritten',
    ],
  ])('refuses %s', async (_, files, options, message) => {
    const { code, err, out } = await importTraces(files, ...options);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(message);
  });
});
