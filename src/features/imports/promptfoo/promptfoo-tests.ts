import { isTable } from '../../../documents/dataset.ts';
import type { Path } from '../../../documents/document.ts';
import { folderOf } from '../../../documents/paths.ts';
import { filledText, isMap, jsonText, type JsonMap, type Place } from '../../../types/plain.ts';
import { A_TEST } from '../shared/draft.ts';
import { leafNode, readEach, readNodes, refuse, type Node, isAmong } from '../shared/node.ts';
import { fieldsOf } from '../shared/text-assertions.ts';
import { codeCommand, codeFileIn } from './foreign-code.ts';
import { isSent } from './promptfoo-parameters.ts';
import {
  makeTests,
  mergeOptions,
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
  options: {},
  provider: null,
};

const KNOWN_OPTIONS =
  'provider disableDefaultAsserts disableVarExpansion timeout delay maxConcurrency prefix ' +
  'suffix transformVars transform postprocess runSerially storeOutputAs';

const LOST_OPTIONS = 'rubricPrompt factuality repeat';

const LOST_TEST_KEYS = 'assertScoringFunction providerOutput';

const TEST_KEYS = 'vars assert description metadata options threshold';

/** `isFixed`: the prompts have no variables, so each of them is a test without any that is written. */
export async function readForeignTests(
  given: Omit<ValueReader, 'defaults'>,
  isFixed: boolean,
): Promise<ForeignTest[]> {
  const { root } = given;
  const [written, tests] = [root.at('defaultTest'), root.at('tests')];
  const reader: ValueReader = { ...given, defaults: NO_DEFAULTS };
  const [inFile] = await inFiles(written, reader);
  if (inFile !== undefined) reader.defaults = await readDefaults(inFile, reader);
  const scenarios = await readEach(root.at('scenarios').each(), async (entry) =>
    readNodes(await inFiles(entry, reader), 'a scenario', (scenario) =>
      readScenario(scenario, reader),
    ),
  );
  if (tests.value !== null) return [...(await readEntries(tests, reader)), ...scenarios];
  const { assertions, variables } = reader.defaults;
  const isBare = assertions.length === 0 && variables.size === 0;
  const isWritten = 'tests' in root.map || 'scenarios' in root.map;
  if (scenarios.length > 0 || (isBare && (isWritten || !isFixed))) return scenarios;
  return readNodes([isBare ? root.at('prompts') : written], A_TEST, (node) =>
    makeTests(node, { ...NO_DEFAULTS, description: null }, reader),
  );
}

/** The entries of the files that the text names, or else the entry itself. */
async function inFiles(entry: Node, { files }: ValueReader): Promise<Node[]> {
  if (typeof entry.value !== 'string') return [entry];
  return (await files.nodes(entry.value, entry)).flatMap((root) => root.each());
}

function readScenario(scenario: Node, reader: ValueReader): Promise<ForeignTest[]> {
  const { defaults } = reader;
  const [config, tests] = [scenario.at('config'), scenario.at('tests')];
  if (!Array.isArray(config.value)) return refuse('its config is not a list');
  return readNodes(config.items(), 'an entry of a scenario', async (entry) => {
    if (!isMap(entry.value)) return refuse('it is not a map');
    const data = await readDefaults(entry, reader);
    const own = {
      ...reader,
      defaults: {
        options: mergeOptions(defaults.options, data.options),
        variables: new Map([...defaults.variables, ...data.variables]),
        assertions: defaults.assertions,
        always: data.assertions,
        provider: data.provider ?? defaults.provider,
      },
    };
    return tests.value === null
      ? readNodes([tests.at(0)], A_TEST, (test) => readTest(test, own))
      : readEntries(tests, own);
  });
}

async function readDefaults(node: Node, reader: ValueReader): Promise<Defaults> {
  if (!isMap(node.value)) return NO_DEFAULTS;
  reportUnknownKeys(node);
  return {
    options: node.at('options').map,
    variables: await readVariables(node.at('vars'), reader),
    assertions: readAssertions(node.at('assert')),
    always: [],
    provider: givenAt(node, 'provider'),
  };
}

function readEntries(tests: Node, reader: ValueReader): Promise<ForeignTest[]> {
  const isListed = Array.isArray(tests.value);
  return readNodes(tests.each(), A_TEST, async (entry) => {
    const { value, map } = entry;
    const named = typeof value === 'string' ? value : map['path'];
    if (typeof named === 'string')
      return readNodes([entry], `tests ${named}`, () => readNamed(named, entry, isListed, reader));
    return isMap(value) ? readTest(entry, reader) : refuse('it is neither a map nor a file');
  });
}

async function readNamed(
  named: string,
  entry: Node,
  isListed: boolean,
  reader: ValueReader,
): Promise<ForeignTest[]> {
  if (/^(?:https?:|huggingface:|s3:|gs:|az:)/.test(named))
    refuse('tests are read only from files of the repository');
  if (/\.(?:[cm]?[jt]s|py)(?::\w+)?$/i.test(named))
    return readTestList(await testsFromCode(named, entry, reader), false, reader);
  // promptfoo loads `file://` values only from YAML files and from files in a list.
  const loads = isListed || /\.ya?ml$/i.test(named);
  if (/\.(?:csv|tsv|jsonl|ndjson)$/i.test(named)) return readRowTests(named, entry, loads, reader);
  if (!/\.(?:ya?ml|json)$/i.test(named))
    refuse('only YAML, JSON, JSONL, CSV and TSV files are read');
  return readEach(await reader.files.nodes(named, entry), (root) =>
    readTestList(root, loads, reader),
  );
}

async function testsFromCode(
  named: string,
  { map, place, losses }: Node,
  { code: call, host }: ValueReader,
): Promise<Node> {
  const code = codeFileIn(named, folderOf(place.file));
  if (code === null || typeof call === 'string')
    return refuse(
      'tests from code run only if evaldiff reads this file directly, with code: host; or write ' +
        'them to a JSONL file',
    );
  const made = await call(codeCommand('tests', code, { config: map['config'] }), host.setup, {});
  return made.ok ? leafNode(made.value, { file: code.file, line: 1 }, losses) : refuse(made.why);
}

function readTestList(list: Node, loads: boolean, reader: ValueReader): Promise<ForeignTest[]> {
  return readNodes(list.each(), A_TEST, (test) =>
    isMap(test.value) ? readTest(test, reader, loads) : refuse('it is not a map'),
  );
}

async function readTest(test: Node, reader: ValueReader, loads = false): Promise<ForeignTest[]> {
  const { map } = test;
  const limit = ['prompts', 'providers'].find((key) => (map[key] ?? null) !== null);
  if (limit !== undefined)
    return test
      .at(limit)
      .lose(
        A_TEST,
        `its key ${limit} restricts it to some prompts or models, but evaldiff runs every test with ` +
          `all prompts and models of the file`,
      );
  reportUnknownKeys(test);
  const variables = await readVariables(test.at('vars'), reader);
  const listed = readAssertions(test.at('assert'));
  const assertions = loads
    ? await Promise.all(listed.map((each) => withFile(each, reader)))
    : listed;
  const description = filledText(map['description']);
  const options = test.at('options').map;
  givenAt(test, 'options', 'provider')?.remark(
    "provider of a test's options: the settings' grader gives all grades",
  );
  const provider = givenAt(test, 'provider');
  if (isMap(provider?.value) && !('id' in provider.map)) refuse('its own provider has no id');
  return makeTests(test, { description, variables, options, assertions, provider }, reader);
}

function givenAt(node: Node, ...path: Path): Node | null {
  const found = node.at(...path);
  return found.value === null ? null : found;
}

function readAssertions(list: Node): ForeignAssertion[] {
  if (list.value !== null && !Array.isArray(list.value)) list.lose('assert', 'it is not a list');
  return list.items().flatMap((node): ForeignAssertion[] => {
    const { value, map } = node;
    // An `assert-set` without a threshold means the same as its assertions.
    if (map['type'] === 'assert-set' && map['threshold'] === undefined)
      return readAssertions(node.at('assert'));
    if (!isMap(value)) return node.lose('an assertion', 'it is not a map');
    return '$ref' in value
      ? node.lose('an assertion', 'references to other parts of the file are not supported')
      : [{ value, node, file: null }];
  });
}

async function withFile(
  assertion: ForeignAssertion,
  { files }: ValueReader,
): Promise<ForeignAssertion> {
  const { value, node } = assertion;
  const named = value['value'];
  if (typeof named !== 'string' || !/^file:\/\/(?!.*\.(?:[cm]?[jt]s|py|rb)(?::|$))/.test(named))
    return assertion;
  const [found] = /\.(?:json|ya?ml)$/i.test(named)
    ? (await files.nodes(named, node)).map((data) => ({ file: data.place.file, value: data.value }))
    : (await files.texts(named, node.place)).map(({ file, text }) => ({ file, value: text }));
  return found === undefined
    ? assertion
    : { node, file: found.file, value: { ...value, value: found.value } };
}

/** A JSON row with keys such as `vars` is a test. Columns of other rows are variables or `__…`. */
async function readRowTests(
  path: string,
  { place: from, losses }: Node,
  loads: boolean,
  reader: ValueReader,
): Promise<ForeignTest[]> {
  const lost = (place: Place, why: string) => leafNode(null, place, losses).lose(A_TEST, why);
  const rows = (await reader.files.rows(path, from, lost)).map(({ file, line, value }) =>
    leafNode(value, { file, line }, losses),
  );
  return readNodes(rows, A_TEST, (row) => {
    const isTest =
      !isTable(row.place.file) &&
      ['vars', 'assert', 'description'].some((key) => typeof (row.map[key] ?? 0) === 'object');
    return isTest ? readTest(row, reader, loads) : readRow(row, reader);
  });
}

const SECONDARY_COLUMN = /^__(?:(?:description|metric)$|(?:metadata|config):)/;

async function readRow(node: Node, reader: ValueReader): Promise<ForeignTest[]> {
  const { map: row, place, losses } = node;
  const cells = Object.entries(row).filter(([column]) => !column.startsWith('__'));
  const variables = await readVariables(leafNode(Object.fromEntries(cells), place, losses), reader);
  const assertions: ForeignAssertion[] = [];
  const options: JsonMap = {};
  for (const [column, cell] of Object.entries(row)) {
    if (cell === '' || !column.startsWith('__') || SECONDARY_COLUMN.test(column)) continue;
    if (/^__expected\d*$/.test(column))
      assertions.push({ value: cellAssertion(jsonText(cell), column, row), node, file: null });
    else if (column === '__prefix' || column === '__suffix') options[column.slice(2)] = cell;
    else node.lose(`the column ${column}`, 'evaldiff has no equivalent');
  }
  const description = filledText(row['__description']);
  return makeTests(node, { description, variables, options, assertions, provider: null }, reader);
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
    ...(bound === '' ? {} : { threshold: Number(jsonText(bound)) }),
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

function reportUnknownKeys(test: Node): void {
  test.loseUnread({ read: TEST_KEYS, lost: LOST_TEST_KEYS });
  if (test.map['threshold'] !== undefined)
    test
      .at('threshold')
      .lose(
        'threshold',
        'a test passes if all its assertions pass; a threshold on their mean is not supported',
      );
  const options = test.at('options');
  const sent = Object.keys(options.map).filter(isSent);
  options.loseUnread({
    read: [KNOWN_OPTIONS, ...sent].join(' '),
    lost: LOST_OPTIONS,
    what: (key) => `options.${key}`,
  });
}
