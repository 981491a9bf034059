import { decimalOf, sameNumber } from '../../../src/metrics/measures/decimal.ts';
import { compileSchema } from '../../../src/metrics/measures/json-schema.ts';
import { canonical, compareJson, parseJson } from '../../../src/metrics/measures/json.ts';
import { maximumPairs } from '../../../src/metrics/measures/pairing.ts';
import { matchCalls } from '../../../src/metrics/measures/tool-calls.ts';
import type { Part, ToolCall } from '../../../src/types/answer.ts';
import { parseExactly } from '../../../src/types/exact-json.ts';
import type { Json } from '../../../src/types/plain.ts';
import fc, { forAll, forAllAsync } from '../../fuzz.ts';
import { builtIn, sample, scored, scoredFor, statusFor } from './samples.ts';

type Given = Record<string, Json>;
const scoreCalls = (calls: ToolCall[], expected: Json, given: Given = {}) =>
  scored(builtIn('tool_call_match', given), sample('', { expected, calls }));
const verdict = (pass: boolean) => (pass ? 'pass' : 'fail');
/** Two integers that round to the same double. */
const [big, other] = ['2512292042121000000', '2512292042121000001'];
/** Default options for comparing JSON. */
const plain = {
  ignore_keys: [],
  abs_tol: 0,
  ignore_order: false,
  ignore_extra: false,
  ignore_case: false,
};

describe('is_json', () => {
  test.each<[string, boolean, ...string[]]>([
    ['raw', true, '{"a": [1, null]}', '"text"', '1'],
    ['raw', false, '', '{a: 1}', '```json\n{"a": 1}\n```', 'Here: {"a": "}"} done'],
    ['fenced', true, '```json\n{"a": 1}\n```', '{"a": 1}', '```\n{"a": 1}'],
    ['fenced', true, '```json\n{"md": "use ```js blocks"}\n```', '````json\n"```"\n````'],
    ['fenced', true, '~~~json\n{"a": 1}\n~~~', '  ```JSON\r\n  {"a": 1}\r\n  ```\r\n'],
    ['fenced', true, '```bash\nls\n```\n```json\n{"a": 1}\n```'],
    ['fenced', false, '```\n{"a": 1', '```bash\nls\n```'],
    ['first', true, 'Here: {"a": "}"} done', 'see [1] or {"a": 2}', '{x} then {"a": 1}'],
    ['first', false, 'no json {'],
  ])('with extract %s passes (%j) for the answer %j', async (extract, pass, ...outputs) => {
    for (const output of outputs) {
      const found = await statusFor('is_json', output, undefined, { extract });
      expect([output, found]).toEqual([output, verdict(pass)]);
    }
  });

  test('accepts any output of JSON.stringify', () => {
    forAll([fc.jsonValue()], (value) => {
      const text = JSON.stringify(value);
      const read = { ok: true, value: JSON.parse(text) as Json };
      expect(parseJson(text, 'raw')).toEqual(read);
      expect(parseJson(`Sure:\n\`\`\`json\n${text}\n\`\`\`\n`, 'fenced')).toEqual(read);
    });
  });

  test('rejects two million brackets without recursion', () => {
    expect(parseJson('['.repeat(1_000_000) + ']'.repeat(1_000_000), 'raw')).toEqual({
      ok: false,
      reason: 'the JSON is nested deeper than 200 levels',
    });
  });
});

describe('json_schema', () => {
  const text = (more: object = {}) => ({ type: 'string', ...more });
  const person = {
    type: 'object',
    properties: { name: text(), mail: text({ format: 'email' }), born: text({ format: 'date' }) },
    required: ['name'],
    additionalProperties: false,
  };
  const draft = (name: string, items: object) => ({ $schema: name, ...items });
  const first = [{ type: 'string' }];
  const draft7 = draft('http://json-schema.org/draft-07/schema#', {
    items: first,
    additionalItems: false,
  });
  const draft2020 = draft('https://json-schema.org/draft/2020-12/schema', {
    prefixItems: first,
    items: false,
  });
  const two = { properties: { a: { pattern: '^x' }, b: { pattern: '^y' } } };
  test.each([
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
    [draft7, '["a", "b"]', 'the JSON must NOT have more than 1 items'],
    [draft2020, '["a", "b"]', 'the JSON must NOT have more than 1 items'],
    [true, '1', null],
    [text({ pattern: '^(a+)+$' }), `"${'a'.repeat(40)}!"`, 'the JSON must match pattern "^(a+)+$"'],
    [two, '{"a": "x", "b": "y"}', null],
    [two, '{"a": "x", "b": "x"}', '/b must match pattern "^y"'],
    [text({ format: 'url' }), '"https://example.org/x"', null],
    [text({ format: 'url' }), '"example"', 'the JSON must match format "url"'],
  ])('for schema %j and answer %s gives the reason %j', async (schema, output, reason) => {
    expect(await scoredFor('json_schema', output, undefined, { schema })).toMatchObject({
      status: verdict(reason === null),
      reason,
    });
  });

  test.each([
    [{ type: 'objekt' }, 'the schema is not valid: schema is invalid'],
    [{ requried: ['a'] }, 'unknown keyword: "requried"'],
    [{ format: 'e-mail' }, 'unknown format "e-mail"'],
    [{ $ref: 'https://example.org/other.json' }, "can't resolve reference"],
    [{ pattern: '(?=a)' }, 'the pattern uses (?=, which the safe regex engine does not support'],
  ])('rejects the schema %j when the suite is loaded: %s', (schema, message) => {
    expect(compileSchema(schema as { [key: string]: Json })).toContain(message);
  });
});

describe('a JSON schema from a repository', () => {
  /** Each definition checks the one below twice, so the last is checked 2⁴⁰ times. */
  const doubling = (keyword: string, last: Json) =>
    Object.fromEntries([
      ['d0', last],
      ...Array.from({ length: 40 }, (_, index): [string, Json] => {
        const below = { $ref: `#/$defs/d${index}` };
        return [`d${index + 1}`, { [keyword]: [below, below] }];
      }),
    ]) as Json;

  test.each([
    ['allOf', { minItems: 1 }],
    ['anyOf', { type: 'string' }],
  ])('whose %s takes too long is stopped, and is not checked again', async (keyword, last) => {
    const schema = {
      uniqueItems: true,
      if: { minItems: 3 },
      then: { $ref: '#/$defs/d40' },
      $defs: doubling(keyword, last),
    };
    const reason = async (output: string) =>
      (await scoredFor('json_schema', output, undefined, { schema })).reason;
    expect(await reason('[1, 1]')).toBe(
      'the JSON must NOT have duplicate items (items ## 0 and 1 are identical)',
    );
    expect(await reason('[1, 2, 3]')).toBe(
      'the schema took longer than 2 s; use fewer $ref, anyOf and allOf',
    );
    expect(await reason('[1, 2, 3]')).toBe(
      'was not checked: the schema took longer than 2 s before',
    );
  });

  test('that refers to itself endlessly is an error', async () => {
    expect(
      await scoredFor('json_schema', '{}', undefined, { schema: { $ref: '#' } }),
    ).toMatchObject({
      status: 'error',
      reason: 'the schema refers to itself ($ref) in an endless loop; remove one',
    });
  });
});

describe('numbers in JSON', () => {
  test.each([
    ['json_match', `{"id": ${other}}`, `{"id": ${big}}`, 'fail'],
    ['json_match', `{"id": ${other}}`, `{"id": ${other}}`, 'pass'],
    ['json_match', `{"id": ${other}}`, { id: other }, 'pass'], // large numbers must be quoted in YAML
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
  ])('are compared exactly by %s: %s (expected %j): %s', async (uses, output, expected, wanted) => {
    expect(await statusFor(uses, output, expected)).toBe(wanted);
  });

  test.each([
    ['[1.05, 1.0]', [1, 1.1], { ignore_order: true, abs_tol: 0.05 }, true],
    [`[${other}, ${big}]`, [big, other], { ignore_order: true }, true],
    [`[${other}, ${other}]`, [big, other], { ignore_order: true }, false],
    ['{"a": 0.3}', { a: 0.2 }, { abs_tol: 0.1 }, true],
    [`{"a": ${other}}`, `{"a": ${big}}`, { abs_tol: 1 }, true],
    [`{"a": ${other}}`, `{"a": ${big}}`, { abs_tol: 0.9 }, false],
    ['{a: 2512292042121000001}', { a: other }, { extract: 'objects' }, true],
    ['{a: 2512292042121000001}', { a: big }, { extract: 'objects' }, false],
  ])(
    'are compared by json_match in %s (expected %j, options %j): %j',
    async (output, expected, given, pass) => {
      expect(await statusFor('json_match', output, expected, given)).toBe(verdict(pass));
    },
  );

  test.each<[string, boolean, ...string[]]>([
    ['{"multipleOf": 0.01}', true, '19.99', '4.35', '-1e2'],
    ['{"multipleOf": 0.01}', false, '4.355'],
    ['{"multipleOf": 0.1}', true, '0.3', '1.1'],
    ['{"const": "é"}', true, '"e\u0301"'],
    ['{"uniqueItems": true}', false, '[1, 1.0]'],
    ['{"type": "integer"}', true, other],
    ['{"type": "integer"}', false, '1.5'],
  ])('under the schema %s are valid (%j) in the answer %s', async (schema, pass, ...outputs) => {
    const draft = schema.replace('{', '{"$schema": "http://json-schema.org/draft-06/schema#", ');
    for (const own of [schema, draft])
      for (const output of outputs) {
        const found = await statusFor('json_schema', output, undefined, { schema: own });
        expect([output, found]).toEqual([output, verdict(pass)]);
      }
  });

  test('are an error in a schema if a double cannot hold them', async () => {
    const { status: found, reason } = await scoredFor('json_schema', '1', undefined, {
      schema: `{"minimum": ${other}}`,
    });
    expect([found, reason]).toEqual(['error', expect.stringContaining('not exact as a double')]);
  });

  test.each([
    [`{"id": ${other}}`, { id: big }, false],
    [`{"id": ${other}}`, { id: other }, true],
    [`{"id": "${other}"}`, { id: other }, true],
  ])('are compared by tool_call_match in %s (expected %j): %j', async (given, wanted, pass) => {
    const calls = [{ name: 'f', arguments: given }];
    const expected = [{ name: 'f', arguments: wanted }];
    expect((await scoreCalls(calls, expected)).status).toBe(verdict(pass));
  });

  /** JSON text with numbers generated as text, so that they are not rounded. */
  const number = fc
    .tuple(fc.bigInt(), fc.option(fc.bigInt({ min: 0n })), fc.option(fc.integer()))
    .map(([whole, decimals, exponent]) => {
      const fraction = decimals === null ? '' : `.${decimals}`;
      return `${whole}${fraction}${exponent === null ? '' : `e${exponent % 1000}`}`;
    });
  const { json } = fc.letrec<{ json: string }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      number,
      fc.constantFrom('null', 'true', '""'),
      fc.array(tie('json')).map((items) => `[${items.join(',')}]`),
      fc
        .uniqueArray(fc.tuple(fc.string(), tie('json')), { selector: ([key]) => key })
        .map(
          (all) => `{${all.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`,
        ),
    ),
  }));

  test('make any JSON differ from a copy with another number, but not from itself', async () => {
    const examples: [string, string, string][] = [
      ['1', big, other],
      ['1', '1e2', '100.0'],
    ];
    await forAllAsync(
      [json, number, number],
      async (text, first, second) => {
        expect(await statusFor('json_match', text, text)).toBe('pass');
        const [a, b] = [decimalOf(first), decimalOf(second)];
        const same = a !== null && b !== null && sameNumber(a, b);
        const [one, another] = [`[${text},${first}]`, `[${text},${second}]`];
        expect(await statusFor('json_match', one, another)).toBe(verdict(same));
      },
      { examples },
    );
  });

  test('keep all their digits when JSON is parsed and written', () => {
    forAll([json], (text) => {
      const read = parseExactly(text);
      expect(canonical(parseExactly(JSON.stringify(read)))).toBe(canonical(read));
    });
  });
});

describe('json_match', () => {
  test.each<[string, Json, Given, number]>([
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
    ['[1.04]', [1, 1.01], { ignore_order: true, abs_tol: 0.05 }, 0.5], // each entry can match only once
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
    [
      '{"order": {"items": [{"id": 7}, {"id": 8}], "paid": true}}',
      { order: { items: [{ id: 7 }] } },
      { ignore_extra: true },
      1,
    ],
  ])('scores %s (expected %j, options %j) as %d', async (output, expected, given, value) => {
    expect(await scoredFor('json_match', output, expected, given)).toMatchObject({
      status: verdict(value === 1),
      value: expect.closeTo(value, 12),
    });
  });

  test('returns 1 for equal values, is symmetric, and stays between 0 and 1', () => {
    const value = fc.jsonValue().map((json) => JSON.parse(JSON.stringify(json)) as Json);
    forAll([value, value, fc.boolean()], (left, right, ignore_order) => {
      const options = { ...plain, ignore_order };
      const found = compareJson(left, right, options).share;
      expect(compareJson(left, left, options).share).toBeCloseTo(1, 9);
      expect(found).toBeCloseTo(compareJson(right, left, options).share, 9);
      expect(found).toBeGreaterThanOrEqual(0);
      expect(found).toBeLessThanOrEqual(1 + 1e-9);
    });
  });
});

describe('set metrics', () => {
  test.each([
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
    'for %j (expected %j, options %j) give precision %d, recall %d',
    async (output, expected, given, precision, recall) => {
      const sum = precision + recall;
      const f1 = sum === 0 ? 0 : (2 * precision * recall) / sum;
      for (const [uses, value] of Object.entries({
        set_precision: precision,
        set_recall: recall,
        set_f1: f1,
      }))
        expect((await scoredFor(uses, output, expected, given)).value).toBeCloseTo(value, 12);
    },
  );
});

describe('json_match details', () => {
  test.each([
    ['{"a": 1, "b": [1, 2]}', { a: 2, b: [1, 2] }, {}, '0.500 of the JSON agrees: `a` is 1, not 2'],
    ['[1, 2]', [2, 3], { ignore_order: true }, '0.500 of the JSON agrees: it is [1,2], not [2,3]'],
  ])('explain %s (expected %j, options %j): %s', async (output, expected, given, reason) => {
    expect((await scoredFor('json_match', output, expected, given)).reason).toBe(reason);
  });
});

test.each([
  ['is_json', undefined, {}],
  ['json_schema', undefined, { schema: { type: 'object', required: ['a'] } }],
  ['json_match', { a: [1, 2] }, {}],
])('%s reads the JSON part of an answer that also has text', async (uses, expected, given) => {
  const parts: Part[] = [
    { type: 'text', text: 'Here you are.' },
    { type: 'json', value: { a: [1, 2] } },
  ];
  const answer = sample('', { expected, completion: { parts } });
  expect((await scored(builtIn(uses, given), answer)).status).toBe('pass');
});

describe('tool_call_match', () => {
  const weather: ToolCall = { name: 'weather', arguments: '{"city": "Oslo", "days": 3}' };
  const time: ToolCall = { name: 'time', arguments: '' };
  const inCity = (city: string) => ({ name: 'weather', arguments: { city } });
  const inRome: ToolCall = { name: 'weather', arguments: '{"city": "Rome"}' };
  const wantWeather = { name: 'weather', arguments: { city: 'Oslo', days: 3 } };
  test('has an error if a schema cannot be used, wherever its call stands', async () => {
    const endless = { name: 'weather', schema: { $ref: '#' } };
    expect(await scoreCalls([time, weather], [endless, 'time'], { order: 'strict' })).toMatchObject(
      { status: 'error' },
    );
  });

  test.each<[ToolCall[], Json, Given, boolean, number]>([
    [[weather, time], [wantWeather, 'time'], {}, true, 1],
    [[time, weather], [wantWeather, 'time'], {}, true, 1],
    [[time, weather], [wantWeather, 'time'], { order: 'strict' }, false, 0],
    [[weather, time], [wantWeather, { name: 'time', arguments: {} }], { order: 'strict' }, true, 1],
    [[weather], [wantWeather, 'time'], {}, false, 2 / 3],
    [[weather], [wantWeather, 'time'], { order: 'subset' }, true, 2 / 3],
    [[weather, time], [wantWeather], { order: 'superset' }, true, 2 / 3],
    [[weather, time], [wantWeather], { order: 'subset' }, false, 2 / 3],
    [[weather], [inCity('Oslo')], {}, false, 0],
    [[weather], [inCity('Oslo')], { ignore_extra: true }, true, 1],
    [[weather], [inCity('Rome')], { ignore_arguments: true }, true, 1],
    [[weather], 'weather', {}, true, 1],
    [[weather, weather], ['weather'], {}, false, 2 / 3],
    [[{ name: 'weather', arguments: 'broken' }], [wantWeather], {}, false, 0],
    [[weather, inRome], ['weather', wantWeather], {}, true, 1],
    [[], [], {}, true, 1],
    [[weather], [], {}, false, 0],
    [[], ['time'], {}, false, 0],
  ])('for %j (expected %j, options %j) passes: %j', async (made, expected, given, pass, value) => {
    expect(await scoreCalls(made, expected, given)).toMatchObject({
      status: verdict(pass),
      value: expect.closeTo(value, 12),
    });
  });

  const order = (given: Json): Json => [{ name: 'order', ...(given as object) }];
  test.each([
    [
      '{"item": "vase", "amount": 3}',
      order({ arguments: { item: 'vase', quantity: 3 } }),
      {},
      'order: `quantity` missing, `amount` not expected',
    ],
    [
      '{"to": {"city": "Rome"}, "items": [1, 2]}',
      order({ arguments: { to: { city: 'Oslo' }, items: [1, 3] } }),
      {},
      'order: `to.city` is "Rome", not "Oslo", `items[1]` is 2, not 3',
    ],
    ['{"items": [2, 1]}', order({ arguments: { items: [1, 2] } }), { ignore_order: true }, ''],
    ['{"n": "3"}', order({ schema: { properties: { n: { type: 'string' } } } }), {}, ''],
    [
      '{"n": 3}',
      order({ schema: { properties: { n: { type: 'string' } } } }),
      {},
      'order: /n must be string',
    ],
    ['{', order({ schema: {} }), {}, 'order: the arguments are not JSON'],
    ['{}', [...(order({}) as Json[]), 'pay'], {}, 'pay not called'],
    ['{}', 'pay', { order: 'subset' }, 'order not expected'],
  ])('for %s (expected %j, options %j): reason %j', async (given, expected, options, reason) => {
    const call = { name: 'order', arguments: given };
    expect((await scoreCalls([call], expected, options)).reason ?? '').toBe(reason);
  });

  test('is an error for an invalid schema', async () => {
    expect(await scoreCalls([], [{ name: 'f', schema: { type: 'nothing' } }])).toMatchObject({
      status: 'error',
      reason: expect.stringMatching(/^expected, f: the schema is not valid: /),
    });
  });

  type Arguments = { [key: string]: Json };
  const calls = (all: Arguments[]): ToolCall[] =>
    all.map((given) => ({ name: 'f', arguments: JSON.stringify(given) }));
  const wanted = (all: Arguments[]): Json => all.map((given) => ({ name: 'f', arguments: given }));
  const [ab, ac] = [
    { a: 1, b: 2 },
    { a: 1, c: 3 },
  ];
  test.each<[string, Arguments[], Arguments[], Given]>([
    ['further arguments', [ab, ac], [{ a: 1 }, { b: 2 }], { ignore_extra: true }],
    ['tolerances', [{ n: 1.05 }, { n: 1 }], [{ n: 1 }, { n: 1.1 }], { abs_tol: 0.06 }],
    ['composed characters', [{ n: 'e\u0301' }, { 'e\u0301': 1 }], [{ é: 1 }, { n: 'é' }], {}],
  ])('matches parallel calls in any order: %s', async (_, made, expected, given) => {
    for (const order of ['unordered', 'subset', 'superset'])
      for (const all of [made, made.toReversed()])
        for (const want of [expected, expected.toReversed()])
          expect(await scoreCalls(calls(all), wanted(want), { ...given, order })).toMatchObject({
            status: 'pass',
            value: 1,
          });
  });

  test('is an error for an expected value that is not a call', async () => {
    expect(await scoreCalls([], [{ tool: 'x' }])).toMatchObject({
      status: 'error',
      reason: 'expected must be tool names, or maps of name and arguments or schema',
    });
  });
});

describe('maximumPairs', () => {
  const numbers = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 6 });
  const near = (one: number, other: number) => Math.abs(one - other) <= 2;

  /** Size of the largest matching, by trying every assignment. */
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

  test('finds the largest possible number of pairs', () => {
    forAll([numbers, numbers], (left, right) =>
      expect(maximumPairs(left, right, near).size).toBe(most(left, right)),
    );
  });

  test('does not depend on the order of calls or list entries', () => {
    const shuffled = numbers.chain((left) =>
      fc.tuple(fc.constant(left), fc.shuffledSubarray(left, { minLength: left.length })),
    );
    const options = { ...plain, abs_tol: 2, ignore_order: true, ignore_extra: true };
    const matched = (made: number[], expected: number[]) =>
      matchCalls(
        made.map((n) => ({ name: 'f', arguments: JSON.stringify({ n }) })),
        expected.map((n) => ({ name: 'f', arguments: { n }, schema: null })),
        'unordered',
        (call, { arguments: wanted }) =>
          compareJson(JSON.parse(call.arguments) as Json, wanted, options).share === 1 ? null : '',
      );
    forAll([shuffled, shuffled], ([left, mixed], [right, others]) => {
      expect(compareJson(mixed, others, options).share).toBe(
        compareJson(left, right, options).share,
      );
      const [one, other] = [matched(mixed, others), matched(left, right)];
      expect([one.matched, one.pass]).toEqual([other.matched, other.pass]);
    });
  });
});
