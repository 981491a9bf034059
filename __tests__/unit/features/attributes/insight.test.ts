import { insightQuestion } from '../../../../src/features/attributes/insight.ts';
import type { Packet } from '../../../../src/trials/packet.ts';
import { proposeChanges } from '../../../../src/trials/proposals.ts';
import type { Request } from '../../../../src/types/model.ts';
import { answer, hostedTarget } from '../../app/run/builders.ts';
import { attributeResult } from './builders.ts';

const PROMPT = ['You answer customers.', 'Be warm about refunds.', 'Sign as {name}. Sign as Ada.'];
const PACKET: Packet = {
  materials: { task: 'the task', change: 'the change', groups: 'the groups', cases: 'the cases' },
  quotes: (text) => text.includes('order-42'),
};
const written = (changes: object = {}): object => ({
  was: 'Be warm about refunds.',
  becomes: 'Be warm, and name the refund window.',
  ...changes,
});

async function proposed(...insights: object[]) {
  const asked: Request[] = [];
  const place = { file: 'p.yaml', line: 8 };
  const found = await proposeChanges(
    insightQuestion(attributeResult('refunds')),
    PACKET,
    [
      { role: 'system', content: PROMPT.join('\n'), place },
      { role: 'user', content: '{question}', place },
    ],
    {
      grader: { target: hostedTarget('grader'), parameters: {} },
      random: () => 'delimiter',
      complete: (request) => {
        asked.push(request);
        return Promise.resolve(answer(JSON.stringify({ insights })));
      },
    },
  );
  return { found, text: asked[0]?.messages[1]?.content ?? '' };
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
    const { found } = await proposed(written());
    const becomes = 'Be warm, and name the refund window.';
    expect(found).toMatchObject([{ line: 1, was: 'Be warm about refunds.', becomes }]);
    expect(
      typeof found === 'string' ? [] : found[0]?.messages.map(({ content }) => content),
    ).toEqual([[PROMPT[0], becomes, PROMPT[2]].join('\n'), '{question}']);
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
    expect((await proposed(written(changes))).found).toEqual([]);
  });

  test('is kept even if another is dropped, but only the first two proposals are used', async () => {
    const { found } = await proposed(written({ was: '' }), written(), written());
    expect(found).toHaveLength(1);
  });
});
