import type { JsonMap } from '../../../../src/types/plain.ts';
import { commandIn } from '../../../stand-ins/command-line.ts';
import { createRepository } from '../../../stand-ins/repository.ts';

const CARD = '4111111111111111';
const PROMPT = 'prompts/p.yaml';

async function importTraces(...lines: JsonMap[]) {
  const repository = createRepository();
  repository.write({
    [PROMPT]: `model: gpt-5.4
messages: [{ role: user, content: '+{phone}, {name}@{domain}' }]
metrics: [{ uses: length, with: { max: 300 } }]
references: [{ input: { phone: 1, name: a, domain: b } }]
`,
    't.jsonl': lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  });
  return commandIn(repository.directory, ['import', 'traces', 't.jsonl', '--prompt', PROMPT]);
}

const trace = (input: string, output = ''): JsonMap => ({ traceId: CARD, model: CARD, input, output });

test('replaces the same personal data in input and messages, and only there', async () => {
  const answer = `${CARD}\u009b\u{e0001}`;
  const { out, err } = await importTraces(
    { resourceSpans: [] },
    trace('+(030) 12345678, ann@x', answer),
    trace('+49 30 1234567, ann@x'),
    trace('+1, ann@mail.example'),
  );
  expect(err).toBe(
    't.jsonl:3: 2 traces not used, this one first: it contains personal data that cannot be replaced\n' +
      '1 test of 1 trace; replaced: 0 emails, 0 IBANs, 1 card, 0 IPs, 1 phone\n',
  );
  expect(out).toContain('[card-1]\\u009b\\udb40\\udc01"');
  expect(JSON.parse(out)).toMatchObject({
    input: { phone: '[phone-1]', name: 'ann', domain: 'x' },
    trace: { id: CARD, model: CARD },
    request: { messages: [{ content: '+[phone-1], ann@x' }] },
  });
});
