import { modelEdits, type Migration } from '../../../../src/features/migrate/edits.ts';
import { project, settings, suite } from '../../app/run/builders.ts';
import { treeOf } from '../../config/tree.ts';

/** The models that the edits write. */
async function writtenModels(
  models: string[],
  migration: Partial<Migration>,
  today: string,
  own = {},
) {
  const file = (model: string) => `prompts/${model}.yaml`;
  const tree = treeOf(
    Object.fromEntries(models.map((model) => [file(model), `name: p\nmodel: ${model}\n`])),
  );
  const suites = models.map((model) =>
    suite({
      prompt: { file: file(model), model, places: { model: { file: file(model), line: 2 } } },
    }),
  );
  const given = { to: null, from: [], ending: false, ...migration };
  const { edits } = await modelEdits(tree, project(suites, own), given, today);
  return edits.map(({ was, becomes }) => [was, becomes]);
}

describe('edits that replace a model', () => {
  const models = ['o1', 'gpt-5.4'];

  test.each([
    ['91 days before its end', '2026-07-24', []],
    ['90 days before its end', '2026-07-25', [['model: o1', 'model: gpt-5.4-mini']]],
  ])('with `ending` are made from 90 days before its end: %s', async (_, today, edits) => {
    expect(await writtenModels(models, { ending: true }, today)).toEqual(edits);
  });

  test('never send the prompts of an entry of the settings to the vendor', async () => {
    const entry = {
      provider: 'openai',
      endpoint: 'azure',
      replaces: [],
      is: { provider: 'openai', model: 'o1' },
    };
    const own = { settings: settings({ models: new Map([['ours', entry as never]]) }) };
    const edits = (to: string | null) =>
      writtenModels(['ours'], { ending: true, to }, '2026-07-25', own);
    await expect(edits(null)).rejects.toThrow('name its successor with --to');
    expect(await edits('next')).toEqual([['model: ours', 'model: next']]);
  });
});
