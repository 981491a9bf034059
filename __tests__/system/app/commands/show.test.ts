import { openShop, type Shop } from '../../../unit/app/commands/shop.ts';

let shop: Shop;
beforeEach(async () => {
  shop = await openShop({
    answer: ({ messages }) => ({
      text: JSON.stringify(messages).includes('Reply') ? 'no idea\nat all' : 'Yes, 5',
    }),
  });
});

const PROMPT =
  'name: ask\nmodel: m\ndefaults: [tests/ask]\nvariables: [{ name: q }]\nmessages: [{ role: user, content: "Reply: {q}" }]\n';

describe('evaldiff show', () => {
  test("prints a reference's file and line, input, both prompts, every answer, scores and reasons", async () => {
    shop.repository.write({ 'prompts/ask.yaml': PROMPT });
    await shop.evaldiff('diff', '--report', 'evaldiff-report');
    const asked = shop.server.requests.length;
    const { code, out, err } = await shop.evaldiff('show', 'r2');
    expect(code).toBe(0);
    expect(shop.server.requests).toHaveLength(asked);
    const inOrder = [
      'r2 in ask',
      'prompts/tests/ask.yaml:6',
      'question 2',
      'Prompt as sent by base',
      'Answer: question 2',
      'Prompt as sent by head',
      'Reply: question 2',
      'Base: 2 of 2 judged tries pass',
      'Yes, 5',
      'has',
      'Head: 0 of 2 judged tries pass',
      'no idea',
      'at all',
    ];
    let at = -1;
    for (const words of inOrder) {
      const next = out.indexOf(words, at + 1);
      expect([words, next > at]).toEqual([words, true]);
      at = next;
    }
    expect(out).not.toContain('question 1');
    expect(err).toContain(
      "uncommitted files; head's prompt is rendered from the files as they are now",
    );
  });

  test('finds a reference by words of its input or its number, and several references by a pattern', async () => {
    await shop.evaldiff('run', '--report', 'evaldiff-report');
    const ids = async (wanted: string) =>
      (
        JSON.parse((await shop.evaldiff('show', wanted, '--json')).out) as {
          suite: string;
          reference: { id: string };
          prompt: { base: unknown; head: unknown };
        }[]
      ).map(({ suite, reference, prompt }) => [suite, reference.id, prompt.base]);
    expect(await ids('question 3')).toEqual([['ask', 'r3', null]]);
    expect(await ids('ask/r3')).toEqual([['ask', 'r3', null]]);
    expect(await ids('@4')).toEqual([['ask', 'r3', null]]);
    expect(await ids('r?')).toEqual(['r0', 'r1', 'r2', 'r3'].map((id) => ['ask', id, null]));
  });

  test('prints JSON in one shape, as documented in docs/command-line.md', async () => {
    await shop.evaldiff('run', '--report', 'evaldiff-report');
    const [json = {}] = JSON.parse((await shop.evaldiff('show', 'r1', '--json')).out) as object[];
    expect(Object.keys(json)).toEqual([
      'schema_version',
      'suite',
      'path',
      'variant',
      'reference',
      'causes',
      'prompt',
    ]);
    expect(json).toMatchObject({
      ...{ schema_version: 2, suite: 'ask', path: 'prompts/ask.yaml', causes: [] },
      reference: { id: 'r1', file: 'prompts/tests/ask.yaml', base: null, head: { passes: 2 } },
      prompt: { base: null, head: [{ role: 'user', content: 'Answer: question 1' }] },
    });
  });

  test('reports an unknown id with the most similar one and the result it searched', async () => {
    expect(await shop.evaldiff('show', 'r1')).toMatchObject({
      code: 2,
      err: expect.stringContaining('evaldiff-report'),
    });
    await shop.evaldiff('run', '--report', 'evaldiff-report', 'references=r1*');
    const { code, err } = await shop.evaldiff('show', 'rr1');
    expect([code, err]).toEqual([
      2,
      'this result has no reference "rr1"; it contains only references that ran; did you mean "r1"?\n',
    ]);
  });

  test("reads the prompts from the result's commit, whatever the files now contain", async () => {
    await shop.evaldiff('run', '--report', 'evaldiff-report');
    shop.repository.write({ 'prompts/ask.yaml': 'name: [' });
    const { code, out, err } = await shop.evaldiff('show', 'r1');
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('Answer: question 1');
  });

  test('shows only the answers if the prompts can no longer be read, and says so', async () => {
    shop.repository.write({ 'prompts/ask.yaml': PROMPT });
    await shop.evaldiff('run', '--report', 'evaldiff-report');
    shop.repository.write({ 'prompts/ask.yaml': 'name: [' });
    const { code, out, err } = await shop.evaldiff('show', 'r1');
    expect([code, out.includes('no idea'), out.includes('Prompt as sent')]).toEqual([
      0,
      true,
      false,
    ]);
    expect(err).toMatch(
      /^note: the prompts as sent are not shown: prompts\/ask\.yaml:1: is not valid YAML/,
    );
  });
});
