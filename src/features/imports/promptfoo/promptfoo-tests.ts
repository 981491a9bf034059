import { isTable } from '../../../documents/dataset.ts';
import type { Document } from '../../../documents/document.ts';
import { folderOf } from '../../../documents/paths.ts';
import { filledText, isMap, type Json, type JsonMap, type Place } from '../../../types/plain.ts';
import { A_TEST, isAmong, lose, type Loss } from '../shared/draft.ts';
import { loseUnread, nodeOf, readEach, type Node } from '../shared/node.ts';
import { fieldsOf } from '../shared/text-assertions.ts';
import { codeCommand, codeFileIn } from './foreign-code.ts';
import {
  expandVariables,
  readVariables,
  type Defaults,
  type ForeignAssertion,
  type ForeignTest,
  type ValueReader,
} from './promptfoo-values.ts';

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
  given: Omit<ValueReader, 'defaults'>,
): Promise<ForeignTest[]> {
  const root = nodeOf(document);
  const [written, tests, listed] = [root.at('defaultTest'), root.at('tests'), root.at('scenarios')];
  const reader: ValueReader = { ...given, defaults: NO_DEFAULTS };
  const [inFile] = await inFiles(written, reader);
  if (inFile !== undefined) reader.defaults = await readDefaults(inFile, reader);
  const entries = listed.value === null ? [] : listed.each();
  const scenarios = await readEach(entries, async (entry) =>
    readEach(await inFiles(entry, reader), (scenario) => readScenario(scenario, reader)),
  );
  if (tests.value !== null) return [...(await readEntries(tests, reader)), ...scenarios];
  const { always: _, ...defaults } = reader.defaults;
  const isEmpty = defaults.assertions.length === 0 && defaults.variables.size === 0;
  return scenarios.length > 0 || isEmpty
    ? scenarios
    : expandVariables({ description: null, ...defaults, place: written.place }, reader);
}

/** The entries of the files that the text names, or else the entry itself. */
async function inFiles(entry: Node, { files }: ValueReader): Promise<Node[]> {
  if (typeof entry.value !== 'string') return [entry];
  const found = await files.documents(entry.value, entry.place);
  return found.flatMap((file) => nodeOf(file).each());
}

async function readScenario(scenario: Node, reader: ValueReader): Promise<ForeignTest[]> {
  const { left, defaults } = reader;
  const [config, tests] = [scenario.at('config'), scenario.at('tests')];
  if (!Array.isArray(config.value))
    return lose(left, scenario.place, 'a scenario', 'its config is not a list');
  return readEach(config.items(), async (entry) => {
    if (!isMap(entry.value))
      return lose(left, entry.place, 'an entry of a scenario', 'it is not a map');
    const data = await readDefaults(entry, reader);
    const own = {
      ...reader,
      defaults: {
        expands: defaults.expands && data.expands,
        options: { ...defaults.options, ...data.options },
        variables: new Map([...defaults.variables, ...data.variables]),
        assertions: defaults.assertions,
        always: data.assertions,
      },
    };
    return tests.value === null ? readTest(tests.at(0), own) : readEntries(tests, own);
  });
}

async function readDefaults(node: Node, reader: ValueReader): Promise<Defaults> {
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

function readEntries(tests: Node, reader: ValueReader): Promise<ForeignTest[]> {
  const isListed = Array.isArray(tests.value);
  return readEach(tests.each(), async (entry) => {
    const { value, map, place } = entry;
    const named = typeof value === 'string' ? value : map['path'];
    if (typeof named === 'string') return readNamed(named, entry, isListed, reader);
    return isMap(value)
      ? readTest(entry, reader)
      : lose(reader.left, place, A_TEST, 'it is neither a map nor a file');
  });
}

async function readNamed(
  named: string,
  { map, place }: Node,
  isListed: boolean,
  reader: ValueReader,
): Promise<ForeignTest[]> {
  const lost = (why: string) => lose(reader.left, place, `tests ${named}`, why);
  if (/^(?:https?:|huggingface:|s3:|gs:|az:)/.test(named))
    return lost('tests are read only from files of the repository');
  if (/\.(?:[cm]?[jt]s|py)(?::\w+)?$/i.test(named)) {
    const made = await testsFromCode(named, map['config'], place, reader);
    return typeof made === 'string' ? lost(made) : readTestFile(made, false, reader);
  }
  // promptfoo loads `file://` values only from YAML files and from files in a list.
  const loads = isListed || /\.ya?ml$/i.test(named);
  if (/\.(?:csv|tsv|jsonl|ndjson)$/i.test(named)) return readRows(named, place, loads, reader);
  return /\.(?:ya?ml|json)$/i.test(named)
    ? readEach(await reader.files.documents(named, place), (file) =>
        readTestFile(file, loads, reader),
      )
    : lost('only YAML, JSON, JSONL, CSV and TSV files are read');
}

/** Returns the reason if the code may not run or fails. */
async function testsFromCode(
  named: string,
  config: Json | undefined,
  place: Place,
  { code: call, host }: ValueReader,
): Promise<Document | string> {
  const code = codeFileIn(named, folderOf(place.file));
  if (code === null || typeof call === 'string')
    return (
      'tests from code run only if evaldiff reads this file directly, with code: host; or write ' +
      'them to a JSONL file'
    );
  const made = await call(codeCommand('tests', code, { config }), host.setup, {});
  if (!made.ok) return made.why;
  const placeOf = (): Place => ({ file: code.file, line: 1 });
  return { file: code.file, value: made.value, placeOf, placeOfText: placeOf };
}

function readTestFile(file: Document, loads: boolean, reader: ValueReader): Promise<ForeignTest[]> {
  return readEach(nodeOf(file).each(), async (test) =>
    isMap(test.value)
      ? readTest(test, reader, loads)
      : lose(reader.left, test.place, A_TEST, 'it is not a map'),
  );
}

async function readTest(test: Node, reader: ValueReader, loads = false): Promise<ForeignTest[]> {
  const { map, place } = test;
  const { defaults, left } = reader;
  const limit = TEST_FILTER_KEYS.find((key) => (map[key] ?? null) !== null);
  if (limit !== undefined)
    return lose(
      left,
      test.at(limit).place,
      A_TEST,
      `its key ${limit} restricts it to some prompts or models, but evaldiff runs every test with ` +
        `all prompts and models of the file`,
    );
  reportUnknownKeys(test, left);
  const variables = await readVariables(test.at('vars'), reader);
  const written = readAssertions(test.at('assert'), left);
  const own = loads ? await Promise.all(written.map((each) => withFile(each, reader))) : written;
  const options = test.at('options').map;
  const inherited = options['disableDefaultAsserts'] === true ? [] : defaults.assertions;
  return expandVariables(
    {
      description: filledText(map['description']),
      variables: new Map([...defaults.variables, ...variables]),
      expands: options['disableVarExpansion'] !== true && defaults.expands,
      options: { ...defaults.options, ...options },
      assertions: [...inherited, ...defaults.always, ...own],
      place,
    },
    reader,
  );
}

function readAssertions(list: Node, left: Loss[]): ForeignAssertion[] {
  if (list.value !== null && !Array.isArray(list.value))
    lose(left, list.place, 'assert', 'it is not a list');
  return list.items().flatMap((assertion): ForeignAssertion[] => {
    const { value, map, place } = assertion;
    // An `assert-set` without a threshold means the same as its assertions.
    if (map['type'] === 'assert-set' && map['threshold'] === undefined)
      return readAssertions(assertion.at('assert'), left);
    if (!isMap(value)) return lose(left, place, 'an assertion', 'it is not a map');
    return '$ref' in value
      ? lose(left, place, 'an assertion', 'references to other parts of the file are not supported')
      : [{ value, place, file: null }];
  });
}

async function withFile(
  assertion: ForeignAssertion,
  { files }: ValueReader,
): Promise<ForeignAssertion> {
  const { value, place } = assertion;
  const named = value['value'];
  if (typeof named !== 'string' || !/^file:\/\/(?!.*\.(?:[cm]?[jt]s|py|rb)(?::|$))/.test(named))
    return assertion;
  if (/\.(?:json|ya?ml)$/i.test(named)) {
    const [data] = await files.documents(named, place);
    return data === undefined
      ? assertion
      : { place, value: { ...value, value: data.value }, file: data.file };
  }
  const [text] = await files.texts(named, place);
  return text === undefined
    ? assertion
    : { place, value: { ...value, value: text.text }, file: text.file };
}

/** A JSON row with keys such as `vars` is a test. Columns of other rows are variables or `__…`. */
async function readRows(
  path: string,
  from: Place,
  loads: boolean,
  reader: ValueReader,
): Promise<ForeignTest[]> {
  const found = await reader.files.rows(path, from);
  const rows = found.flatMap(({ file, rows: own }) => own.map((row) => ({ file, ...row })));
  return readEach(rows, async ({ file, line, value }) => {
    const node = nodeOf({ value, placeOf: () => ({ file, line }) });
    const isTest =
      !isTable(file) &&
      ['vars', 'assert', 'description'].some((key) => typeof (value[key] ?? 0) === 'object');
    return isTest ? readTest(node, reader, loads) : readRow(value, node, reader);
  });
}

const SECONDARY_COLUMN = /^__(?:(?:description|metric)$|(?:metadata|config):)/;

async function readRow(row: JsonMap, { place }: Node, reader: ValueReader): Promise<ForeignTest[]> {
  const { defaults, left } = reader;
  const cells = Object.entries(row).filter(([column]) => !column.startsWith('__'));
  const value = Object.fromEntries(cells);
  const variables = await readVariables(nodeOf({ value, placeOf: () => place }), reader);
  const assertions = [...defaults.assertions, ...defaults.always];
  const options = { ...defaults.options };
  for (const [column, cell] of Object.entries(row)) {
    if (cell === '' || !column.startsWith('__') || SECONDARY_COLUMN.test(column)) continue;
    if (/^__expected\d*$/.test(column))
      assertions.push({ value: cellAssertion(String(cell), column, row), place, file: null });
    else if (column === '__prefix' || column === '__suffix') options[column.slice(2)] = cell;
    else lose(left, place, `the column ${column}`, 'evaldiff has no equivalent');
  }
  return expandVariables(
    {
      description: filledText(row['__description']),
      variables: new Map([...defaults.variables, ...variables]),
      expands: defaults.expands,
      options,
      assertions,
      place,
    },
    reader,
  );
}

const PREFIXES: readonly (readonly [RegExp, string])[] = [
  [/^(?:javascript|fn|eval):/, 'javascript'],
  [/^(?:llm-rubric|grade):/, 'llm-rubric'],
  [/^python:/, 'python'],
  [/^file:\/\/(?=.*\.py(?::\w+)?$)/, 'python'],
  [/^file:\/\/(?=.*\.[cm]?[jt]s(?::\w+)?$)/, 'javascript'],
];

const TYPED = /^(not-)?([a-z][a-z0-9-]*(?::[a-z-]+)?)(?:\((\d+(?:\.\d+)?)\))?(?::([\s\S]*))?$/;

const ASSERTION_TYPES =
  'agent-rubric answer-relevance bleu classifier contains contains-all contains-any ' +
  'contains-html contains-json contains-sql contains-xml context-faithfulness context-recall ' +
  'context-relevance conversation-relevance cost equals factuality finish-reason g-eval gleu ' +
  'guardrails icontains icontains-all icontains-any is-html is-json is-refusal is-sql ' +
  'is-valid-function-call is-valid-openai-function-call is-valid-openai-tools-call is-xml ' +
  'javascript latency levenshtein llm-rubric meteor model-graded-closedqa ' +
  'model-graded-factuality moderation perplexity perplexity-score pi python regex rouge-n ruby ' +
  'search-rubric similar similar:cosine similar:dot similar:euclidean skill-used starts-with ' +
  'tool-call-f1 trace-error-spans trace-span-count trace-span-duration trajectory:goal-success ' +
  'trajectory:step-count trajectory:tool-args-match trajectory:tool-sequence ' +
  'trajectory:tool-used webhook word-count';

/** Types of assertions that may have a threshold in brackets. */
const BOUNDED =
  'answer-relevance classifier context-faithfulness context-recall context-relevance cost ' +
  'latency levenshtein perplexity perplexity-score rouge-n similar starts-with';

const LIST_ASSERTION = /^i?contains-(?:any|all)$/;

const BOUND = 0.75;

/** Reads an assertion from a table cell: `type(threshold): value`, or else the expected answer. */
function cellAssertion(cell: string, column: string, row: JsonMap): JsonMap {
  const written = cell.trim();
  const metric = filledText(row['__metric']);
  const bound = row[`__config:${column}:threshold`] ?? '';
  const labels: JsonMap = {
    ...(metric === null ? {} : { metric }),
    ...(bound === '' ? {} : { threshold: Number(bound) }),
  };
  const [prefix, ofPrefix] = PREFIXES.find(([mark]) => mark.test(written)) ?? [];
  if (prefix !== undefined && ofPrefix !== undefined) {
    const value = written.startsWith('file://') ? written : written.replace(prefix, '').trim();
    return { type: ofPrefix, value, ...labels };
  }
  return { ...(typedAssertion(written) ?? { type: 'equals', value: written }), ...labels };
}

function typedAssertion(written: string): JsonMap | null {
  const [, not = '', type = '', threshold = BOUND, value] = TYPED.exec(written) ?? [];
  if (!isAmong(ASSERTION_TYPES, type)) return null;
  const text = value?.trim();
  const list = LIST_ASSERTION.test(type) ? fieldsOf(value ?? '') : null;
  return {
    type: `${not}${type}`,
    ...(text === undefined ? {} : { value: list ?? text }),
    ...(isAmong(BOUNDED, type) ? { threshold: Number(threshold) } : {}),
  };
}

function reportUnknownKeys(test: Node, left: Loss[]): void {
  loseUnread(left, test, { read: TEST_KEYS });
  if (test.map['threshold'] !== undefined)
    lose(
      left,
      test.at('threshold').place,
      'threshold',
      'a test passes if all its assertions pass; a threshold on their mean is not supported',
    );
  const options = test.at('options');
  loseUnread(left, options, { read: KNOWN_OPTIONS, what: (key) => `options.${key}` });
}
