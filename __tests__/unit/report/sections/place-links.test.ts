import { placeLinks } from '../../../../src/report/sections/document.ts';
import { readResult } from '../../../stand-ins/features.ts';
import { renderComment } from '../../../stand-ins/reports.ts';
import { regression, resultOf } from '../results.ts';

const SHA = '9e8d7c6b5a49382716055443322110ffeeddccbb';
const source = { url: 'https://github.example.com/acme/support', directory: 'apps/bot' };

test('a saved result links to the lines of its files in the comment', () => {
  const result = { ...regression(), source };
  const line = `${source.url}/blob/${SHA}/apps/bot/prompts/capitals.yaml#L4`;
  expect(renderComment(result)).toContain(`](<${line}>)`);
  expect(readResult('result.json', result).problems).toEqual([]);
});

test.each([
  ['.', 'prompts/a.yaml', 0, 'prompts/a.yaml'],
  ['.', 'prompts/a b#1.yaml', 3, 'prompts/a%20b%231.yaml#L3'],
  ['sub/', 'a.yaml', 1, 'sub/a.yaml#L1'],
])('a project in %s links the file %s at line %i to %s', (directory, file, line, path) => {
  const { place } = placeLinks({ ...resultOf({}), source: { ...source, directory } });
  expect(place?.(file, line, 'head')).toBe(`${source.url}/blob/${SHA}/${path}`);
});

test("files that head deleted link to base's commit", () => {
  const result = resultOf({
    suites: [
      {
        ...regression().suites[0]!,
        because: [{ key: 'removed prompt', file: 'prompts/gone.yaml' }],
        verdict: 'removed',
        references: [
          { ...regression().suites[0]!.references[0]!, status: 'removed', base: null, head: null },
        ],
      },
      regression().suites[1]!,
    ],
    notices: [
      {
        kind: 'removed',
        place: { file: 'prompts/tests/gone.yaml', line: 7 },
        message: 'p: 1 gone',
      },
    ],
  });
  const comment = renderComment({ ...result, source });
  const [reference] = result.suites[0]!.references;
  for (const at of [
    'prompts/gone.yaml',
    'prompts/tests/gone.yaml#L7',
    `${reference!.file}#L${reference!.line}`,
  ])
    expect(comment).toContain(`${source.url}/blob/${result.base!.sha}/apps/bot/${at}`);
});

test("there are no links if the repository's address is unknown", () =>
  expect(placeLinks(resultOf({})).place).toBeNull());
