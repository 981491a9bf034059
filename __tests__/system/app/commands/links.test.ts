import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../stand-ins/repository.ts';
import { openShop, type Shop, type ShopOptions } from '../../../unit/app/commands/shop.ts';

/** A project in which a pull request committed links to a folder outside. */
async function withLinks(
  links: Record<string, string>,
  options: ShopOptions = {},
): Promise<{ shop: Shop; victim: string; at: (path: string) => string }> {
  const shop = await openShop(options);
  const { directory } = shop.repository;
  const victim = temporaryFolder('victim');
  for (const [path, to] of Object.entries(links)) {
    rmSync(join(directory, path), { recursive: true, force: true });
    mkdirSync(join(directory, path, '..'), { recursive: true });
    symlinkSync(to === '' ? victim : join(victim, to), join(directory, path));
  }
  shop.repository.commit('links', {});
  return { shop, victim, at: (path) => join(directory, path) };
}

describe('a symbolic link in the work tree', () => {
  test.each([
    [
      ['run', '--report', 'out'],
      { out: '' },
      /^--report: out is a symbolic link, and evaldiff does not write/,
    ],
    [
      ['run', '--report', 'a/b/out'],
      { a: '' },
      /^--report: a is a symbolic link, and evaldiff does not write/,
    ],
    [
      ['run', '--report', 'out'],
      { 'out/result.json': 'config' },
      /^--report: git tracks out\/result\.json, and evaldiff does not overwrite tracked files/,
    ],
    [['noise', '--report', 'out'], { out: '' }, /^--report: out is a symbolic link/],
    [['run', '--record', 'r.jsonl'], { 'r.jsonl': 'r' }, /^--record: r\.jsonl is a symbolic link/],
    [
      ['run', '--shard', '1/2', '--shard-to', 'part'],
      { part: '' },
      /^--shard-to: part is a symbolic link/,
    ],
    [
      ['run', '--store', '.evaldiff/answers.sqlite'],
      { '.evaldiff': '' },
      /^\.evaldiff is a symbolic link[^\n]* \(--store, EVALDIFF_STORE\)/,
    ],
  ])('is not followed by %j, which exits before any model call', async (argv, links, why) => {
    const { shop, victim } = await withLinks(links);
    const { code, out, err } = await shop.evaldiff(...argv);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(why);
    expect(shop.server.requests).toEqual([]);
    expect(readdirSync(victim)).toEqual([]);
  });

  test('is not followed by init, which then writes nothing', async () => {
    const { shop, victim, at } = await withLinks({ prompts: '' });
    rmSync(at('evaldiff.yaml'));
    const { code, err } = await shop.evaldiff('init');
    expect([code, readdirSync(victim)]).toEqual([2, []]);
    expect(err).toMatch(
      /^prompts\/support\.yaml: prompts is a symbolic link, and evaldiff does not write/m,
    );
    expect([existsSync(at('evaldiff.yaml')), existsSync(at('.github'))]).toEqual([false, false]);
  });

  test.each([
    ['prompts', ''],
    ['prompts/a.yaml', 'gone'],
  ])('is not followed or replaced by import: %s to %j', async (path, to) => {
    const { shop, victim, at } = await withLinks({ [path]: to });
    shop.repository.write({
      'a.prompt.yml':
        'name: a\nmodel: openai/gpt-4o\nmessages: [{ role: user, content: "Say {{x}}" }]\n',
    });
    const { code, err } = await shop.evaldiff('import', 'a.prompt.yml');
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/ is a symbolic link, and evaldiff does not write/),
    ]);
    expect(readdirSync(victim)).toEqual([]);
    expect(lstatSync(at(path)).isSymbolicLink()).toBe(true);
  });

  test('is not followed by discover, which exits before any model call', async () => {
    const { shop, victim } = await withLinks(
      { 'evaldiff.attributes.yaml': 'a.yaml' },
      { settings: 'grader: { model: m }\n' },
    );
    for (const more of [[], ['--force']]) {
      const { code, err } = await shop.evaldiff('discover', ...more);
      expect([code, err]).toEqual([
        2,
        expect.stringContaining('evaldiff.attributes.yaml is a symbolic link'),
      ]);
    }
    expect([shop.server.requests, readdirSync(victim)]).toEqual([[], []]);
  });

  test('is not followed by report --out', async () => {
    const { shop, victim, at } = await withLinks({ 'trend.html': 'npmrc' });
    await shop.evaldiff('run', '--report', 'out');
    const { err } = await shop.evaldiff('report', 'out', '--format', 'html', '--out', 'trend.html');
    expect(err).toMatch(
      /trend\.html is a symbolic link, and evaldiff does not write through links/,
    );
    expect([readdirSync(victim), existsSync(at('out/result.json'))]).toEqual([[], true]);
  });
});

describe('a user', () => {
  test('can name a report folder by a path through a symbolic link outside the work tree', async () => {
    const { shop } = await withLinks({});
    const outside = temporaryFolder('outside');
    symlinkSync(outside, `${outside}-link`);
    symlinkSync(shop.repository.directory, `${outside}-project`);
    expect((await shop.evaldiff('run', '--report', `${outside}-link/out`)).code).toBe(0);
    expect(existsSync(join(outside, 'out/result.json'))).toBe(true);
    expect((await shop.evaldiff('run', '--report', `${outside}-project/out`)).code).toBe(0);
    expect(existsSync(join(shop.repository.directory, 'out/result.json'))).toBe(true);
  });

  test('can append to a recording that git tracks and replace an earlier report', async () => {
    const { shop, at } = await withLinks({});
    shop.repository.commit('recording', { 'r.jsonl': '' });
    for (let run = 0; run < 2; run++)
      expect((await shop.evaldiff('run', '--record', 'r.jsonl', '--report', 'out')).code).toBe(0);
    expect(readFileSync(at('r.jsonl'), 'utf8')).not.toBe('');
    expect(readdirSync(at('out')).filter((name) => name.startsWith('.'))).toEqual([]);
  });
});
