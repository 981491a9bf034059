import { describe, expect, test } from '@jest/globals';
import { scoreMetric } from '../../../src/metrics/index.ts';
import { decimalOf, sameNumber } from '../../../src/metrics/measures/decimal.ts';
import { compileSchema } from '../../../src/metrics/measures/json-schema.ts';
import { canonical, jsonAgreement, parseJson } from '../../../src/metrics/measures/json.ts';
import { maximumPairs } from '../../../src/metrics/measures/pairing.ts';
import { matchCalls } from '../../../src/metrics/measures/tool-calls.ts';
import { parseExactly } from '../../../src/types/exact-json.ts';
import type { ToolCall } from '../../../src/types/model.ts';
import type { Json } from '../../../src/types/plain.ts';
import fc from '../../fuzz.ts';
import { builtIn, sample, tools } from './samples.ts';

describe('is_json', () => {
  test.each<[string, string, boolean]>([
    ['{"a": [1, null]}', 'raw', true],
    ['"text"', 'raw', true],
    ['1', 'raw', true],
    ['', 'raw', false],
    ['{a: 1}', 'raw', false],
    ['```json\n{"a": 1}\n```', 'raw', false],
    ['```json\n{"a": 1}\n```', 'fenced', true],
    ['{"a": 1}', 'fenced', true],
    ['```\n{"a": 1}', 'fenced', true], // an open fence reaches to the end
    ['```\n{"a": 1', 'fenced', false],
    ['```json\n{"md": "use ```js blocks"}\n```', 'fenced', true],
    ['````json\n"```"\n````', 'fenced', true],
    ['~~~json\n{"a": 1}\n~~~', 'fenced', true],
    ['  ```JSON\r\n  {"a": 1}\r\n  ```\r\n', 'fenced', true],
    ['```bash\nls\n```\n```json\n{"a": 1}\n```', 'fenced', true],
    ['```bash\nls\n```', 'fenced', false],
    ['Here: {"a": "}"} done', 'raw', false],
    ['Here: {"a": "}"} done', 'first', true],
    ['see [1] or {"a": 2}', 'first', true],
    ['{x} then {"a": 1}', 'first', true],
    ['no json {', 'first', false],
  ])('%j read as %s: %j', async (output, extract, pass) => {
    const [score] = await scoreMetric(builtIn('is_json', { extract }), [sample(output)], tools());
    expect(score?.status).toBe(pass ? 'pass' : 'fail');
  });

  test('finds whatever JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const written = JSON.parse(text) as Json;
        expect(parseJson(text, 'raw')).toEqual({ ok: true, value: written });
        expect(parseJson(`Sure:\n\`\`\`json\n${text}\n\`\`\`\n`, 'fenced')).toEqual({
          ok: true,
          value: written,
        });
      }),
    );
  });

  test('rejects two million brackets without recursion', () => {
    expect(parseJson('['.repeat(1_000_000) + ']'.repeat(1_000_000), 'raw')).toEqual({
      ok: false,
      reason: 'the JSON is nested deeper than 200 levels',
    });
  });
});

describe('json_schema', () => {
  const person = {
    type: 'object',
    properties: {
      name: { type: 'string' },
      mail: { type: 'string', format: 'email' },
      born: { type: 'string', format: 'date' },
    },
    required: ['name'],
    additionalProperties: false,
  };
  test.each<[Json, string, string | null]>([
    [person, '{"name": "Ada"}', null],
    [person, '{"name": "Ada", "mail": "ada@example.org", "born": "1815-12-10"}', null],
    [person, '{}', "the JSON must have required property 'name'"],
    [person, '{"name": 1}', '/name must be string'],
    [person, '{"name": "Ada", "mail": "ada"}', '/mail must match format "email"'],
    [person, '{"name": "Ada", "born": "1815-13-10"}', '/born must match format "date"'],
    [person, '{"name": "Ada", "x": 1}', 'the JSON must NOT have additional properties: "x"'],
    [person, 'none', 'the answer is not JSON'],
    [{ enum: ['a', 'b'] }, '"c"', 'the JSON must be equal to one of the allowed values: ["a","b"]'],
    [JSON.stringify(person), '{"name": "Ada"}', null],
    [
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        items: [{ type: 'string' }],
        additionalItems: false,
      },
      '["a", "b"]',
      'the JSON must NOT have more than 1 items',
    ],
    [
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        prefixItems: [{ type: 'string' }],
        items: false,
      },
      '["a", "b"]',
      'the JSON must NOT have more than 1 items',
    ],
    [true, '1', null],
    [
      { type: 'string', pattern: '^(a+)+$' },
      JSON.stringify(`${'a'.repeat(40)}!`),
      'the JSON must match pattern "^(a+)+$"',
    ],
    [{ properties: { a: { pattern: '^x' }, b: { pattern: '^y' } } }, '{"a": "x", "b": "y"}', null],
    [
      { properties: { a: { pattern: '^x' }, b: { pattern: '^y' } } },
      '{"a": "x", "b": "x"}',
      '/b must match pattern "^y"',
    ],
    [{ type: 'string', format: 'url' }, '"https://example.org/x"', null],
    [{ type: 'string', format: 'url' }, '"example"', 'the JSON must match format "url"'],
  ])('%j on %s: %j', async (schema, output, reason) => {
    const [score] = await scoreMetric(
      builtIn('json_schema', { schema }),
      [sample(output)],
      tools(),
    );
    expect(score).toMatchObject({ status: reason === null ? 'pass' : 'fail', reason });
  });

  test.each<[Json, string]>([
    [{ type: 'objekt' }, 'the schema is not valid: schema is invalid'],
    [{ requried: ['a'] }, 'unknown keyword: "requried"'],
    [{ format: 'e-mail' }, 'unknown format "e-mail"'],
    [{ $ref: 'https://example.org/other.json' }, "can't resolve reference"],
    [{ pattern: '(?=a)' }, 'the pattern uses (?=, which the safe engine does not have'],
  ])('the schema %j is rejected when it is read: %s', (schema, message) => {
    expect(compileSchema(schema as { [key: string]: Json })).toContain(message);
  });
});

describe('numbers of JSON', () => {
  const status = async (
    uses: string,
    output: string,
    expected: Json | undefined,
    given: Record<string, Json> = {},
  ): Promise<string | undefined> => {
    const [score] = await scoreMetric(
      builtIn(uses, given),
      [sample(output, { expected })],
      tools(),
    );
    return score?.status;
  };
  const big = '2512292042121000000';
  const other = '2512292042121000001';

  test.each<[string, string, Json, string]>([
    ['json_match', `{"id": ${other}}`, `{"id": ${big}}`, 'fail'],
    ['json_match', `{"id": ${other}}`, `{"id": ${other}}`, 'pass'],
    ['json_match', `{"id": ${other}}`, { id: other }, 'pass'], // quoted, as files have to
    ['json_match', `{"id": ${big}}`, { id: big }, 'pass'],
    ['json_match', `{"id": ${other}}`, { id: big }, 'fail'],
    ['json_match', `{"id": "${other}"}`, { id: other }, 'pass'],
    ['json_match', `{"id": "${other}"}`, `{"id": ${other}}`, 'fail'],
    ['json_match', '{"id": 5}', { id: '5' }, 'fail'],
    ['json_match', other, other, 'pass'],
    ['json_match', `${other}.0`, other, 'pass'],
    ['json_match', '0.1000000000000000000001', '0.1', 'fail'],
    ['json_match', '1e400', '1e401', 'fail'],
    ['json_match', '1e400', '10e399', 'pass'],
    ['json_match', '[1.0, 1e2, -0]', [1, 100, 0], 'pass'],
    ['exact_match', `{"id": ${other}}`, { id: other }, 'pass'],
    ['exact_match', `{"id": ${other}}`, { id: big }, 'fail'],
    ['set_f1', `[${other}]`, [other], 'pass'],
    ['set_f1', `[${other}]`, [big], 'fail'],
    ['set_f1', '[1000000000000000000000]', ['1000000000000000000000'], 'pass'],
    ['set_f1', '[0.0000001]', ['0.0000001'], 'pass'],
    ['set_f1', '[1e21]', [1e21], 'pass'],
    ['set_f1', `[{"id": ${other}}]`, `[{"id": ${big}}]`, 'fail'],
  ])('%s: %s against %j is %s', async (uses, output, expected, wanted) => {
    expect(await status(uses, output, expected)).toBe(wanted);
  });

  test.each<[string, Json, Record<string, Json>, boolean]>([
    ['[1.05, 1.0]', [1, 1.1], { ignore_order: true, abs_tol: 0.05 }, true],
    [`[${other}, ${big}]`, [big, other], { ignore_order: true }, true],
    [`[${other}, ${other}]`, [big, other], { ignore_order: true }, false],
    ['{"a": 0.3}', { a: 0.2 }, { abs_tol: 0.1 }, true],
    [`{"a": ${other}}`, `{"a": ${big}}`, { abs_tol: 1 }, true],
    [`{"a": ${other}}`, `{"a": ${big}}`, { abs_tol: 0.9 }, false],
    ['{a: 2512292042121000001}', { a: other }, { extract: 'objects' }, true],
    ['{a: 2512292042121000001}', { a: big }, { extract: 'objects' }, false],
  ])('json_match of %s against %j with %j: %j', async (output, expected, given, pass) => {
    expect(await status('json_match', output, expected, given)).toBe(pass ? 'pass' : 'fail');
  });

  test.each<[string, string, boolean]>([
    ['{"multipleOf": 0.01}', '19.99', true],
    ['{"multipleOf": 0.01}', '4.35', true],
    ['{"multipleOf": 0.01}', '4.355', false],
    ['{"multipleOf": 0.1}', '0.3', true],
    ['{"multipleOf": 0.1}', '1.1', true],
    ['{"multipleOf": 0.01}', '-1e2', true],
    ['{"multipleOf": 1e-9}', '0', true],
    ['{"multipleOf": 3}', '1e999999999', false],
    ['{"multipleOf": 8}', '1e999999999', true],
    [`{"multipleOf": ${big}}`, other, false],
    [`{"const": ${big}}`, other, false],
    [`{"const": ${other}}`, other, true],
    [`{"const": {"a": [${big}]}}`, `{"a": [${other}]}`, false],
    [`{"enum": [1, ${big}]}`, other, false],
    [`{"enum": [1, ${other}]}`, `${other}.0`, true],
    [`{"minimum": ${other}}`, big, false],
    [`{"maximum": ${big}}`, other, false],
    [`{"exclusiveMinimum": ${big}}`, other, true],
    [`{"exclusiveMaximum": ${other}}`, other, false],
    ['{"minimum": 1e400}', '1e401', true],
    ['{"uniqueItems": true}', `[${big}, ${other}]`, true],
    ['{"uniqueItems": true}', `[${other}, ${other}]`, false],
    ['{"type": "integer"}', other, true],
    ['{"type": "integer"}', '9007199254740993.5', false],
    ['{"type": "integer"}', '1e-400', false],
    ['{"type": "number"}', '1e400', true],
    [`{"items": {"$ref": "#/$defs/id"}, "$defs": {"id": {"const": ${big}}}}`, `[${other}]`, false],
    [`{"properties": {"a": {"not": {"const": ${big}}}}}`, `{"a": ${big}}`, false],
  ])('the schema %s fits %s: %j', async (schema, output, pass) => {
    expect(await status('json_schema', output, undefined, { schema })).toBe(pass ? 'pass' : 'fail');
    const draft = schema.replace('{', '{"$schema": "http://json-schema.org/draft-06/schema#", ');
    if (!schema.includes('$defs'))
      expect(await status('json_schema', output, undefined, { schema: draft })).toBe(
        pass ? 'pass' : 'fail',
      );
  });

  test("the reason shows the schema's limit as written", async () => {
    const [score] = await scoreMetric(
      builtIn('json_schema', { schema: `{"minimum": ${other}}` }),
      [sample(big)],
      tools(),
    );
    expect(score?.reason).toBe(`the JSON must be >= ${other}`);
  });

  test.each<[string, Json, boolean]>([
    [`{"id": ${other}}`, { id: big }, false],
    [`{"id": ${other}}`, { id: other }, true],
    [`{"id": "${other}"}`, { id: other }, true],
  ])('tool_call_match of the arguments %s with %j: %j', async (given, wanted, pass) => {
    const calls = [{ name: 'f', arguments: given }];
    const [score] = await scoreMetric(
      builtIn('tool_call_match'),
      [
        sample('', {
          expected: [{ name: 'f', arguments: wanted }],
          completion: { tool_calls: calls },
        }),
      ],
      tools(),
    );
    expect(score?.status).toBe(pass ? 'pass' : 'fail');
  });

  /** JSON with its numbers as text, so that none is rounded before the test. */
  const number = fc
    .tuple(fc.bigInt(), fc.option(fc.bigInt({ min: 0n })), fc.option(fc.integer()))
    .map(
      ([whole, decimals, exponent]) =>
        `${String(whole)}${decimals === null ? '' : `.${String(decimals)}`}${exponent === null ? '' : `e${String(exponent % 1000)}`}`,
    );
  const { json } = fc.letrec<{ json: string }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      number,
      fc.constantFrom('null', 'true', '""'),
      fc.array(tie('json')).map((items) => `[${items.join(',')}]`),
      fc
        .uniqueArray(fc.tuple(fc.string(), tie('json')), { selector: ([key]) => key })
        .map(
          (members) =>
            `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`,
        ),
    ),
  }));

  test('any JSON agrees with itself, and not with another number in its place', async () => {
    await fc.assert(
      fc.asyncProperty(json, number, number, async (text, first, second) => {
        expect(await status('json_match', text, text)).toBe('pass');
        expect(await status('json_schema', text, undefined, { schema: `{"const":${text}}` })).toBe(
          'pass',
        );
        const [a, b] = [decimalOf(first), decimalOf(second)];
        const same = a !== null && b !== null && sameNumber(a, b);
        const [one, another] = [`[${text},${first}]`, `[${text},${second}]`];
        expect(await status('json_match', one, another)).toBe(same ? 'pass' : 'fail');
      }),
      {
        examples: [
          ['1', big, other],
          ['1', '1e2', '100.0'],
        ],
      },
    );
  });

  test('JSON survives parsing and writing without loss', () => {
    fc.assert(
      fc.property(json, (text) => {
        const read = parseExactly(text);
        const again = parseExactly(JSON.stringify(read));
        expect(canonical(again)).toBe(canonical(read));
      }),
    );
  });
});

describe('json_match', () => {
  test.each<[string, Json, Record<string, Json>, number]>([
    ['{"a": 1, "b": {"c": [1, 2]}}', { a: 1, b: { c: [1, 2] } }, {}, 1],
    ['{"b": 2, "a": 1}', '{"a": 1, "b": 2}', {}, 1],
    ['{"a": 1, "x": 2}', { a: 1 }, {}, 0.5],
    ['{"a": 1, "x": 2}', { a: 1 }, { ignore_extra: true }, 1],
    ['{"a": 1, "x": 2}', { a: 1 }, { ignore_keys: ['x'] }, 1],
    ['[1, 2, 3]', [1, 2, 4], {}, 2 / 3],
    ['[3, 2, 1]', [1, 2, 3], {}, 1 / 3],
    ['[3, 2, 1]', [1, 2, 3], { ignore_order: true }, 1],
    ['[1, 1]', [1, 2], { ignore_order: true }, 0.5],
    ['[1.04, 2]', [2, 1], { ignore_order: true, abs_tol: 0.05 }, 1],
    ['[1.04]', [1, 1.01], { ignore_order: true, abs_tol: 0.05 }, 0.5], // an entry is used once
    ['[1, 2, 3]', [1, 2], { ignore_extra: true }, 1],
    ['{"a": 1.04}', { a: 1 }, { abs_tol: 0.05 }, 1],
    ['{"a": "X"}', { a: 'x' }, { ignore_case: true }, 1],
    ['{"a": "1"}', { a: 1 }, {}, 0],
    ['{"a": "STRASSE"}', { a: 'straße' }, { ignore_case: true }, 1],
    ['{"e\u0301": "e\u0301"}', { é: 'é' }, {}, 1],
    ['["e\\u0301"]', ['é'], { ignore_order: true }, 1],
    ['[0.95, 1.0]', [1.0, 1.05], { ignore_order: true, abs_tol: 0.06 }, 1],
    ['[1.0, 0.95]', [1.0, 1.05], { ignore_order: true, abs_tol: 0.06 }, 1],
    [
      '[{"a": 1, "b": 2}, {"a": 1, "c": 3}]',
      [{ a: 1 }, { b: 2 }],
      { ignore_order: true, ignore_extra: true },
      1,
    ],
    ['{}', {}, {}, 1],
    ['[]', [], {}, 1],
    ['{}', [], {}, 0],
    ['null', { a: 1 }, {}, 0],
    ['{"a": null}', { a: null }, {}, 1],
    ['{"__proto__": 1}', { a: 1 }, {}, 0],
    ['nonsense', { a: 1 }, {}, 0],
  ])('%s against %j with %j is %d', async (output, expected, given, value) => {
    const [score] = await scoreMetric(
      builtIn('json_match', given),
      [sample(output, { expected })],
      tools(),
    );
    expect(score?.value).toBeCloseTo(value, 12);
    expect(score?.status).toBe(value === 1 ? 'pass' : 'fail');
  });

  test('agreement is 1 with itself, symmetric, and between 0 and 1', () => {
    const options = {
      ignore_keys: [],
      abs_tol: 0,
      ignore_order: false,
      ignore_extra: false,
      ignore_case: false,
    };
    const value = fc.jsonValue().map((json) => JSON.parse(JSON.stringify(json)) as Json);
    fc.assert(
      fc.property(value, value, fc.boolean(), (left, right, ignore_order) => {
        const found = jsonAgreement(left, right, { ...options, ignore_order });
        expect(jsonAgreement(left, left, { ...options, ignore_order })).toBeCloseTo(1, 9);
        expect(found).toBeCloseTo(jsonAgreement(right, left, { ...options, ignore_order }), 9);
        expect(found).toBeGreaterThanOrEqual(0);
        expect(found).toBeLessThanOrEqual(1 + 1e-9);
      }),
    );
  });
});

describe('sets', () => {
  test.each<[string, Json, Record<string, Json>, number, number]>([
    ['["a", "b"]', ['b', 'a'], {}, 1, 1],
    ['a, B', ['A', 'b'], {}, 1, 1],
    ['a, B', ['A', 'b'], { ignore_case: false }, 0, 0],
    ['1. a\n2) b\n- c', 'a, b', {}, 2 / 3, 1],
    ['a;b', ['a', 'b', 'c', 'd'], { separator: ';' }, 1, 0.5],
    ['a, a, a', ['a'], {}, 1, 1],
    ['', [], {}, 1, 1],
    ['', ['a'], {}, 0, 0],
    ['a', [], {}, 0, 0],
    ['```json\n[1, 2]\n```', [1, 2], {}, 1, 1],
    ['[{"b": 1, "a": 2}]', [{ a: 2, b: 1 }], {}, 1, 1],
    ['STRASSE, e\u0301', ['straße', 'é'], {}, 1, 1],
    ['-5, 1.5', ['5', '15'], {}, 0, 0],
  ])(
    '%j against %j with %j: precision %d, recall %d',
    async (output, expected, given, precision, recall) => {
      const value = async (uses: string): Promise<number> =>
        Number(
          (await scoreMetric(builtIn(uses, given), [sample(output, { expected })], tools()))[0]
            ?.value,
        );
      expect(await value('set_precision')).toBeCloseTo(precision, 12);
      expect(await value('set_recall')).toBeCloseTo(recall, 12);
      expect(await value('set_f1')).toBeCloseTo(
        precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall),
        12,
      );
    },
  );
});

describe('tool_call_match', () => {
  const weather: ToolCall = { name: 'weather', arguments: '{"city": "Oslo", "days": 3}' };
  const time: ToolCall = { name: 'time', arguments: '' };
  const wantWeather = { name: 'weather', arguments: { city: 'Oslo', days: 3 } };
  test.each<[ToolCall[], Json, Record<string, Json>, boolean, number]>([
    [[weather, time], [wantWeather, 'time'], {}, true, 1],
    [[time, weather], [wantWeather, 'time'], {}, true, 1],
    [[time, weather], [wantWeather, 'time'], { order: 'strict' }, false, 0],
    [[weather, time], [wantWeather, { name: 'time', arguments: {} }], { order: 'strict' }, true, 1],
    [[weather], [wantWeather, 'time'], {}, false, 2 / 3],
    [[weather], [wantWeather, 'time'], { order: 'subset' }, true, 2 / 3],
    [[weather, time], [wantWeather], { order: 'superset' }, true, 2 / 3],
    [[weather, time], [wantWeather], { order: 'subset' }, false, 2 / 3],
    [[weather], [{ name: 'weather', arguments: { city: 'Oslo' } }], {}, false, 0],
    [
      [weather],
      [{ name: 'weather', arguments: { city: 'Oslo' } }],
      { ignore_extra: true },
      true,
      1,
    ],
    [
      [weather],
      [{ name: 'weather', arguments: { city: 'Rome' } }],
      { ignore_arguments: true },
      true,
      1,
    ],
    [[weather], 'weather', {}, true, 1],
    [[weather, weather], ['weather'], {}, false, 2 / 3],
    [[{ name: 'weather', arguments: 'broken' }], [wantWeather], {}, false, 0],
    [
      [weather, { name: 'weather', arguments: '{"city": "Rome"}' }],
      ['weather', wantWeather],
      {},
      true,
      1,
    ],
    [[], [], {}, true, 1],
    [[weather], [], {}, false, 0],
    [[], ['time'], {}, false, 0],
  ])('%j against %j with %j: %j', async (made, expected, given, pass, value) => {
    const [score] = await scoreMetric(
      builtIn('tool_call_match', given),
      [sample('', { expected, completion: { tool_calls: made } })],
      tools(),
    );
    expect(score?.status).toBe(pass ? 'pass' : 'fail');
    expect(score?.value).toBeCloseTo(value, 12);
  });

  const call = (given: Json): ToolCall => ({ name: 'f', arguments: JSON.stringify(given) });
  const want = (given: { [key: string]: Json }): Json => ({ name: 'f', arguments: given });
  test.each<[string, { [key: string]: Json }[], { [key: string]: Json }[], Record<string, Json>]>([
    [
      'further arguments',
      [
        { a: 1, b: 2 },
        { a: 1, c: 3 },
      ],
      [{ a: 1 }, { b: 2 }],
      { ignore_extra: true },
    ],
    ['tolerances', [{ n: 1.05 }, { n: 1 }], [{ n: 1 }, { n: 1.1 }], { abs_tol: 0.06 }],
    ['composed characters', [{ n: 'e\u0301' }, { 'e\u0301': 1 }], [{ é: 1 }, { n: 'é' }], {}],
  ])('pairs parallel calls in any order: %s', async (_, made, expected, given) => {
    for (const order of ['unordered', 'subset', 'superset']) {
      for (const calls of [made, made.toReversed()]) {
        for (const wanted of [expected, expected.toReversed()]) {
          const [score] = await scoreMetric(
            builtIn('tool_call_match', { ...given, order }),
            [
              sample('', {
                expected: wanted.map(want),
                completion: { tool_calls: calls.map(call) },
              }),
            ],
            tools(),
          );
          expect(score).toMatchObject({ status: 'pass', value: 1 });
        }
      }
    }
  });

  test('an expectation that is not a call is an error', async () => {
    const [score] = await scoreMetric(
      builtIn('tool_call_match'),
      [sample('', { expected: [{ tool: 'x' }] })],
      tools(),
    );
    expect(score).toMatchObject({
      status: 'error',
      reason: 'expected must be tool names, or maps of name and arguments',
    });
  });
});

describe('pairs', () => {
  const numbers = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 6 });
  const near = (one: number, other: number): boolean => Math.abs(one - other) <= 2;

  /** Every assignment tried. */
  const most = (left: readonly number[], right: readonly number[]): number => {
    const [first, ...others] = left;
    if (first === undefined) return 0;
    return Math.max(
      most(others, right),
      ...right.map((entry, index) =>
        near(first, entry) ? 1 + most(others, right.toSpliced(index, 1)) : 0,
      ),
    );
  };

  test('are the most possible', () => {
    fc.assert(
      fc.property(numbers, numbers, (left, right) => {
        expect(maximumPairs(left, right, near)).toBe(most(left, right));
      }),
    );
  });

  test('do not depend on the order of calls or list entries', () => {
    const shuffled = numbers.chain((left) =>
      fc.tuple(fc.constant(left), fc.shuffledSubarray(left, { minLength: left.length })),
    );
    const options = {
      ignore_keys: [],
      abs_tol: 2,
      ignore_order: true,
      ignore_extra: true,
      ignore_case: false,
    };
    fc.assert(
      fc.property(shuffled, shuffled, ([left, mixed], [right, others]) => {
        expect(jsonAgreement(mixed, others, options)).toBe(jsonAgreement(left, right, options));
        const calls = (entries: number[]) =>
          entries.map((n) => ({ name: 'f', arguments: JSON.stringify({ n }) }));
        const wanted = (entries: number[]) => entries.map((n) => ({ name: 'f', arguments: { n } }));
        expect(matchCalls(calls(mixed), wanted(others), 'unordered', options)).toEqual(
          matchCalls(calls(left), wanted(right), 'unordered', options),
        );
      }),
    );
  });
});
