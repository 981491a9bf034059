import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAttributes } from '../../../stand-ins/attributes-file.ts';
import { commandIn, localEndpoint } from '../../../stand-ins/command-line.ts';
import type { Script } from '../../../stand-ins/models/server.ts';
import { openShop, type ShopOptions } from '../../../unit/app/commands/shop.ts';
import { named } from './scripted-grader.ts';

const FILE = 'evaldiff.attributes.yaml';
const FEW = 'note: prompts/small.yaml: attributes need at least 8 references; there is 1\n';
const finder: Script = ({ schema }) => ({
  text: JSON.stringify(
    schema?.name === 'attributes'
      ? {
          task: 'It answers.',
          domains: named('Late parcels', 'Refunds'),
          subtasks: named('quote a rule'),
        }
      : { attributes: named('Late parcels') },
  ),
});

/** A shop of twelve references, with `evaldiff discover` and the files it leaves. */
async function open(options: ShopOptions = {}) {
  const shop = await openShop({
    references: 12,
    settings: 'grader: m\n',
    answer: finder,
    ...options,
  });
  const { repository, server, evaldiff } = shop;
  const file = join(repository.directory, FILE);
  return {
    ...{ repository, server },
    validate: async () => (await evaldiff('validate')).out,
    discover: async (...args: string[]) => {
      const limit = args.includes('--max-cost') ? [] : ['--max-cost', '100'];
      const { code, out, err } = await evaldiff('discover', ...args, ...limit);
      const written = existsSync(file) ? readFileSync(file, 'utf8') : null;
      return { code, out, err, written, asked: server.requests.length };
    },
  };
}

describe('evaldiff discover', () => {
  test('prints the expected calls, asks the grader and writes a valid file', async () => {
    const { discover, server, validate } = await open();
    const { code, out, err, written } = await discover();
    expect([code, server.refused]).toEqual([0, []]);
    expect(err).toMatch(
      /^1 prompt file with 12 references: up to 5 calls; about \$\d+\.\d\d, with tokens estimated: model-1 \(local\) 5 attribute questions, \d+ tokens in, 1750 out\n$/,
    );
    expect(out).toBe(
      'prompts/ask.yaml: 12 references\n  domains: Late parcels\n  sub-tasks: quote a rule\n\nwrote evaldiff.attributes.yaml. Edit and commit it. From then on, every pull request that runs these prompts uses it.\n',
    );
    const read = readAttributes(FILE, written ?? '');
    expect(read.ok && read.value.shared).toMatchObject([
      { kind: 'domain', name: 'Late parcels' },
      { kind: 'subtask', name: 'quote a rule' },
    ]);
    expect(server.requests.every(({ schema }) => schema !== null)).toBe(true);
    expect(await validate()).toBe('1 prompt with 12 references: no errors\n');
  });

  test('names the schema of the release that this copy comes from', async () => {
    const { repository, server } = await open();
    const { code } = await commandIn(repository.directory, ['discover', '--max-cost', '100'], {
      env: localEndpoint(server),
      origin: () => ({ repository: 'acme/evaldiff', ref: 'v1' }),
    });
    expect([code, readFileSync(join(repository.directory, FILE), 'utf8').split('\n')[0]]).toEqual([
      0,
      '# yaml-language-server: $schema=https://raw.githubusercontent.com/acme/evaldiff/v1/schemas/attributes.schema.json',
    ]);
  });

  test('makes no paid call the second time, and prints its result as JSON', async () => {
    const { discover } = await open();
    const { asked } = await discover();
    const again = await discover('--force', '--json');
    expect(again).toMatchObject({ code: 0, asked });
    const [late] = named('Late parcels');
    const attributes = [
      { id: 'domain-late-parcels', kind: 'domain', ...late },
      { id: 'subtask-quote-a-rule' },
    ];
    expect(JSON.parse(again.out)).toMatchObject({
      file: FILE,
      usage: { calls: 0, reused: asked, cost_usd: 0 },
      prompts: [{ path: 'prompts/ask.yaml', name: 'ask', references: 12, attributes }],
    });
  });

  test('refuses to overwrite a file before making any model call', async () => {
    const { discover, repository } = await open();
    repository.write({ [FILE]: 'domains: [{ name: mine }]\n' });
    expect(await discover()).toMatchObject({
      code: 2,
      err: `${FILE}: already exists; edit it, or replace it with --force\n`,
      asked: 0,
    });
    const written = expect.stringContaining('Late parcels');
    expect(await discover('--force')).toMatchObject({ code: 0, written });
  });

  test('asks once for all prompts of one file, because they share its attributes', async () => {
    const { discover, repository, validate } = await open();
    const tests = Array.from(
      { length: 12 },
      (_, i) => `  - { vars: { q: question ${i} }, assert: [{ type: contains, value: "5" }] }\n`,
    );
    repository.commit('foreign', {
      'prompts/ask.yaml': null,
      'prompts/tests/ask.yaml': null,
      'promptfooconfig.yaml': `prompts: ["Answer {{q}}", "Answer {{q}} at length"]\nproviders: [openai:m]\ntests:\n${tests.join('')}`,
      'evaldiff.yaml':
        'prompts: promptfooconfig.yaml\ngrader: m\nmodels: { m: { provider: openai, endpoint: local, model: model-1, price: { input: 1, output: 1 } } }\n',
    });
    const { code, out, err, written } = await discover();
    expect(err).toMatch(/^1 prompt file with 12 references: up to 5 calls; /);
    const line = 'promptfooconfig.yaml: 12 references';
    expect([code, out.match(new RegExp(line, 'g'))]).toEqual([0, [line]]);
    expect(written).toMatch(/^domains:$/m);
    expect(await validate()).toBe('2 prompts with 24 references: no errors\n');
  });

  test('reads the selected prompts, and reports that it skips prompts with too few references', async () => {
    const { discover, repository } = await open();
    repository.write({
      'prompts/small.yaml':
        'name: small\nmodel: m\ndefaults: [tests/small]\nprompt: { content: Hi }\n',
      'prompts/tests/small.yaml': 'metrics: [{ uses: is_json }]\nreferences: [{}]\n',
    });
    expect((await discover()).err).toContain(`${FEW}1 prompt file with 12 references`);
    expect(await discover('prompts=small', '--force')).toMatchObject({
      code: 2,
      err: `${FEW}evaldiff.yaml: no prompt has enough references for attributes\n`,
    });
  });

  test.each<[string, ShopOptions, string[], RegExp]>([
    [
      'no grader',
      { settings: '' },
      [],
      /^evaldiff\.yaml: has no grader, which is needed to read the references; set grader: \{ model: … \}\n$/,
    ],
    [
      'a plan above the cap on calls',
      {},
      ['--max-calls', '4'],
      /this would make up to 5 model calls; the limit is 4 \(--max-calls\)\. Nothing was sent\.\n$/,
    ],
    [
      'a plan above the cap on cost',
      {},
      ['--max-cost', '0.01'],
      /the limit is \$0\.01 \(--max-cost\)\. Nothing was sent\.\n$/,
    ],
    ['no key', { env: { LOCAL_KEY: undefined } }, [], /LOCAL_KEY is not set/],
    [
      'an attributes file outside of the project',
      { settings: 'grader: m\nqualeval: { attributes: ../a.yaml }\n' },
      [],
      /^evaldiff\.yaml:5: qualeval\.attributes must be a path below the working directory\n$/,
    ],
  ])('exits with an error before any call because of %s', async (_, options, args, message) => {
    const err = expect.stringMatching(message);
    const { discover } = await open(options);
    expect(await discover(...args)).toMatchObject({ code: 2, asked: 0, written: null, err });
  });

  test('leaves no file behind when the grader fails or the run is interrupted', async () => {
    const { discover, repository } = await open({
      answer: () => ({ text: 'I would rather not.' }),
    });
    expect(await discover()).toMatchObject({
      code: 2,
      err: expect.stringMatching(
        /note: prompts\/ask\.yaml: attributes are based on only part of the references: 3 of 3 questions about them failed \(the grader did not reply in the requested form: "I would rather not\."\).*\nno attributes were found, so nothing was written; see the notes above\n$/s,
      ),
    });
    expect(await discover('--max-calls', '5', '--store', 'new.sqlite')).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        'stopped early, so nothing was written: the limit of 5 model calls (--max-calls) is reached. The answers so far are stored; run the command again to continue.',
      ),
    });
    const left = readdirSync(repository.directory).filter((name) => name.includes('attributes'));
    expect(left).toEqual([]);
  });
});
