import { insightQuestion } from '../../../../src/features/attributes/insight.ts';
import type { Packet } from '../../../../src/trials/packet.ts';
import { proposedFixes } from '../../../../src/trials/proposals.ts';
import type { Request } from '../../../../src/types/model.ts';
import { answer, hostedTarget, prompt, suite, suiteSide } from '../../app/run/builders.ts';
import { attributeResult } from './builders.ts';

const PROMPT = ['You answer customers.', 'Be warm about refunds.', 'Sign as {name}. Sign as Ada.'];
const FILE = [
  'messages:',
  '  - content: |',
  ...PROMPT.map((line) => `      ${line}`),
  "  - content: '{question}'",
];
const PACKET: Packet = {
  materials: { task: 'the task', change: 'the change', groups: 'the groups', cases: 'the cases' },
  quotes: (text) => text.includes('order-42'),
};
const written = (changes: object = {}): object => ({
  was: 'Be warm about refunds.',
  becomes: 'Be warm, and name the refund window.',
  ...changes,
});

function promptOf(file: readonly string[]) {
  const content = file.slice(2, 2 + PROMPT.length).map((line) => line.trim());
  return prompt({
    messages: [
      { role: 'system', content: content.join('\n'), place: { file: 'p.yaml', line: 2 } },
      { role: 'user', content: '{question}', place: { file: 'p.yaml', line: FILE.length } },
    ],
  });
}

async function proposed(...insights: object[]) {
  const asked: Request[] = [];
  const files = {
    lines: () => Promise.resolve(FILE),
    reread: (_: string, text: string) =>
      Promise.resolve({ own: promptOf(text.split('\n')), others: [] }),
  };
  const { candidates } = await proposedFixes(
    insightQuestion(attributeResult('refunds')),
    PACKET,
    { side: suiteSide('head', suite({ prompt: promptOf(FILE) })), files },
    {
      grader: { target: hostedTarget('grader'), parameters: {} },
      random: () => 'delimiter',
      complete: (request) => {
        asked.push(request);
        return Promise.resolve(answer(JSON.stringify({ insights })));
      },
    },
  );
  const text = asked[0]?.messages[1]?.content ?? '';
  return { edits: candidates.map(({ edit }) => edit), text };
}

describe('an insight proposed by a model', () => {
  test('is based on a request with the evidence and figures of one attribute', async () => {
    const { text } = await proposed();
    for (const part of ['the task', 'the change', 'the groups', 'the cases'])
      expect(text).toContain(`delimiter>>>\n${part}\n<<<end delimiter>>>`);
    expect(text).toContain(
      '<<<attribute delimiter>>>\nrefunds (domain) regressed: pass rate 95.0 % → 60.0 % (−35.0 points) over 12 tests.\n',
    );
  });

  test('changes one passage of the prompt, and names the line', async () => {
    expect((await proposed(written())).edits).toEqual([
      {
        file: 'p.yaml',
        lines: { from: 4, to: 4 },
        replaced: FILE[3],
        replacement: '      Be warm, and name the refund window.',
      },
    ]);
  });

  test.each([
    ['that quotes a test', { becomes: 'Tell order-42 yes.' }],
    ['of words that are not there', { was: 'Be cold.' }],
    ['of words that are there twice', { was: 'Sign as' }],
    ['of no words', { was: '' }],
    ['of two lines', { was: PROMPT.slice(0, 2).join('\n') }],
    ['with a new variable', { becomes: 'Ask {secret}.' }],
    [
      'with a variable that only its surroundings complete',
      { was: 'name}. Sign as Ada', becomes: 'secret}' },
    ],
    ['with a hidden character', { becomes: 'Name\u200b it.' }],
    ['of more than one line', { becomes: 'One.\nTwo.' }],
    ['that rewrites the prompt', { becomes: 'x'.repeat(330) }],
    ['that changes nothing', { becomes: 'Be warm about refunds.' }],
  ])('%s is dropped', async (_, changes) => {
    expect((await proposed(written(changes))).edits).toEqual([]);
  });

  test('is kept even if another is dropped, but only the first two proposals are used', async () => {
    const { edits } = await proposed(written({ was: '' }), written(), written());
    expect(edits).toHaveLength(1);
  });
});
