import { z } from 'zod';
import { counted } from '../text/amounts.ts';
import { codeIn } from '../text/fences.ts';
import { shorten } from '../text/visible.ts';
import { madeCalls, textOf, type Part, type ToolCall } from '../types/answer.ts';
import type { JsonSchema } from '../types/metric.ts';
import { isMap, jsonText, type Json } from '../types/plain.ts';
import type { MetricAnswer } from './answer.ts';
import { defineComparison } from './comparison.ts';
import {
  passOrFail,
  defineBatch,
  defineMetric,
  measureError,
  offByDefault,
  reaches,
  yesOrNo,
  type MetricDefinition,
} from './definition.ts';
import { checkAgainst, compileSchema } from './measures/json-schema.ts';
import {
  differencesText,
  listed,
  STRICT,
  compareJson,
  extractions,
  parseObjects,
  parseJson,
} from './measures/json.ts';
import { ignoreCase } from './measures/normalise.ts';
import { checkArguments, matchCalls, wantedCalls, type WantedCall } from './measures/tool-calls.ts';
import { f1 } from './measures/words.ts';
import { setMetrics } from './sets.ts';

interface FileEntry {
  /** Null for an image. */
  path: string | null;
  content: string | null;
  sha256: string | null;
}

const digest = z
  .string()
  .regex(/^[0-9a-f]{64}$/i)
  .toLowerCase();

const wantedFile = z.union([
  z.string().transform((path): FileEntry => ({ path, content: null, sha256: null })),
  z
    .strictObject({ path: z.string(), content: z.string().nullable().default(null) })
    .transform((file): FileEntry => ({ ...file, sha256: null })),
  z
    .strictObject({ image: digest })
    .transform(({ image }): FileEntry => ({ path: null, content: null, sha256: image })),
]);

const NOT_FILES =
  'expected must contain paths, maps with path and content, or maps with image (its sha256)';

function wantedFiles(expected: Json): FileEntry[] | null {
  return z.array(wantedFile).safeParse([expected].flat()).data ?? null;
}

function givenFiles(parts: readonly Part[]): FileEntry[] {
  return parts.flatMap((part): FileEntry[] => {
    if (part.type === 'image') return [{ path: null, content: null, sha256: part.digest }];
    return part.type === 'file' ? [{ path: part.path, content: part.diff, sha256: null }] : [];
  });
}

function isMeant(given: FileEntry, wanted: FileEntry): boolean {
  return given.path === wanted.path && (given.path !== null || given.sha256 === wanted.sha256);
}

function fileProblem(given: FileEntry | undefined, wanted: FileEntry): string | null {
  if (given === undefined) return `${fileName(wanted)} missing`;
  if (wanted.content !== null && given.content !== wanted.content)
    return `${fileName(wanted)}: ${lineDifference(given.content ?? '', wanted.content)}`;
  return null;
}

const fileName = ({ path, sha256 }: FileEntry): string =>
  path === null ? `image ${(sha256 ?? '').slice(0, 12)}…` : shorten(path, 120);

function lineDifference(given: string, wanted: string): string {
  const own = given.split('\n');
  const other = wanted.split('\n');
  const at = other.findIndex((line, index) => line !== own[index]);
  const index = at === -1 ? other.length : at;
  const quoted = (line: string | undefined) =>
    line === undefined ? 'missing' : JSON.stringify(shorten(line, 60));
  return other[index] === undefined
    ? `${counted(own.length - other.length, 'line')} more, from line ${index + 1} on`
    : `line ${index + 1} is ${quoted(own[index])}, not ${quoted(other[index])}`;
}

const fileMatch = defineComparison({
  name: 'file_match',
  group: 'structured',
  summary:
    'The answer contains the expected files and images. Each is a path, a map with `path` ' +
    'and `content`, or a map with `image` (its SHA-256). The value is the F1 score of the ' +
    'matches.',
  parameters: {
    ignore_extra: offByDefault('Ignore additional files and images.'),
  },
  range: '0 to 1',
  passes: 'if the files and images are the expected ones',
  source: 'own definition; files of agents and programs, images by digest',
  example: {
    output: 'Done.',
    completion: {
      parts: [
        { type: 'file', path: 'a.md', diff: 'A' },
        { type: 'file', path: 'b', diff: '' },
      ],
    },
    expected: [{ path: 'a.md', content: 'A' }],
    value: 2 / 3,
    pass: false,
  },
  expects: () => ({
    reads: 'value',
    wrong: (expected) => (wantedFiles(expected) === null ? NOT_FILES : null),
  }),
  measure({ answer, expected, options: { ignore_extra } }) {
    const wanted = wantedFiles(expected) ?? [];
    const given = givenFiles(answer.completion.parts);
    const ofWanted = wanted.map((want) =>
      fileProblem(
        given.find((each) => isMeant(each, want)),
        want,
      ),
    );
    const extra = given.filter((each) => !wanted.some((want) => isMeant(each, want)));
    const problems = [
      ...ofWanted.filter((problem) => problem !== null),
      ...(ignore_extra ? [] : extra.map((each) => `${fileName(each)} not expected`)),
    ];
    const matched = ofWanted.filter((problem) => problem === null).length;
    const size = ignore_extra ? given.length - extra.length : given.length;
    return passOrFail(problems.length === 0, listed(problems), f1(matched, size, wanted.length));
  },
});

const extract = z
  .enum(extractions)
  .default('raw')
  .describe(
    'Where the JSON is, if the answer is text. `raw`: the whole answer. `fenced`: the first ' +
      'code block marked as JSON, else the first block without a language, else the first ' +
      'block, else the whole answer. `first`: the first object or list. `objects`: any object, ' +
      'even in lenient syntax. Code blocks follow CommonMark.',
  );

function jsonSource({ completion }: MetricAnswer): string {
  const values = completion.parts.flatMap((part) => (part.type === 'json' ? [part.value] : []));
  return values[0] === undefined ? textOf(completion) : JSON.stringify(values[0]);
}

const isJsonMetric = defineMetric({
  name: 'is_json',
  group: 'structured',
  summary: 'The answer is JSON.',
  parameters: { extract },
  ...yesOrNo,
  source: 'RFC 8259; promptfoo `is-json`, `contains-json`',
  example: { output: '```json\n{"a": 1}\n```', with: { extract: 'fenced' }, value: 1, pass: true },
  measure({ answer, options }) {
    const parsed = parseJson(jsonSource(answer), options.extract);
    return passOrFail(parsed.ok, parsed.ok ? '' : parsed.reason);
  },
});

const schemaParameter = z
  .union([z.boolean(), z.record(z.string(), z.json()), z.string()])
  .describe(
    'The JSON Schema, as a map or as JSON text: draft 2020-12, or draft-07 if `$schema` says ' +
      'so. Checks the standard formats.',
  );

function readSchema(
  schema: boolean | string | Record<string, Json>,
): { schema: JsonSchema } | { wrong: string } {
  if (typeof schema !== 'string') return { schema };
  const parsed = parseJson(schema, 'raw');
  if (!parsed.ok) return { wrong: 'the schema is not JSON' };
  const { value } = parsed;
  if (typeof value === 'boolean' || isMap(value)) return { schema: value };
  return { wrong: 'the schema must be a map' };
}

const jsonSchemaMetric = defineMetric({
  name: 'json_schema',
  group: 'structured',
  summary: 'The answer is JSON that matches a JSON Schema.',
  parameters: { schema: schemaParameter, extract },
  ...yesOrNo,
  source: 'JSON Schema 2020-12 and draft-07, through ajv; patterns in linear time',
  example: {
    output: '{"age": "four"}',
    with: {
      schema: { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] },
    },
    value: 0,
    pass: false,
  },
  check({ schema }) {
    const read = readSchema(schema);
    const compiled = 'wrong' in read ? read.wrong : compileSchema(read.schema);
    return typeof compiled === 'string' ? [compiled] : [];
  },
  measure({ answer, options }) {
    const read = readSchema(options.schema);
    if ('wrong' in read) return measureError(read.wrong);
    const source = jsonSource(answer);
    const parsed = parseJson(source, options.extract);
    if (!parsed.ok) return passOrFail(false, parsed.reason);
    const values = options.extract === 'objects' ? parseObjects(source) : [parsed.value];
    const wrong: (string | null)[] = [];
    for (const value of values) {
      const finding = checkAgainst(read.schema, value);
      if (finding.status === 'error') return measureError(finding.message);
      wrong.push(finding.wrong);
    }
    return passOrFail(wrong.includes(null), wrong.at(-1) ?? '');
  },
});

const tolerance = z
  .number()
  .min(0)
  .default(0)
  .describe('Largest difference at which two numbers count as equal.');

const jsonMatch = defineComparison({
  name: 'json_match',
  group: 'structured',
  summary:
    "How much of the answer's JSON agrees with the expected value (written as YAML or as " +
    'JSON text). A scalar gets 0 or 1; a map or list gets the mean of its parts. To compare ' +
    'only a part, write that part as `expected` and set `ignore_extra`.',
  parameters: {
    extract,
    ignore_keys: z.array(z.string()).default([]).describe('Keys to ignore, at any depth.'),
    abs_tol: tolerance,
    ignore_order: offByDefault(
      'Ignore the order of lists. A list then gets the share of its entries that agree fully.',
    ),
    ignore_extra: offByDefault('Ignore additional keys and entries.'),
    ignore_case: ignoreCase(false),
  },
  range: '0 to 1',
  passes: 'at 1',
  source: "own definition, in the manner of autoevals `JSONDiff` and openevals' JSON match",
  example: {
    output: '{"name": "Ada", "born": 1815, "tags": []}',
    expected: { name: 'Ada', born: 1816, tags: [] },
    value: 2 / 3,
    pass: false,
  },
  expects: () => ({ reads: 'value', wrong: () => null }),
  measure({ answer, expected, options }) {
    const parsed = parseJson(jsonSource(answer), options.extract);
    if (!parsed.ok) return passOrFail(false, parsed.reason);
    const text = typeof expected === 'string' ? parseJson(expected, 'raw') : null;
    const wanted = text?.ok === true ? text.value : expected;
    const { share, differences } = compareJson(parsed.value, wanted, options);
    const reason = `${share.toFixed(3)} of the JSON agrees: ${differencesText(differences)}`;
    return passOrFail(reaches(share, 1), reason, share);
  },
});

const NO_CALLS = 'expected must be tool names, or maps of name and arguments or schema';

function callsProblem(expected: Json): string | null {
  const calls = wantedCalls(expected);
  if (calls === null) return NO_CALLS;
  const wrong = calls.flatMap(({ name, schema }) => {
    const compiled = schema === null ? null : compileSchema(schema);
    return typeof compiled === 'string' ? [`expected, ${name}: ${compiled}`] : [];
  });
  return wrong[0] ?? null;
}

const toolCallMatch = defineComparison({
  name: 'tool_call_match',
  group: 'structured',
  calls: true,
  summary:
    'The answer makes the expected tool calls. Each is a name, or a map with `name` and ' +
    '`arguments`, or with `name` and a JSON `schema` for the arguments. The value is the F1 ' +
    'score of the matching calls.',
  parameters: {
    order: z
      .enum(['strict', 'unordered', 'subset', 'superset'])
      .default('unordered')
      .describe(
        '`strict`: the same calls in the same order. `unordered`: the same calls. `subset`: ' +
          'no other calls. `superset`: at least these calls.',
      ),
    ignore_arguments: offByDefault('Compare only names.'),
    ignore_extra: offByDefault('Ignore additional arguments.'),
    ignore_order: offByDefault('Ignore the order of lists in arguments.'),
    abs_tol: tolerance,
  },
  range: '0 to 1',
  passes: 'if the calls match as `order` requires',
  source: 'openevals trajectory match; promptfoo `tool-call-f1`',
  example: {
    output: '',
    calls: [
      { name: 'weather', arguments: '{"city": "Oslo"}' },
      { name: 'time', arguments: '{}' },
    ],
    expected: [{ name: 'weather', arguments: { city: 'Oslo' } }],
    value: 2 / 3,
    pass: false,
  },
  expects: () => ({ reads: 'value', wrong: callsProblem }),
  measure({ answer, expected, options }) {
    const made = madeCalls(answer.completion);
    const calls = wantedCalls(expected) ?? [];
    const wanted = options.ignore_arguments
      ? calls.map(({ name }) => ({ name, arguments: null, schema: null }))
      : calls;
    const check = (call: ToolCall, want: WantedCall) =>
      checkArguments(call, want, { ...STRICT, ...options });
    // A schema that cannot be used is an error wherever its call stands.
    for (const want of wanted.filter(({ schema }) => schema !== null))
      for (const call of made.filter(({ name }) => name === want.name)) {
        const finding = check(call, want);
        if (finding.status === 'error') return measureError(finding.message);
      }
    const { matched, pass, problems } = matchCalls(made, wanted, options.order, (call, want) => {
      const finding = check(call, want);
      return finding.status === 'checked' ? finding.wrong : finding.message;
    });
    return passOrFail(pass, listed(problems), f1(matched, made.length, wanted.length));
  },
});

const PARSES = `import ast
try:
    ast.parse(actual)
    result = actual.strip() != ''
    metric = 'ok' if result else 'the answer is empty'
except SyntaxError as error:
    metric = error.msg + ' on line ' + str(error.lineno)
    result = False
except (ValueError, RecursionError, MemoryError) as error:
    metric = str(error) or type(error).__name__
    result = False
`;

const passesAst = defineBatch({
  name: 'passes_ast',
  group: 'structured',
  summary: 'The answer is valid Python. It is not executed.',
  parameters: {
    extract: z
      .enum(['raw', 'fenced'])
      .default('fenced')
      .describe(
        '`fenced`: the first Python code block, else the first block without a language, ' +
          'else the first block, else the whole answer. `raw`: always the whole answer.',
      ),
  },
  ...yesOrNo,
  source: "Python's own `ast.parse`, in the sandbox",
  example: { output: '```python\nprint("hi"\n```', value: 0, pass: false },
  async score(answers, { extract: where }, { tools, name }) {
    const inputs = answers.map(({ completion }) => {
      const output = textOf(completion);
      return {
        actual: where === 'raw' ? output : (codeIn(output, ['python', 'python3', 'py']) ?? output),
      };
    });
    const results = await tools.evaluate({
      language: 'python',
      code: PARSES,
      outputs: ['metric', 'result'],
      inputs,
    });
    return answers.map((_, index) => {
      const result = results[index];
      if (result === undefined) return measureError(`metric "${name}" has no result`);
      if (result.status === 'error') return measureError(`metric "${name}": ${result.message}`);
      return passOrFail(result.values.result === true, jsonText(result.values.metric ?? ''));
    });
  },
});

export const structuredMetrics: readonly MetricDefinition[] = [
  isJsonMetric,
  jsonSchemaMetric,
  jsonMatch,
  ...setMetrics,
  toolCallMatch,
  fileMatch,
  passesAst,
];
