import { commandIn } from '../../../stand-ins/command-line.ts';
import { createRepository } from '../../../stand-ins/repository.ts';

const PROMPT = `model: gpt-5.4
messages: [{ role: user, content: '+{phone}, {name}@{domain}' }]
metrics: [{ uses: length, with: { max: 300 } }]
references: [{ input: { phone: 1, name: a, domain: b } }]
`;

const TRACES = `{ "resourceSpans": [] }
{ "traceId": "4111111111111111", "input": "+(030) 12345678, ann@x", "output": "4111111111111111\u009b\u{e0001}" }
{ "traceId": "1", "input": "+49 30 1234567, ann@x" }
{ "traceId": "2", "input": "+1, ann@mail.example" }
`;

test('replaces the same personal data in input and messages of a trace, and only there', async () => {
  const repository = createRepository();
  repository.write({ 'prompts/p.yaml': PROMPT, 't.jsonl': TRACES });
  const { out, err } = await commandIn(
    repository.directory,
    'import traces t.jsonl --prompt prompts/p.yaml'.split(' '),
  );
  expect(err).toContain('3: 2 traces not used, this one first: it contains personal data that ');
  expect(out).toContain('[card-1]\\u009b\\udb40\\udc01"');
  expect(JSON.parse(out)).toMatchObject({
    input: { phone: '[phone-1]' },
    trace: { id: '4111111111111111' },
    request: { messages: [{ content: '+[phone-1], ann@x' }] },
  });
});
