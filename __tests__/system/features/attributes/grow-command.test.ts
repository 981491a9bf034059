import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '../../../stand-ins/models/server.ts';
import { openShop } from '../../../unit/app/commands/shop.ts';

const ATTRIBUTES = 'task: It counts.\ndomains: [{ name: Sums }, { name: Trains }]\n';
const row = (q: string, more: object = {}) => JSON.stringify({ q, ...more });
const POOL = [
  ...Array.from({ length: 10 }, (_, at) => row(`trains ${at}`)),
  row('trains 0'),
  ...Array.from({ length: 10 }, (_, at) => row(`cakes ${at}`)),
];

/** The grader rates by words. Every reference of the shop is a sum. */
const rater: Script = ({ messages }) => {
  const text = messages.at(-1)?.content ?? '';
  const score = (id: string): number => {
    const [, input = ''] = /^q: (.*)$/m.exec(text) ?? [];
    const about = /trains|cakes/.exec(input)?.[0] ?? 'sums';
    return id === `domain-${about}` ? (input.endsWith('3') ? 3 : 5) : 1;
  };
  const rating = (id: string) => ({ id, evidence: 'words', score: score(id) });
  return { text: JSON.stringify({ ratings: ['domain-sums', 'domain-trains'].map(rating) }) };
};

async function grow(
  pool: string | null,
  { attributes = ATTRIBUTES, args = [] as string[], references = 12 } = {},
) {
  const shop = await openShop({ references, settings: 'grader: m\n', answer: rater });
  const { repository, server, evaldiff } = shop;
  if (attributes !== '') repository.write({ 'evaldiff.attributes.yaml': attributes });
  if (pool !== null) repository.write({ 'pool.jsonl': pool });
  const said = await evaldiff('grow', 'pool.jsonl', '--max-cost', '100', ...args);
  const file = join(repository.directory, 'grown.jsonl');
  const drafts = existsSync(file)
    ? readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown)
    : null;
  return { ...said, drafts, asked: server.requests };
}

describe('evaldiff grow', () => {
  test('turns rows of a data file (the pool) into references for attributes that have too few, best matches first', async () => {
    const { code, out, err, drafts, asked } = await grow(`${POOL.join('\n')}\n`);
    expect([code, drafts]).toEqual([0, expect.anything()]);
    expect(err).toContain('12 references and 20 rows of the pool: up to 32 calls; ');
    expect(asked).toHaveLength(32);
    expect(asked[0]?.messages.at(-1)?.content).toContain('It counts.');
    expect(out).toContain('Trains: 0 references, 8 with the drafts\n');
    expect(out).not.toContain('Sums');
    expect(out).toContain('wrote 8 drafts to grown.jsonl. Add what is expected, ');
    expect(drafts).toHaveLength(8);
    for (const draft of drafts ?? [])
      expect(draft).toEqual({
        input: { q: expect.stringMatching(/^trains [^3]$/) },
        tags: ['domain-trains'],
      });
  });

  test.each([
    ['is named', { args: ['--attribute', 'sums'] }],
    ['is named by its id', { args: ['--attribute', 'domain-sums', '--attribute', 'Sums'] }],
  ])('drafts eight more references for an attribute that %s', async (_, options) => {
    const rows = Array.from({ length: 9 }, (_own, at) => row(`plain ${String(at)}`));
    const { out, err, drafts } = await grow(rows.join('\n'), options);
    expect(err).toContain('12 references and 9 rows');
    expect(out).toContain('Sums: 12 references, 20 with the drafts\n');
    expect(drafts?.map((own) => (own as { tags: string[] }).tags)).toEqual(
      Array(8).fill(['domain-sums']),
    );
  });

  test('keeps the expected value of a row, and accepts inputs under the key "input"', async () => {
    const own = JSON.stringify({ input: { q: 'trains' }, expected: '4', user: 'x' });
    const { drafts } = await grow(own);
    expect(drafts).toEqual([{ input: { q: 'trains' }, expected: '4', tags: ['domain-trains'] }]);
  });

  test.each([
    [
      'a pool without inputs',
      '{"question":"trains"}\n{"q":null}\n',
      {},
      'pool.jsonl:1: no row has the prompt\'s variables; a row is a map such as {"q":"…"}, or has one as "input"',
    ],
    ['a pool that is not there', null, {}, 'pool.jsonl: does not exist or cannot be read'],
    ['a pool with a broken row', 'no\n', {}, 'pool.jsonl:1: '],
    [
      'a project without attributes',
      row('trains'),
      { attributes: '' },
      'evaldiff.attributes.yaml: has no attributes of this prompt; run evaldiff discover first',
    ],
    [
      'a file that is there',
      row('trains'),
      { args: ['--out', 'pool.jsonl'] },
      'pool.jsonl: already exists; choose another with --out',
    ],
    [
      'an unknown attribute',
      row('trains'),
      { args: ['--attribute', 'boats'] },
      '--attribute boats is not one of Sums, Trains',
    ],
    ['a cap below its calls', row('trains'), { args: ['--max-calls', '5'] }, 'the limit is 5'],
  ])('exits with an error before any call because of %s', async (_, pool, options, message) => {
    const { code, err, asked, drafts } = await grow(pool, options);
    expect([code, drafts, asked]).toEqual([2, null, []]);
    expect(err).toContain(message);
  });

  test('writes nothing if no row fits, and says so', async () => {
    const { code, err, drafts } = await grow(row('cakes'));
    expect([code, drafts]).toEqual([2, null]);
    expect(err).toContain('no row of the pool fits an attribute with too few references');
  });
});
