import { modelEdits, withLineEdits } from '../../../../src/features/migrate/edits.ts';
import { fileLines } from '../../../../src/trials/unit-places.ts';
import { hash, read, treeOf } from '../../config/tree.ts';

const P = 'prompts/p.yaml';

/** Replaces ending models. Returns the changed text of a file, and the notices. */
async function migrate(
  to: string | null,
  text: string,
  { file = P, settings = 'n_tries: 2\n', today = '2026-07-25' } = {},
) {
  const files = {
    [P]: 'model: gpt-5.4\nprompt: Hi\n',
    'prompts/tests/p.yaml': 'metrics: [contains]\nreferences: [{ expected: a }]\n',
    'evaldiff.yaml': settings,
    [file]: text,
  };
  const { project } = await read(files);
  const migration = { to, from: [], ending: true };
  const tree = treeOf(files);
  const { edits, notices } = await modelEdits(tree, project, migration, {
    today,
    past: 'notice',
  });
  const lines = await fileLines(await withLineEdits(tree, edits, hash), file);
  return [lines.join('\n'), ...notices.map(({ message }) => message)];
}

const BY_HAND = 'evaldiff does not find the name "o1" alone on this line; change it by hand';

describe('edits that replace a model', () => {
  const prompt = (model: string) => `model: ${model}\nprompt: Hi\n`;

  test.each([
    ['2026-07-24', 'o1', 'o1'],
    ['2026-07-25', 'o1', 'gpt-5.4-mini'],
    ['2026-07-25', 'gpt-5.4', 'gpt-5.4'],
  ])('are made from 90 days before an end: on %s for %s', async (today, model, becomes) => {
    expect(await migrate(null, prompt(model), { today })).toEqual([prompt(becomes)]);
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
  ])("change only the line of a prompt's model: %s", async (_, line, [becomes, ...notices]) => {
    const more = '\nprompt: |\n  - o1\n  model: o1\n';
    expect(await migrate('new', line + more)).toEqual([becomes + more, ...notices]);
  });

  test("stay within a grader's own key", async () => {
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

  test.each(['', '\n\n# The question\nname: p\n'])(
    'replace all lines of a refused parameter before %j',
    async (end) => {
      const lines = 'thinking:\n  type: enabled\n\n# Enough\n  budget_tokens: 2000';
      const found = await migrate('claude-sonnet-5-5', prompt('claude-opus-4-1') + lines + end);
      expect(found[0]).toBe(`${prompt('claude-sonnet-5-5')}thinking: { type: adaptive }${end}`);
    },
  );

  test('leave a parameter to the user if the new one needs a value', async () => {
    const thinking = 'thinking: { type: adaptive }\n';
    expect(await migrate('claude-haiku-4-5', prompt('claude-opus-4-1') + thinking)).toEqual([
      prompt('claude-haiku-4-5') + thinking,
      expect.stringContaining('change it by hand: thinking: { type: enabled, budget_tokens: … }'),
    ]);
  });

  test('rename a parameter only if its new name does not stand beside it', async () => {
    const [old, now] = ['max_tokens: 9\n', 'max_completion_tokens: 9\n'];
    const o4 = prompt('o4-mini');
    expect((await migrate('o4-mini', prompt('o1') + old))[0]).toBe(o4 + now);
    expect((await migrate('o4-mini', prompt('o1') + old + now))[0]).toBe(o4 + now);
  });
});
