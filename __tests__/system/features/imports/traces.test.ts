import { readdirSync } from 'node:fs';
import type { Json, JsonMap } from '../../../../src/types/plain.ts';
import { commandIn } from '../../../stand-ins/command-line.ts';
import { readFixture } from '../../../stand-ins/fixture.ts';
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

async function importTraces(files: Record<string, string>, ...options: string[]) {
  const repository = createRepository();
  repository.write({ 'prompts/support.yaml': PROMPT, ...files });
  const given = ['--prompt', 'prompts/support.yaml', ...options];
  const args = ['import', 'traces', ...Object.keys(files), ...given];
  const said = await commandIn(repository.directory, args);
  const rows = said.out.split('\n').filter((line) => line !== '');
  return { ...said, repository, rows: rows.map((row) => JSON.parse(row) as JsonMap) };
}

const trace = (question: string): JsonMap => ({
  traceId: 't1',
  model: 'gpt-5.4',
  input: messages(question),
  output: answered('Because.'),
});

const exported = (name: string) => readFixture(`traces/${name}`) as Json;

const lines = (...values: Json[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');

const NOTHING = '0 emails, 0 IBANs, 0 cards, 0 IPs, 0 phones';

describe('evaldiff import traces', () => {
  // Each file is a trace with the question `Why?` and the answer `Because.`.
  test.each(readdirSync('fixtures/traces'))('reads the format of %s', async (name) => {
    const file = { 't.jsonl': lines(exported(name)) };
    const { code, err, rows } = await importTraces(file);
    expect([code, err]).toEqual([0, `1 test of 1 trace; replaced: ${NOTHING}\n`]);
    expect(rows).toMatchObject([
      {
        input: { question: 'Why?' },
        tags: ['trace'],
        trace: { file: 't.jsonl', line: 1, id: 't1', model: 'gpt-5.4' },
        request: { messages: messages('Why?') },
        reply: { output: 'Because.' },
      },
    ]);
  });

  test('counts traces that do not match, by reason, with the place of the first', async () => {
    const traces = [
      trace('Why?'),
      trace('Why?'),
      { ...trace('Who?'), input: [{ role: 'user', content: 'Who?' }] },
      { ...trace('How?'), input: 'How?' },
      { ...trace('When?'), input: null },
    ];
    const { code, err, rows } = await importTraces({ 't.jsonl': lines(...traces) });
    expect([code, rows.length]).toEqual([0, 1]);
    expect(err.split('\n')).toEqual([
      't.jsonl:3: 2 traces not used, this one first: message 1 does not match the prompt, or in several ways',
      't.jsonl:5: 1 trace not used, this one first: it has no messages, or some that are not text',
      `1 test of 2 traces; replaced: ${NOTHING}`,
      '',
    ]);
  });

  test('reads a JSON document, in the list of an API or an array', async () => {
    const page = JSON.stringify({ data: [trace('Why?')] }, null, 2);
    const array = `\ufeff${JSON.stringify([trace('Who?')], null, 2)}`;
    const { code, rows } = await importTraces({ 'a.json': page, 'b.json': array });
    expect([code, rows.length]).toEqual([0, 2]);
  });

  test('takes disliked, failed and corrected traces first, and the others by length and seed', async () => {
    const special = [
      {
        ...trace('disliked?'),
        scores: [{ name: 'user-feedback', value: 0, stringValue: 'False' }],
      },
      { ...trace('failed?'), output: null, statusMessage: 'rate limit' },
      {
        ...trace('corrected?'),
        scores: [{ name: 'output', dataType: 'CORRECTION', value: 0, stringValue: 'Right.' }],
      },
    ];
    const short = Array.from({ length: 40 }, (_, at) => trace(`short ${at}`));
    const long = trace(`long ${'word '.repeat(200)}`);
    const draw = async (seed: string) => {
      const file = lines(...short, long, ...special);
      const drawn = await importTraces({ 't.jsonl': file }, '--most', '7', '--seed', seed);
      return { ...drawn, questions: drawn.rows.map(({ input }) => (input as JsonMap)['question']) };
    };
    const [first, again, other] = [await draw('0'), await draw('0'), await draw('1')];
    const tags = first.rows.slice(0, 3).map((row) => String(row['tags']));
    expect(tags.sort()).toEqual(['trace,corrected', 'trace,disliked', 'trace,failed']);
    expect(first.rows.flatMap(({ expected }) => expected ?? [])).toEqual(['Right.']);
    expect(first.err).toContain('7 tests of 44 traces;');
    expect(first.questions.filter((each) => String(each).startsWith('long'))).toHaveLength(1);
    expect(again.questions).toEqual(first.questions);
    expect(other.questions).not.toEqual(first.questions);
  });

  test('replaces personal data everywhere but in text of the prompt, and refuses secrets', async () => {
    const personal =
      'I am Ann@mail.example or ann@mail.example, +49 30 1234567, card 4111 1111 1111 1111, ' +
      'DE89 3704 0044 0532 0130 00, 192.168.0.1, order 4111111111111112 of 2026-11-30 12:30:45';
    const key = `sk-proj-${'a1B2'.repeat(10)}`;
    const { code, out, err, rows } = await importTraces({
      't.jsonl': lines(
        { ...trace(personal), output: 'Mail to ann@mail.example or help@shop.example.' },
        trace(`my key is ${key}`),
        { ...trace('Why?'), output: '-----BEGIN RSA PRIVATE KEY-----' },
      ),
    });
    expect(code).toBe(0);
    expect(out).not.toContain(key);
    expect(err.split('\n')).toEqual([
      't.jsonl:2: 1 trace not used, this one first: it contains an API key (sk-…)',
      't.jsonl:3: 1 trace not used, this one first: it contains a private key',
      '1 test of 1 trace; replaced: 2 emails, 1 IBAN, 1 card, 1 IP, 1 phone',
      '',
    ]);
    const question =
      'I am [email-1] or [email-2], [phone-1], card [card-1], [IBAN-1], [IP-1], ' +
      'order 4111111111111112 of 2026-11-30 12:30:45';
    expect(rows).toMatchObject([
      {
        input: { question },
        request: { messages: messages(question) },
        reply: { output: 'Mail to [email-2] or help@shop.example.' },
      },
    ]);
  });

  test('writes tests and recordings that run against the logged answers', async () => {
    const dialogue = [...messages('Why?'), answered('So.'), { role: 'user', content: 'Really?' }];
    const { repository, out } = await importTraces({
      't.jsonl': lines(trace('Who?'), { ...trace(''), input: dialogue }),
    });
    const file = 'prompts/support.traces.jsonl';
    repository.write({
      [file]: out,
      'prompts/support.yaml': `${PROMPT}references_from: { file: support.traces.jsonl }\n`,
      'evaldiff.yaml': `models:\n  logged: { provider: replay, file: ${file} }\n`,
    });
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
      't.jsonl:1: has no trace of OpenTelemetry, ',
    ],
    [
      'two formats in one file',
      { 't.jsonl': lines(trace('Why?'), exported('langsmith.json')) },
      [],
      't.jsonl:2: has LangSmith after Langfuse; write a file of each',
    ],
    [
      'a line that is cut off',
      { 't.jsonl': `${WHY['t.jsonl']}{"id": "t` },
      [],
      't.jsonl:2: is invalid JSON, or cut off; export it again',
    ],
    [
      'traces that do not match',
      { 't.jsonl': lines({ ...trace(''), input: 'Hi' }) },
      [],
      'prompts/support.yaml: no trace matches this prompt; give traces of its calls',
    ],
    [
      'another prompt',
      WHY,
      ['--prompt', 'prompts/none.yaml'],
      'prompts/none.yaml: is not a prompt of this project; name one of prompts/support.yaml',
    ],
    ['a missing file', WHY, ['--', 'u.jsonl'], 'u.jsonl: is not a file that can be read'],
  ])('refuses %s', async (_, files, options, message) => {
    const { code, err, out } = await importTraces(files, ...options);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(message);
  });
});
