import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, jest, test } from '@jest/globals';
import { readAttributes } from '../../../../src/features/attributes/file.ts';
import type { Script } from '../../../stand-ins/models/server.ts';
import { removeTemporaryFolders } from '../../../stand-ins/repository.ts';
import { openShop, type Shop, type ShopOptions } from '../../../unit/app/commands/shop.ts';

/** Several runs each, on machines that do other things too. */
jest.setTimeout(60_000);

const FILE = 'evaldiff.attributes.yaml';
let shop: Shop | null = null;
afterEach(async () => {
  await shop?.close();
  shop = null;
});
afterAll(removeTemporaryFolders);

/** A grader that finds the same three kinds in whatever it is shown. */
const finder: Script = ({ schema }) => ({
  text: JSON.stringify(
    schema?.name === 'attributes'
      ? {
          domains: [
            { name: 'Late parcels', explanation: 'Where a parcel is.' },
            { name: 'Refunds', explanation: 'Money back.' },
          ],
          subtasks: [{ name: 'quote a rule', explanation: "Says what the shop's rule is." }],
        }
      : { attributes: [{ name: 'Late parcels', explanation: 'Where a parcel is.' }] },
  ),
});
const open = async (options: ShopOptions = {}): Promise<Shop> =>
  (shop = await openShop({ references: 12, settings: 'grader: m\n', answer: finder, ...options }));
const written = ({ repository }: Shop): string =>
  readFileSync(join(repository.directory, FILE), 'utf8');

describe('evaldiff discover', () => {
  test('says the size of the work, asks the grader, and writes a file that is read back', async () => {
    const at = await open();
    const { code, out, err } = await at.evaldiff('discover', '--max-cost', '100');
    expect([code, at.server.refused]).toEqual([0, []]);
    expect(err).toMatch(
      /^1 prompt file with 12 references: up to 5 calls; about \$\d+\.\d\d, with tokens estimated: model-1 \(local\) 5 attribute questions, \d+ tokens in, 1750 out\n$/,
    );
    expect(out).toBe(
      'prompts/ask.yaml: 12 references\n  domains: Late parcels\n  sub-tasks: quote a rule\n\nwrote evaldiff.attributes.yaml. Edit it and commit it: from then on every pull request that runs these prompts is compared by it.\n',
    );
    const text = written(at);
    expect(text.split('\n')[0]).toBe(
      '# yaml-language-server: $schema=https://cdn.jsdelivr.net/npm/evaldiff@1/schemas/attributes.schema.json',
    );
    const read = readAttributes(FILE, text, [{ path: 'prompts/ask.yaml', references: 12 }], 15);
    expect(read.ok && read.value.shared.map(({ kind, name }) => [kind, name])).toEqual([
      ['domain', 'Late parcels'],
      ['subtask', 'quote a rule'],
    ]);
    expect(at.server.requests.every(({ schema }) => schema !== null)).toBe(true);
    expect((await at.evaldiff('validate')).out).toBe('1 prompt with 12 references: no errors\n');
  });

  test('pays nothing the second time, and prints what it found as JSON', async () => {
    const at = await open();
    await at.evaldiff('discover', '--max-cost', '100');
    const asked = at.server.requests.length;
    const { code, out } = await at.evaldiff('discover', '--force', '--json', '--max-cost', '100');
    expect([code, at.server.requests.length]).toEqual([0, asked]);
    expect(JSON.parse(out)).toMatchObject({
      file: FILE,
      usage: { calls: 0, reused: asked, cost_usd: 0 },
      prompts: [
        {
          path: 'prompts/ask.yaml',
          name: 'ask',
          references: 12,
          attributes: [
            {
              id: 'domain-late-parcels',
              kind: 'domain',
              name: 'Late parcels',
              explanation: 'Where a parcel is.',
            },
            { id: 'subtask-quote-a-rule' },
          ],
        },
      ],
    });
  });

  test('does not overwrite a file, and makes no model calls before it says so', async () => {
    const at = await open();
    at.repository.write({ [FILE]: 'domains: [{ name: mine }]\n' });
    const { code, err } = await at.evaldiff('discover', '--max-cost', '100');
    expect([code, err, at.server.requests.length]).toEqual([
      2,
      `${FILE}: exists already and is not overwritten; edit it, or replace it with --force\n`,
      0,
    ]);
    expect((await at.evaldiff('discover', '--force', '--max-cost', '100')).code).toBe(0);
    expect(written(at)).toContain('Late parcels');
  });

  test('asks once about the prompts of one file, which share its attributes', async () => {
    const at = await open();
    const tests = Array.from(
      { length: 12 },
      (_, index) =>
        `  - { vars: { q: question ${index} }, assert: [{ type: contains, value: "5" }] }\n`,
    ).join('');
    at.repository.commit('foreign', {
      'prompts/ask.yaml': null,
      'prompts/tests/ask.yaml': null,
      'promptfooconfig.yaml': `prompts: ["Answer {{q}}", "Answer {{q}} at length"]\nproviders: [openai:m]\ntests:\n${tests}`,
      'evaldiff.yaml':
        'prompts: promptfooconfig.yaml\ngrader: m\nmodels: { m: { provider: openai, endpoint: local, model: model-1, price: { input: 1, output: 1 } } }\n',
    });
    const { code, out, err } = await at.evaldiff('discover');
    expect(err).toMatch(/^1 prompt file with 12 references: up to 5 calls; /);
    expect([code, out.match(/promptfooconfig\.yaml: 12 references/g)]).toEqual([
      0,
      ['promptfooconfig.yaml: 12 references'],
    ]);
    expect(written(at)).toMatch(/^domains:$/m);
    expect((await at.evaldiff('validate')).out).toBe('2 prompts with 24 references: no errors\n');
  });

  test('asks about the prompts that are chosen, and leaves out those with too few references, aloud', async () => {
    const at = await open();
    at.repository.write({
      'prompts/small.yaml':
        'name: small\nmodel: m\ndefaults: [tests/small]\nprompt: { content: Hi }\n',
      'prompts/tests/small.yaml': 'metrics: [{ uses: is_json }]\nreferences: [{}]\n',
    });
    const both = await at.evaldiff('discover', '--max-cost', '100');
    expect(both.err).toContain(
      'note: prompts/small.yaml: attributes need at least 8 references; there is 1\n1 prompt file with 12 references',
    );
    const { code, err } = await at.evaldiff('discover', 'prompts=small', '--force');
    expect([code, err]).toEqual([
      2,
      'note: prompts/small.yaml: attributes need at least 8 references; there is 1\nevaldiff.yaml: no prompt has references enough for attributes\n',
    ]);
  });

  test.each<[string, ShopOptions, string[], RegExp]>([
    [
      'no grader',
      { settings: '' },
      [],
      /^evaldiff\.yaml: names no grader, which reads the references; name a model, grader: \{ model: … \}\n$/,
    ],
    [
      'a plan above the cap on calls',
      {},
      ['--max-calls', '4', '--max-cost', '100'],
      /this would make up to 5 model calls; the limit is 4 \(--max-calls\)\. Nothing was sent\.\n$/,
    ],
    [
      'a plan above the cap on cost',
      {},
      ['--max-cost', '0.01'],
      /the limit is \$0\.01 \(input max-cost\)\. Nothing was sent\.\n$/,
    ],
    ['no key', { env: { LOCAL_KEY: undefined } }, ['--max-cost', '100'], /LOCAL_KEY is not set/],
    [
      'an attributes file outside of the project',
      { settings: 'grader: m\nqualeval: { attributes: ../a.yaml }\n' },
      [],
      /^evaldiff\.yaml: qualeval\.attributes: \.\.\/a\.yaml must be a path below the working directory\n$/,
    ],
  ])('is refused with %s, before anybody is asked', async (_, options, args, message) => {
    const at = await open(options);
    const { code, err } = await at.evaldiff('discover', ...args);
    expect([
      code,
      at.server.requests.length,
      existsSync(join(at.repository.directory, FILE)),
    ]).toEqual([2, 0, false]);
    expect(err).toMatch(message);
  });

  test('writes nothing, and leaves nothing behind, when the grader fails or the run is ended', async () => {
    const at = await open({ answer: () => ({ text: 'I would rather not.' }) });
    const failed = await at.evaldiff('discover', '--max-cost', '100');
    expect([failed.code, failed.err]).toEqual([
      2,
      expect.stringMatching(
        /note: prompts\/ask\.yaml: 3 of 3 questions failed \(the grader gave no reply of the form asked for\).*\nno attributes were found, so nothing was written; the notes above say why\n$/s,
      ),
    ]);
    const ended = await at.evaldiff(
      'discover',
      '--max-calls',
      '5',
      '--max-cost',
      '100',
      '--store',
      'new.sqlite',
    );
    expect([ended.code, ended.err]).toEqual([
      2,
      expect.stringContaining(
        'discovery was ended early, so nothing was written: the limit of 5 model calls (max-calls) is reached. What was answered is kept; run it again to go on.',
      ),
    ]);
    expect(
      readdirSync(at.repository.directory).filter((name) => name.includes('attributes')),
    ).toEqual([]);
  });

  test('shows examples in its help', async () => {
    const at = await open();
    const { code, out } = await at.evaldiff('discover', '--help');
    expect([code, out]).toEqual([
      0,
      expect.stringContaining('evaldiff discover prompts=support --max-cost 0.5'),
    ]);
  });
});
