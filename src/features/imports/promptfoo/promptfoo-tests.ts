import { isTable } from '../../../documents/dataset.ts';
import { valueAt, type Document, type Path } from '../../../documents/document.ts';
import { folderOf } from '../../../documents/paths.ts';
import { isMap, type Json, type JsonMap, type Place } from '../../../types/plain.ts';
import { isAmong, A_TEST, type Loss, lose } from '../shared/draft.ts';
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

/** Options that are read or only limit the run's time. */
const KNOWN_OPTIONS =
  'provider disableDefaultAsserts disableVarExpansion timeout delay maxConcurrency prefix ' +
  'suffix transformVars transform postprocess';

const TEST_KEYS = ['vars', 'assert', 'description', 'metadata', 'options', 'threshold'];

const TEST_FILTER_KEYS = ['prompts', 'providers', 'provider'];

export async function readForeignTests(
  document: Document,
  { files, shown, limits, code, host }: Omit<ValueReader, 'left' | 'defaults'>,
  left: Loss[],
): Promise<ForeignTest[]> {
  const reader: ValueReader = { files, shown, limits, code, host, left, defaults: NO_DEFAULTS };
  reader.defaults = await readDefaults(document, reader);
  const written = isMap(document.value) ? (document.value['tests'] ?? null) : null;
  const scenarios = await readScenarios(document, reader);
  if (written === null && scenarios.length > 0) return scenarios;
  if (written === null) {
    const { always: _, ...defaults } = reader.defaults;
    return defaults.assertions.length === 0 && defaults.variables.size === 0
      ? []
      : expandVariables(
          { description: null, ...defaults, place: document.placeOf(['defaultTest']) },
          reader,
        );
  }
  return [...(await readEntries(written, document, ['tests'], reader)), ...scenarios];
}

async function readScenarios(document: Document, reader: ValueReader): Promise<ForeignTest[]> {
  const written = valueAt(document.value, ['scenarios']) ?? null;
  const list = Array.isArray(written) ? written : written === null ? [] : [written];
  const found = await Promise.all(
    list.map(async (entry, index) => {
      const path = Array.isArray(written) ? ['scenarios', index] : ['scenarios'];
      if (typeof entry !== 'string') return readScenario(document, path, reader);
      const inFiles = (await reader.files.documents(entry, document.placeOf(path))).flatMap(
        (file) =>
          (Array.isArray(file.value) ? [...file.value.keys()].map((at) => [at]) : [[]]).map((at) =>
            readScenario(file, at, reader),
          ),
      );
      return (await Promise.all(inFiles)).flat();
    }),
  );
  return found.flat();
}

async function readScenario(
  document: Document,
  path: Path,
  reader: ValueReader,
): Promise<ForeignTest[]> {
  const config = valueAt(document.value, [...path, 'config']);
  const tests = valueAt(document.value, [...path, 'tests']) ?? [{}];
  if (!Array.isArray(config))
    return leaveOut(reader, document.placeOf(path), 'a scenario', 'its config is not a list');
  const found = await Promise.all(
    config.map(async (entry, index) => {
      const at = [...path, 'config', index];
      if (!isMap(entry))
        return leaveOut(reader, document.placeOf(at), 'an entry of a scenario', 'it is not a map');
      const data = await defaultsIn(document, at, reader);
      const { variables, assertions, expands, options } = reader.defaults;
      const defaults = {
        expands: expands && data.expands,
        options: { ...options, ...data.options },
        variables: new Map([...variables, ...data.variables]),
        assertions,
        always: data.assertions,
      };
      return readEntries(tests, document, [...path, 'tests'], { ...reader, defaults });
    }),
  );
  return found.flat();
}

async function readEntries(
  written: Json,
  document: Document,
  path: Path,
  reader: ValueReader,
): Promise<ForeignTest[]> {
  if (!Array.isArray(written)) return readEntry(written, document, path, reader);
  const tests = await Promise.all(
    written.map((entry, index) => readEntry(entry, document, [...path, index], reader)),
  );
  return tests.flat();
}

async function readDefaults(document: Document, reader: ValueReader): Promise<Defaults> {
  const written = isMap(document.value) ? document.value['defaultTest'] : undefined;
  if (written === undefined || written === null) return NO_DEFAULTS;
  const place = document.placeOf(['defaultTest']);
  if (typeof written === 'string') {
    const [file] = await reader.files.documents(written, place);
    return file === undefined ? NO_DEFAULTS : defaultsIn(file, [], reader);
  }
  return defaultsIn(document, ['defaultTest'], reader);
}

async function defaultsIn(document: Document, path: Path, reader: ValueReader): Promise<Defaults> {
  const map = valueAt(document.value, path) ?? null;
  if (!isMap(map)) return NO_DEFAULTS;
  sayUnknown(document, path, map, reader.left);
  const options = isMap(map['options']) ? map['options'] : {};
  return {
    expands: options['disableVarExpansion'] !== true,
    options,
    variables: await readVariables(document, [...path, 'vars'], reader),
    assertions: readAssertions(map['assert'], document, [...path, 'assert'], reader.left),
    always: [],
  };
}

async function readEntry(
  written: Json,
  document: Document,
  path: Path,
  reader: ValueReader,
): Promise<ForeignTest[]> {
  const place = document.placeOf(path);
  const named =
    typeof written === 'string'
      ? written
      : isMap(written) && typeof written['path'] === 'string'
        ? written['path']
        : null;
  if (named === null)
    return isMap(written)
      ? readTest(written, document, path, reader)
      : leaveOut(reader, place, A_TEST, 'it is neither a map nor a file');
  if (/^(?:https?:|huggingface:|s3:|gs:|az:)/.test(named))
    return leaveOut(
      reader,
      place,
      `tests ${named}`,
      'tests are read from files of the repository alone',
    );
  if (/\.(?:[cm]?[jt]s|py)(?::\w+)?$/i.test(named))
    return madeTests(
      named,
      isMap(written) ? written['config'] : undefined,
      place,
      document,
      reader,
    );
  // promptfoo does not read the nested files of a file named without a list.
  const loads = typeof path.at(-1) === 'number' || /\.ya?ml$/i.test(named);
  if (/\.(?:csv|tsv|jsonl|ndjson)$/i.test(named)) return readRowFiles(named, place, loads, reader);
  if (!/\.(?:ya?ml|json)$/i.test(named))
    return leaveOut(
      reader,
      place,
      `tests ${named}`,
      'only YAML, JSON, JSONL, CSV and TSV files are read',
    );
  const found = await Promise.all(
    (await reader.files.documents(named, place)).map((file) => readTestFile(file, loads, reader)),
  );
  return found.flat();
}

/** Tests from a function. Runs where code may run, else is reported. */
async function madeTests(
  named: string,
  config: Json | undefined,
  place: Place,
  from: Document,
  reader: ValueReader,
): Promise<ForeignTest[]> {
  const code = codeFileIn(named, folderOf(from.file));
  const lost = (why: string): never[] => leaveOut(reader, place, `tests ${named}`, why);
  if (code === null || typeof reader.code === 'string')
    return lost(
      'tests made by code are not run, but for code: host and this file read in place; or ' +
        'write them to a JSONL file',
    );
  const command = codeCommand('tests', code, config === undefined ? {} : { config });
  const made = await reader.code(command, reader.host.setup, {});
  if (!made.ok) return lost(made.why);
  const at = (): Place => ({ file: code.file, line: 1 });
  const file: Document = { file: code.file, value: made.value, placeOf: at, placeOfText: at };
  return readTestFile(file, false, reader);
}

async function readTestFile(
  file: Document,
  loads: boolean,
  reader: ValueReader,
): Promise<ForeignTest[]> {
  const list = Array.isArray(file.value) ? file.value : [file.value];
  const found = await Promise.all(
    list.map((test, index) => {
      const path = Array.isArray(file.value) ? [index] : [];
      return isMap(test)
        ? readTest(test, file, path, reader, loads)
        : leaveOut(reader, file.placeOf(path), A_TEST, 'it is not a map');
    }),
  );
  return found.flat();
}

async function readTest(
  map: JsonMap,
  document: Document,
  path: Path,
  reader: ValueReader,
  loads = false,
): Promise<ForeignTest[]> {
  const limit = TEST_FILTER_KEYS.find((key) => (map[key] ?? null) !== null);
  if (limit !== undefined)
    return leaveOut(
      reader,
      document.placeOf([...path, limit]),
      A_TEST,
      `its ${limit} chooses who answers it, and tests here are for every prompt and model of the file`,
    );
  sayUnknown(document, path, map, reader.left);
  const variables = await readVariables(document, [...path, 'vars'], reader);
  const written = readAssertions(map['assert'], document, [...path, 'assert'], reader.left);
  const own = loads ? await withValues(written, reader) : written;
  const options = isMap(map['options']) ? map['options'] : {};
  const { assertions, always } = reader.defaults;
  const inherited = options['disableDefaultAsserts'] === true ? always : [...assertions, ...always];
  const description =
    typeof map['description'] === 'string' && map['description'] !== '' ? map['description'] : null;
  return expandVariables(
    {
      description,
      variables: new Map([...reader.defaults.variables, ...variables]),
      expands: options['disableVarExpansion'] !== true && reader.defaults.expands,
      options: { ...reader.defaults.options, ...options },
      assertions: [...inherited, ...own],
      place: document.placeOf(path),
    },
    reader,
  );
}

/** JSONL rows are tests. Table columns are variables, except those with two underscores. */
async function readRowFiles(
  path: string,
  from: Place,
  loads: boolean,
  reader: ValueReader,
): Promise<ForeignTest[]> {
  const found = await reader.files.rows(path, from);
  const tests = await Promise.all(
    found.flatMap(({ file, rows }) =>
      rows.map(async ({ line, value }): Promise<ForeignTest[]> => {
        const place = { file, line };
        const row: Document = { file, value, placeOf: () => place, placeOfText: () => place };
        const isTest =
          !isTable(file) && ROW_KEYS.some((key) => isMap(value[key]) || Array.isArray(value[key]));
        return isTest
          ? readTest(value, row, [], reader, loads)
          : readRow(value, place, await variablesOfRow(value, place, reader), reader);
      }),
    ),
  );
  return tests.flat();
}

function sayUnknown(document: Document, path: Path, map: JsonMap, said: Loss[]): void {
  for (const key of Object.keys(map).filter((each) => !TEST_KEYS.includes(each)))
    lose(said, document.placeOf([...path, key]), key, 'it has no counterpart');
  if (map['threshold'] !== undefined)
    lose(
      said,
      document.placeOf([...path, 'threshold']),
      'threshold',
      'a test passes when all of its assertions do; a bound on their mean has no counterpart',
    );
  const options = isMap(map['options']) ? map['options'] : {};
  for (const key of Object.keys(options).filter((each) => !isAmong(KNOWN_OPTIONS, each))) {
    lose(
      said,
      document.placeOf([...path, 'options', key]),
      `options.${key}`,
      'it has no counterpart',
    );
  }
}
