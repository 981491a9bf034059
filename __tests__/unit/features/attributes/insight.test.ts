import { describe, expect, test } from '@jest/globals';
import { insightText, proposeInsights } from '../../../../src/features/attributes/insight.ts';
import type { Packet } from '../../../../src/trials/packet.ts';
import type { Request } from '../../../../src/types/model.ts';
import { answer, hostedTarget } from '../../app/run/builders.ts';
import { attributeResult } from './builders.ts';

const PROMPT = ['You answer customers.', 'Be warm about refunds.', 'Sign as {name}. Sign as Ada.'];
const PACKET: Packet = {
  materials: { task: 'the task', change: 'the change', groups: 'the groups', cases: 'the cases' },
  quotes: (text) => text.includes('order-42'),
};
const written = (changes: object = {}): object => ({
  ...{ before_percent: 95, after_percent: 60, why: 'Answers lack the window.' },
  ...{ was: 'Be warm about refunds.', becomes: 'Be warm, and name the refund window.' },
  ...changes,
});

async function proposed(...insights: object[]) {
  const asked: Request[] = [];
  const place = { file: 'p.yaml', line: 8 };
  const found = await proposeInsights(
    attributeResult('refunds'),
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
  return { ...found, text: asked[0]?.messages[1]?.content ?? '' };
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
    const { insights, faults } = await proposed(written());
    expect(faults).toEqual([]);
    const becomes = 'Be warm, and name the refund window.';
    expect(insights).toMatchObject([
      { change: { message: 0, line: 1, was: 'Be warm about refunds.', becomes } },
    ]);
    expect(insights[0]?.messages.map(({ content }) => content)).toEqual([
      [PROMPT[0], becomes, PROMPT[2]].join('\n'),
      '{question}',
    ]);
  });

  test.each<[string, object, string]>([
    ['without the figure', { before_percent: 90 }, 'does not state the pass rates of refunds'],
    ['with a wrong figure', { after_percent: 6 }, 'does not state the pass rates of refunds'],
    ['that says nothing', { why: ' ' }, 'it says nothing'],
    ['with a number of its own', { why: 'It lacks 30 days.' }, 'it states "30" itself'],
    ['that claims success', { why: 'This is approved.' }, 'it states "approved" itself'],
    ['that quotes a test', { becomes: 'Tell order-42 yes.' }, 'it quotes a test'],
    ['of words that are not there', { was: 'Be cold.' }, 'do not occur exactly once in the prompt'],
    [
      'of words that are there twice',
      { was: 'Sign as' },
      'do not occur exactly once in the prompt',
    ],
    ['of no words', { was: '' }, 'do not occur exactly once in the prompt'],
    [
      'of two lines',
      { was: PROMPT.slice(0, 2).join('\n') },
      'do not occur exactly once in the prompt',
    ],
    ['with a new variable', { becomes: 'Ask {secret}.' }, 'adds a variable'],
    [
      'with a variable that only its surroundings complete',
      { was: 'name}. Sign as Ada', becomes: 'secret}' },
      'adds a variable',
    ],
    ['with a hidden character', { becomes: 'Name\u200b it.' }, 'has invisible characters'],
    ['of more than one line', { becomes: 'One.\nTwo.' }, 'longer than allowed'],
    ['that rewrites the prompt', { becomes: 'x'.repeat(330) }, 'longer than allowed'],
    ['that changes nothing', { becomes: 'Be warm about refunds.' }, 'longer than allowed'],
  ])('%s is dropped', async (_, changes, fault) => {
    const { insights, faults } = await proposed(written(changes));
    expect(insights).toEqual([]);
    expect(faults).toEqual([expect.stringContaining(fault)]);
  });

  test('is kept even if another insight is dropped, but only the first two proposals are used', async () => {
    const { insights, faults } = await proposed(
      written({ why: '' }),
      written({ why: 'Fine.\n\n# Heading\u202e' }),
      written(),
    );
    expect(insights.map(({ why }) => why)).toEqual(['Fine. # Heading']);
    expect(faults).toEqual(['an insight was dropped: it says nothing']);
  });
});

test('the text of a tested insight states the figures, the reason, and the effect of the proposed change', () => {
  const gain = { recovers: { references: 5, of: 5 }, stable: 45 };
  expect(
    insightText(attributeResult('Shopping'), { why: 'Answers lack the price.', ...gain }),
  ).toBe(
    'Shopping (domain) regressed: pass rate 95.0 % → 60.0 % (−35.0 points) over 12 tests. Answers lack the price. The change recovers 5 of 5 in Shopping, no loss found in 45 other tests.',
  );
});
