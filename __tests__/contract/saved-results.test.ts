import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSaved } from '../../src/app/commands/files.ts';
import { DEFAULT_GATE } from '../../src/kernel/suite/gate-settings.ts';
import { isMap, type Json, type JsonMap } from '../../src/types/plain.ts';
import { FEATURES } from '../stand-ins/features.ts';
import { regression } from '../unit/report/results.ts';
import { ROOT } from './source-graph.ts';

const FOLDER = join(ROOT, 'fixtures', 'results');
// The format may change until 1.0 is released: `UPDATE_GOLDENS=1` rewrites the file.
if (process.env.UPDATE_GOLDENS !== undefined)
  writeFileSync(
    join(FOLDER, '1.0.0', 'regression.json'),
    `${JSON.stringify(regression(), null, 2)}\n`,
  );
const files = readdirSync(FOLDER).flatMap((release) =>
  readdirSync(join(FOLDER, release)).map((name) => join(release, name)),
);
const textOf = (file: string) => readFileSync(join(FOLDER, file), 'utf8');
const problemsOf = async (text: string) => {
  const saved = await readSaved('saved.json', text, FEATURES);
  return 'problems' in saved ? saved.problems : [];
};

describe('result files of releases', () => {
  test('exist for each release', () => {
    expect(files.length).toBeGreaterThan(0);
  });

  test.each(files)('%s can be read', async (file) => {
    expect(await problemsOf(textOf(file))).toEqual([]);
  });
});

test.each(Object.keys(DEFAULT_GATE))(
  'a result from before gate.%s existed can be read',
  async (key) => {
    const result = JSON.parse(textOf('1.0.0/regression.json')) as { gate: Json } & JsonMap;
    if (isMap(result.gate)) delete result.gate[key];
    expect(await problemsOf(JSON.stringify(result))).toEqual([]);
    expect(await problemsOf(JSON.stringify({ ...result, gate: { unknown: 1 } }))).toHaveLength(1);
  },
);
