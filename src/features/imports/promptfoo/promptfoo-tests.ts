import { isTable } from '../../../documents/dataset.ts';
import type { Document } from '../../../documents/document.ts';
import { folderOf } from '../../../documents/paths.ts';
import { filledText, isMap, type Place } from '../../../types/plain.ts';
import { A_TEST, type Loss, lose } from '../shared/draft.ts';
import { readEach, loseUnread, nodeOf, type Node } from '../shared/node.ts';
import { codeCommand, codeFileIn } from './foreign-code.ts';
import { readAssertions, withValues } from './promptfoo-assertions.ts';
import {
  expandVariables,
  leaveOut,
  type Defaults,
  type ForeignTest,
  type ValueReader,
} from './promptfoo-values.ts';
import { ROW_KEYS, readRow, readVariables, variablesOfRow } from './promptfoo-variables.ts';

const NO_DEFAULTS: Defaults = {
  variables: new Map(),
  assertions: [],
  always: [],
  expands: true,
  options: {},
};

const KNOWN_OPTIONS =
  'provider disableDefaultAsserts disableVarExpansion timeout delay maxConcurrency prefix ' +
  'suffix transformVars transform postprocess';

const TEST_KEYS = 'vars assert description metadata options threshold';

const TEST_FILTER_KEYS = ['prompts', 'providers', 'provider'];

export async function readForeignTests(
  document: Document,
  { files, shown, code, host }: Omit<ValueReader, 'left' | 'defaults'>,
  left: Loss[],
): Promise<ForeignTest[]> {
  const reader: ValueReader = { files, shown, code, host, left, defaults: NO_DEFAULTS };
  const root = nodeOf(document);
  const [written, tests] = [root.at('defaultTest'), root.at('tests')];
  reader.defaults = await readDefaults(written, reader);
  const listed = root.at('scenarios');
  const scenarios = await readEach(listed.value === null ? [] : listed.each(), (entry) =>
    readScenarios(entry, reader),
  );
  if (tests.value !== null) return [...(await readEntries(tests, reader)), ...scenarios];
  const { always: _, ...defaults } = reader.defaults;
  const isEmpty = defaults.assertions.length === 0 && defaults.variables.size === 0;
  return scenarios.length > 0 || isEmpty
    ? scenarios
    : expandVariables({ description: null, ...defaults, place: written.place }, reader);
}

async function readScenarios(entry: Node, reader: ValueReader): Promise<ForeignTest[]> {
  if (typeof entry.value !== 'string') return readScenario(entry, reader);
  const files = await reader.files.documents(entry.value, entry.place);
  const scenarios = files.flatMap((file) => nodeOf(file).each());
  return readEach(scenarios, (scenario) => readScenario(scenario, reader));
}

async function readScenario(scenario: Node, reader: ValueReader): Promise<ForeignTest[]> {
  const [config, tests] = [scenario.at('config'), scenario.at('tests')];
  if (!Array.isArray(config.value))
    return leaveOut(reader, scenario.place, 'a scenario', 'its config is not a list');
  return readEach(config.items(), async (entry) => {
    if (!isMap(entry.value))
      return leaveOut(reader, entry.place, 'an entry of a scenario', 'it is not a map');
    const data = await defaultsIn(entry, reader);
    const { variables, assertions, expands, options } = reader.defaults;
    const defaults = {
      expands: expands && data.expands,
      options: { ...options, ...data.options },
      variables: new Map([...variables, ...data.variables]),
      assertions,
      always: data.assertions,
    };
    const own = { ...reader, defaults };
    return tests.value === null ? readTest(tests.at(0), own) : readEntries(tests, own);
  });
}

function readEntries(tests: Node, reader: ValueReader): Promise<ForeignTest[]> {
  const isList = Array.isArray(tests.value);
  return readEach(tests.each(), (entry) => readEntry(entry, isList, reader));
}

async function readDefaults(written: Node, reader: ValueReader): Promise<Defaults> {
  if (typeof written.value !== 'string') return defaultsIn(written, reader);
  const [file] = await reader.files.documents(written.value, written.place);
  return file === undefined ? NO_DEFAULTS : defaultsIn(nodeOf(file), reader);
}

async function defaultsIn(node: Node, reader: ValueReader): Promise<Defaults> {
  if (!isMap(node.value)) return NO_DEFAULTS;
  reportUnknownKeys(node, reader.left);
  const options = node.at('options').map;
  return {
    expands: options['disableVarExpansion'] !== true,
    options,
    variables: await readVariables(node.at('vars'), reader),
    assertions: readAssertions(node.at('assert'), reader.left),
    always: [],
  };
}

async function readEntry(
  entry: Node,
  isListed: boolean,
  reader: ValueReader,
): Promise<ForeignTest[]> {
  const { value, map, place } = entry;
  const named = typeof value === 'string' ? value : map['path'];
  if (typeof named !== 'string')
    return isMap(value)
      ? readTest(entry, reader)
      : leaveOut(reader, place, A_TEST, 'it is neither a map nor a file');
  const lost = (why: string): never[] => leaveOut(reader, place, `tests ${named}`, why);
  if (/^(?:https?:|huggingface:|s3:|gs:|az:)/.test(named))
    return lost('tests are read only from files of the repository');
  if (/\.(?:[cm]?[jt]s|py)(?::\w+)?$/i.test(named)) return testsFromCode(named, entry, reader);
  // promptfoo loads `file://` values only from YAML files and from files in a list.
  const loads = isListed || /\.ya?ml$/i.test(named);
  if (/\.(?:csv|tsv|jsonl|ndjson)$/i.test(named)) return readRowFiles(named, place, loads, reader);
  return /\.(?:ya?ml|json)$/i.test(named)
    ? readEach(await reader.files.documents(named, place), (file) =>
        readTestFile(file, loads, reader),
      )
    : lost('only YAML, JSON, JSONL, CSV and TSV files are read');
}

/** If code may not run, the tests that it would generate are lost. */
async function testsFromCode(
  named: string,
  { map, place }: Node,
  reader: ValueReader,
): Promise<ForeignTest[]> {
  const { config } = map;
  const code = codeFileIn(named, folderOf(place.file));
  const lost = (why: string): never[] => leaveOut(reader, place, `tests ${named}`, why);
  if (code === null || typeof reader.code === 'string')
    return lost(
      'tests from code run only if evaldiff reads this file directly, with code: host; or write ' +
        'them to a JSONL file',
    );
  const command = codeCommand('tests', code, { config });
  const made = await reader.code(command, reader.host.setup, {});
  if (!made.ok) return lost(made.why);
  const at = (): Place => ({ file: code.file, line: 1 });
  const file: Document = { file: code.file, value: made.value, placeOf: at, placeOfText: at };
  return readTestFile(file, false, reader);
}

function readTestFile(file: Document, loads: boolean, reader: ValueReader): Promise<ForeignTest[]> {
  return readEach(nodeOf(file).each(), async (test) =>
    isMap(test.value)
      ? readTest(test, reader, loads)
      : leaveOut(reader, test.place, A_TEST, 'it is not a map'),
  );
}

async function readTest(test: Node, reader: ValueReader, loads = false): Promise<ForeignTest[]> {
  const { map, place } = test;
  const limit = TEST_FILTER_KEYS.find((key) => (map[key] ?? null) !== null);
  if (limit !== undefined)
    return leaveOut(
      reader,
      test.at(limit).place,
      A_TEST,
      `its key ${limit} restricts it to some prompts or models, but evaldiff runs every test with ` +
        `all prompts and models of the file`,
    );
  reportUnknownKeys(test, reader.left);
  const variables = await readVariables(test.at('vars'), reader);
  const written = readAssertions(test.at('assert'), reader.left);
  const own = loads ? await withValues(written, reader) : written;
  const options = test.at('options').map;
  const { assertions, always } = reader.defaults;
  const inherited = options['disableDefaultAsserts'] === true ? always : [...assertions, ...always];
  return expandVariables(
    {
      description: filledText(map['description']),
      variables: new Map([...reader.defaults.variables, ...variables]),
      expands: options['disableVarExpansion'] !== true && reader.defaults.expands,
      options: { ...reader.defaults.options, ...options },
      assertions: [...inherited, ...own],
      place,
    },
    reader,
  );
}

/**
 * A JSON row with keys such as `vars` is a test. Columns of other rows are variables, except `__…`.
 */
async function readRowFiles(
  path: string,
  from: Place,
  loads: boolean,
  reader: ValueReader,
): Promise<ForeignTest[]> {
  const found = await reader.files.rows(path, from);
  const rows = found.flatMap(({ file, rows: own }) => own.map((row) => ({ file, ...row })));
  return readEach(rows, async ({ file, line, value }) => {
    const place = { file, line };
    const isTest =
      !isTable(file) && ROW_KEYS.some((key) => isMap(value[key]) || Array.isArray(value[key]));
    return isTest
      ? readTest(nodeOf({ value, placeOf: () => place }), reader, loads)
      : readRow(value, place, await variablesOfRow(value, place, reader), reader);
  });
}

function reportUnknownKeys(test: Node, said: Loss[]): void {
  loseUnread(said, test, { read: TEST_KEYS });
  if (test.map['threshold'] !== undefined)
    lose(
      said,
      test.at('threshold').place,
      'threshold',
      'a test passes if all its assertions pass; a threshold on their mean is not supported',
    );
  const options = test.at('options');
  loseUnread(said, options, { read: KNOWN_OPTIONS, what: (key) => `options.${key}` });
}
