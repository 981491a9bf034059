import type { ModelEnds } from '../../../../src/config/check-models.ts';
import { modelEdits, withLineEdits } from '../../../../src/features/migrate/edits.ts';
import { fileLines } from '../../../../src/trials/unit-places.ts';
import { hash, read, treeOf } from '../../config/tree.ts';

const P = 'prompts/p.yaml';

/** Replaces ending models. Returns the changed text of a file, and the notices. */
async function migrate(
  to: string | null,
  text: string,
  {
    file = P,
    settings = '',
    ...own
  }: { file?: string; settings?: string } & Partial<ModelEnds> = {},
) {
  const tests = 'metrics: [contains]\nreferences: [{ expected: a }]\n';
  const files = {
    [P]: 'model: gpt-5.4\nprompt: Hi\n',
    'prompts/tests/p.yaml': tests,
    'evaldiff.yaml': `n_tries: 2\n${settings}`,
    [file]: text,
  };
  const { project } = await read(files);
  const ends: ModelEnds = { today: '2026-07-25', past: 'notice', ...own };
  const migration = { to, from: [], ending: true };
  const { edits, notices } = await modelEdits(treeOf(files), project, migration, ends);
  const lines = await fileLines(await withLineEdits(treeOf(files), edits, hash), file);
  return [lines.join('\n'), ...notices.map(({ message }) => message)];
}

const BY_HAND = 'evaldiff does not find the name "o1" alone on this line; change it by hand';

describe('edits that replace a model', () => {
  const prompt = (model: string) => `model: ${model}\nprompt: Hi\n`;

  test.each([
    ['91 days before its end', 'o1', '2026-07-24', 'o1'],
    ['90 days before its end', 'o1', '2026-07-25', 'gpt-5.4-mini'],
    ['without a known end', 'gpt-5.4', '2026-07-25', 'gpt-5.4'],
  ])('with `ending` are made from 90 days before its end: %s', async (_, model, today, becomes) => {
    expect(await migrate(null, prompt(model), { today })).toEqual([prompt(becomes)]);
  });

  test.each([
    ['o1', '2027-08-01', 'o1'],
    ['gpt-5.4', '2026-08-01', 'gpt-5.4-mini'],
  ])('prefer the dates of vendors’ lists: %s', async (model, end, becomes) => {
    const lists = new Map([['openai', { on: '2026-07-20', ends: { [model]: end } }] as const]);
    expect(await migrate(null, prompt(model), { lists })).toEqual([prompt(becomes)]);
  });

  test('never send the prompts of an entry of the settings to the vendor', async () => {
    const settings = 'models: { ours: { provider: openai, endpoint: azure, is: o1 } }\n';
    const made = (to: string | null) => migrate(to, prompt('ours'), { settings });
    await expect(made(null)).rejects.toThrow('name its successor with --to');
    expect(await made('next')).toEqual([prompt('next')]);
  });

  test.each([
    ['a comment', 'model: "o1" # was o1', ['model: "new" # was o1']],
    ['an alias', 'name: &m o1\nmodel: *m', ['name: &m o1\nmodel: *m', BY_HAND]],
    ['an anchor', 'model: &m o1', ['model: &m o1', BY_HAND]],
  ])('change only the line of a prompt’s model: %s', async (_, line, [becomes, ...notices]) => {
    const more = '\nprompt: |\n  - o1\n  model: o1\n';
    expect(await migrate('new', line + more)).toEqual([becomes + more, ...notices]);
  });

  test('stay within a grader’s own key', async () => {
    const own =
      'embeddings:\n  # cheap\n  model: o1\ngrader:\n- model: &m o1\n  seed: 1\n- o1\n- gpt-5.4\n';
    expect(await migrate('new', own, { file: 'evaldiff.yaml' })).toEqual([
      own.replace('  model: o1', '  model: new').replace('- o1', '- new'),
      BY_HAND,
    ]);
  });

  test.each(['[new, o1]', '[o4-mini, o1]', '\n  - o4-mini\n  - o1'])(
    'never name a model twice in a sweep: %s',
    async (list) => {
      const own = `sweep:\n  model: ${list}\n`;
      expect(await migrate('new', own, { file: 'evaldiff.yaml' })).toEqual([
        own.replace('o4-mini', 'new'),
        'the sweep already has "new"; remove "o1" by hand',
      ]);
    },
  );

  test.each([
    ['at the end of the file', ''],
    ['before a comment', '\n\n# The question\nname: p\n'],
  ])('replace all lines of a refused parameter: %s', async (_, end) => {
    const lines = 'thinking:\n  type: enabled\n\n# Enough\n  budget_tokens: 2000';
    const found = await migrate('claude-sonnet-5-5', prompt('claude-opus-4-1') + lines + end);
    expect(found[0]).toBe(`${prompt('claude-sonnet-5-5')}thinking: { type: adaptive }${end}`);
  });

  test('leave a parameter to the user if the new one needs a value', async () => {
    const thinking = 'thinking: { type: adaptive }\n';
    expect(await migrate('claude-haiku-4-5', prompt('claude-opus-4-1') + thinking)).toEqual([
      prompt('claude-haiku-4-5') + thinking,
      expect.stringContaining('change it by hand: thinking: { type: enabled, budget_tokens: … }'),
    ]);
  });
});
