import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scripted, Seen } from '../../../stand-ins/models/server.ts';
import { openShop } from '../../../unit/app/commands/shop.ts';

const SETTINGS =
  '  vectors: { provider: openai, endpoint: local, model: nomic-embed-text, price: { input: 1000, output: 0 } }\nembeddings: { model: vectors, dimensions: 2 }\n';
const tests = (more = '') =>
  `metrics:\n  - { name: near, uses: embedding_similarity${more} }\nreferences:\n  - { id: a, input: { q: one }, expected: Yes. }\n  - { id: b, input: { q: two }, expected: No. }\n`;

/**
 * The model answers yes. Embeddings of texts with "yes" point in one direction, all others in
 * another.
 */
const answer = ({ embedding, messages }: Seen) =>
  embedding
    ? {
        vector: messages[0]?.content.startsWith('Yes') === true ? [1, 0.1] : [0.1, 1],
        usage: { input: 4, output: 0 },
      }
    : { text: 'Yes, indeed' };

async function openNear() {
  const shop = await openShop({ settings: SETTINGS, answer });
  shop.repository.commit('near', { 'prompts/tests/ask.yaml': tests() });
  return shop;
}

describe('embeddings for comparing answers', () => {
  test('are requested once per text, priced and counted separately, and stored for the next run', async () => {
    const shop = await openNear();
    const result = await shop.result('run', '--fail-on', 'never');
    expect(result.problems).toEqual([]);
    expect(
      result.suites[0]?.references.map(({ id, head }) => [
        id,
        head?.tries.map(({ outcome }) => outcome),
      ]),
    ).toEqual([
      ['a', ['pass', 'pass']],
      ['b', ['fail', 'fail']],
    ]);
    const asked = shop.server.requests.filter(({ embedding }) => embedding);
    const bodies = ['No.', 'Yes, indeed', 'Yes.'].map((input) => ({
      ...{ model: 'nomic-embed-text', input, dimensions: 2 },
    }));
    expect(asked).toHaveLength(bodies.length);
    expect(asked.map(({ body }) => body)).toEqual(expect.arrayContaining(bodies));
    expect(shop.server.refused).toEqual([]);
    expect(result.usage.by_purpose.embedding).toMatchObject({ calls: 3, cost_usd: 0.012 });
    const before = shop.server.requests.length;
    const again = await shop.result('run', '--fail-on', 'never');
    expect(again.usage.by_purpose.embedding?.calls).toBe(0);
    expect(shop.server.requests).toHaveLength(before);
    writeFileSync(
      join(shop.repository.directory, 'prompts/tests/ask.yaml'),
      tests(', with: { threshold: 0.05 }'),
    );
    const moved = await shop.result('diff', '--base', 'HEAD');
    expect(moved.scoring[0]).toMatchObject({
      prompt_effect: 0,
      scoring_effect: 0.5,
      because: [{ key: 'metrics.near', file: 'prompts/tests/ask.yaml' }],
    });
    expect(shop.server.requests).toHaveLength(before);
  });

  test('appear in the plan and count against the limit on calls', async () => {
    const shop = await openNear();
    const capped = await shop.result('run', '--max-calls', '9');
    expect(capped.problems[0]?.message).toMatch(
      /^This run would make 10 model calls \(4 answers for 2 references of 1 prompt.* \+ 6 grader calls\)/,
    );
    expect(shop.server.requests).toEqual([]);
  });

  test('are replayed from a recording; a try whose text was not recorded ends in an error', async () => {
    const shop = await openNear();
    const file = join(shop.repository.directory, 'recorded.jsonl');
    await shop.result('run', '--record', file, '--fail-on', 'never');
    const settings =
      'n_tries: 2\nmodels:\n  m: { provider: replay, file: recorded.jsonl, model: model-1 }\n  vectors: { provider: replay, file: recorded.jsonl, model: nomic-embed-text }\nembeddings: { model: vectors, dimensions: 2 }\n';
    writeFileSync(join(shop.repository.directory, 'evaldiff.yaml'), settings);
    const before = shop.server.requests.length;
    const replayed = await shop.result('run', '--fail-on', 'never');
    expect(replayed.suites[0]?.references.map(({ head }) => head?.rollup)).toEqual([
      'pass',
      'fail',
    ]);
    expect(shop.server.requests).toHaveLength(before);
    writeFileSync(
      join(shop.repository.directory, 'prompts/tests/ask.yaml'),
      tests().replace('No.', 'Never.'),
    );
    const lacking = await shop.result('run', '--fail-on', 'never');
    expect(JSON.stringify(lacking)).toContain(
      'no recording of an embedding for model nomic-embed-text',
    );
  });
});

describe('openai_moderation_api', () => {
  const openModerated = async (reply: Scripted) => {
    const shop = await openShop({
      settings:
        '  omni-moderation-latest: { provider: openai, endpoint: local, is: omni-moderation-latest }\n',
      answer: ({ moderation }) => (moderation === true ? reply : { text: 'I will hit you.' }),
    });
    shop.repository.commit('moderate', {
      'prompts/tests/ask.yaml':
        'metrics:\n  - { name: safe, uses: openai_moderation_api }\n  - { name: kind, uses: openai_moderation_api, with: { category: violence, max: 0.2 } }\nreferences: [{ id: a, input: { q: one } }]\n',
    });
    return { shop, result: await shop.result('run', '--fail-on', 'never') };
  };

  test('judges each text in one request that is free of charge', async () => {
    const scores = { violence: 0.4, 'self-harm': 0.000001 };
    const { shop, result } = await openModerated({ scores });
    expect(result.problems).toEqual([]);
    const [first] = result.suites[0]!.references[0]!.head!.tries;
    expect(first?.scores).toMatchObject([
      { metric: 'safe', status: 'pass', value: scores },
      {
        metric: 'kind',
        status: 'fail',
        value: scores,
        reason: 'violence 0.400, at most 0.2 wanted',
      },
    ]);
    const asked = shop.server.requests.filter(({ moderation }) => moderation);
    expect(asked.map(({ body }) => body)).toEqual([
      { model: 'omni-moderation-latest', input: 'I will hit you.' },
    ]);
    expect(shop.server.refused).toEqual([]);
    expect(result.usage.by_purpose.moderation).toMatchObject({ calls: 1, cost_usd: 0 });
  });

  test.each<[string, Scripted, RegExp]>([
    ['refused request', { status: 401 }, /^the moderation failed: .*401/],
    [
      'reply without scores',
      { body: '{"results":[{}]}' },
      /its results\[0\]\.categories is missing/,
    ],
  ])('reports a %s as an error', async (_, reply, reason) => {
    const { result } = await openModerated(reply);
    expect(result.suites[0]?.references[0]?.head?.tries[0]?.scores[0]).toMatchObject({
      status: 'error',
      reason: expect.stringMatching(reason),
    });
  });
});
