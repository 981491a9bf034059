import { readFileSync } from 'node:fs';
import { getLanguageService, TextDocument } from 'yaml-language-server';
import { SettingsState } from 'yaml-language-server/out/src/yamlSettings.js';
import { metrics } from '../../../src/metrics/index.ts';

/** The language server of YAML editor extensions with the shipped schemas and no network. */
const service = getLanguageService({
  schemaRequestService: (address) => Promise.reject(new Error(`asked for ${address}`)),
  workspaceContext: { resolveRelativePath: (path, base) => new URL(path, base).href },
  yamlSettings: new SettingsState(),
  clientCapabilities: {},
});
const KINDS = ['settings', 'prompt', 'tests', 'rubrics', 'attributes'] as const;
type Kind = (typeof KINDS)[number];
service.configure({
  validate: true,
  hover: true,
  completion: true,
  isKubernetes: false,
  customTags: [],
  schemas: KINDS.map((kind) => ({
    uri: `file:///schemas/${kind}.schema.json`,
    fileMatch: [`*.${kind}.yaml`],
    schema: JSON.parse(readFileSync(`schemas/${kind}.schema.json`, 'utf8')) as object,
  })),
});

/** The server's document type has more members than it reads. */
type ServedDocument = Parameters<typeof service.doValidation>[0];

let opened = 0;

/** A file and its cursor position (`│`). */
function file(kind: Kind, text: string) {
  opened += 1;
  const at = text.indexOf('│');
  const plain = text.replace('│', '');
  const path = `file:///${opened}.${kind}.yaml`;
  const document = TextDocument.create(path, 'yaml', 0, plain) as ServedDocument;
  return { document, cursor: document.positionAt(at) };
}

/** Diagnostics as `line: message`. */
async function underlined(kind: Kind, text: string) {
  const found = await service.doValidation(file(kind, text).document, false);
  return found.map(({ range, message }) => `${range.start.line + 1}: ${message}`).sort();
}

async function completed(kind: Kind, text: string) {
  const { document, cursor } = file(kind, text);
  const { items } = await service.doComplete(document, cursor, false);
  return items.map(({ label }) => label);
}

async function shown(kind: Kind, text: string) {
  const { document, cursor } = file(kind, text);
  const found = await service.doHover(document, cursor);
  return JSON.stringify(found?.contents);
}

describe("an editor with evaldiff's JSON schemas", () => {
  test("completes metric names and then the metric's parameters", async () => {
    const names = await completed('tests', 'metrics:\n  - name: a\n    uses: │\n');
    expect(names.sort()).toEqual([...metrics.keys()].sort());
    const keys = await completed(
      'tests',
      'metrics:\n  - uses: word_count\n    with:\n      │\n      negate: true\n',
    );
    expect(keys).toEqual(expect.arrayContaining(['min', 'max']));
    expect(keys).not.toContain('ignore_case');
  });

  test('completes each key of a metric once, and all top-level keys of a file', async () => {
    const keys = await completed('tests', 'metrics:\n  - │\n');
    expect(keys.filter((key) => key === 'uses')).toEqual(['uses']);
    expect(await completed('prompt', 'name: a\n│\n')).toEqual(
      expect.arrayContaining(['model', 'messages', 'variables', 'tests']),
    );
    expect(await completed('settings', '│\n')).toEqual(
      expect.arrayContaining(['n_tries', 'models', 'gate', 'budget']),
    );
  });

  test('explains a key, a metric and its parameter on hover', async () => {
    expect(await shown('settings', 'n_tr│ies: 2\n')).toContain('or adaptive: two tries');
    expect(await shown('tests', 'metrics:\n  - uses: cont│ains\n')).toContain(
      '`contains`: The answer contains the expected text.',
    );
    expect(
      await shown('tests', 'metrics:\n  - uses: contains\n    with: { ignore_│case: true }\n'),
    ).toContain('Ignore case.');
  });

  test.each<[string, string, string[], Kind?]>([
    [
      'a key that the metric does not take',
      'metrics:\n  - name: a\n    uses: contains\n    with:\n      ignore_cas: true\n',
      ['5: contains takes value, ignore_case, trim, ignore_punctuation, mode, negate, transform'],
    ],
    [
      'a value of the wrong kind',
      'metrics:\n  - uses: contains\n    with: { ignore_case: 3 }\n',
      ['3: Incorrect type. Expected "boolean".'],
    ],
    [
      'a metric that does not exist',
      'metrics:\n  - name: a\n    uses: contians\n',
      [expect.stringMatching(/^3: Value is not accepted.*"contains"/) as unknown as string],
    ],
    ['a slip in a top-level key of tests', 'metrcs: []\n', ['1: Property metrcs is not allowed.']],
    ['of the settings', 'n_trys: 3\n', ['1: Property n_trys is not allowed.'], 'settings'],
    [
      'of a rubric',
      'polite:\n  promt: x\n',
      ['1: Missing property "prompt".', '2: Property promt is not allowed.'],
      'rubrics',
    ],
    [
      'nothing in a right file',
      'metrics:\n  - { uses: contains, with: { ignore_case: true } }\n  - { name: c, code: "metric = 1", language: python }\n  - { rubric: polite }\nreferences:\n  - { id: a, input: { q: b }, expected: c }\n',
      [],
    ],
  ])('underlines %s on its line', async (_, text, expected, kind = 'tests') => {
    expect(await underlined(kind, text)).toEqual(expected);
  });
});
