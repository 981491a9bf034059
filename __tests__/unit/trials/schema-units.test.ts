import type { SuiteSide } from '../../../src/kernel/select/affected-suite.ts';
import { promptChange } from '../../../src/trials/prompt-units.ts';
import { mergeValues, propertyName } from '../../../src/trials/schema-units.ts';
import type { Json, JsonMap } from '../../../src/types/plain.ts';

const order = (properties: JsonMap, required?: string[], more: JsonMap = {}): JsonMap => ({
  type: 'function',
  function: {
    name: 'create_order',
    ...more,
    parameters: { type: 'object', properties, ...(required === undefined ? {} : { required }) },
  },
});
const [text, whole] = [{ type: 'string' }, { type: 'integer' }];
const BASE = order({ item: text, quantity: whole }, ['item', 'quantity']);

const changed = (head: JsonMap, base: JsonMap = BASE) => {
  const merged = mergeValues(base, head);
  return merged?.changes.map((change) => [
    change.isRenamed ? 'renamed' : propertyName(change.path),
    change.base,
    change.head,
  ]);
};

describe('changes inside a schema', () => {
  test.each<[string, JsonMap, unknown[]]>([
    [
      'a renamed property, with its entry in `required`',
      order({ item: text, amount: whole }, ['item', 'amount']),
      [['renamed', 'quantity', 'amount']],
    ],
    [
      'an added property',
      order({ item: text, quantity: whole, note: text }, ['item', 'quantity', 'note']),
      [['note', undefined, text]],
    ],
    ['a removed property', order({ item: text }, ['item']), [['quantity', whole, undefined]]],
    [
      'a property that is no longer required',
      order({ item: text, quantity: whole }, ['item']),
      [['quantity.required', true, false]],
    ],
    [
      'a type with its values, apart from the description',
      order({ item: text, quantity: { type: 'string', enum: ['one'], description: 'Ask.' } }, [
        'item',
        'quantity',
      ]),
      [
        ['quantity', { type: 'integer' }, { type: 'string', enum: ['one'] }],
        ['quantity.description', undefined, 'Ask.'],
      ],
    ],
    [
      "the tool's description",
      order({ item: text, quantity: whole }, ['item', 'quantity'], { description: 'Orders.' }),
      [['description', undefined, 'Orders.']],
    ],
  ])('include %s', (_, head, expected) => {
    const found = changed(head)?.map((change) => JSON.stringify(change));
    expect(found?.sort()).toEqual(expected.map((change) => JSON.stringify(change)).sort());
  });

  test('are found in nested objects and lists', () => {
    const nested = (inner: Json): JsonMap =>
      order({
        address: { type: 'object', properties: { lines: { type: 'array', items: inner } } },
      });
    expect(changed(nested(whole), nested(text))).toEqual([
      ['address.lines.items.type', 'string', 'integer'],
    ]);
  });

  test('are null if applying all of them does not give the new schema', () => {
    expect(
      mergeValues(BASE, order({ item: text, quantity: whole }, ['quantity', 'item'])),
    ).toBeNull();
    expect(mergeValues('a', BASE)).toBeNull();
  });

  test('give a valid schema in every combination', () => {
    const head = order({ name: text, amount: whole, note: text }, ['name', 'note']);
    const base = order({ item: whole, quantity: text, gift: text }, ['item', 'quantity', 'gift']);
    const merged = mergeValues(base, head);
    const count = merged?.changes.length ?? 0;
    expect(count).toBeGreaterThan(2);
    for (let chosen = 0; chosen < 2 ** count; chosen += 1) {
      const made = merged?.compose((change) => (chosen & (2 ** change)) > 0) as typeof head;
      const { properties, required } = (made['function'] as JsonMap)['parameters'] as {
        properties: JsonMap;
        required: string[];
      };
      expect(Object.keys(properties)).toEqual(expect.arrayContaining(required));
    }
    expect(merged?.compose(() => true)).toEqual(head);
    expect(merged?.compose(() => false)).toEqual(base);
  });
});

describe('place of a change inside a tool', () => {
  const tool = (name: string, note: string) =>
    order({ item: { type: 'string', description: note }, [name]: whole }, ['item', name]);
  const side = (value: JsonMap) =>
    ({
      suite: {
        prompt: {
          file: 'p.yaml',
          name: 'p',
          model: 'm',
          variables: [],
          messages: [],
          code: null,
          parameters: { tools: [value] },
          places: { tools: { file: 'tools.yaml', line: 1 } },
        },
      },
      variant: { model: 'm', parameters: { tools: [value] }, target: null },
      scoring: { settingsFile: 'evaldiff.yaml' },
    }) as unknown as SuiteSide;

  const block = (name: string, note: string) =>
    `tools:
  - type: function
    function:
      name: create_order
      parameters:
        type: object
        properties:
          item:
            type: string
            description: ${note}
          ${name}:
            type: integer
        required: [item, ${name}]`;
  const flow = (name: string, note: string) =>
    `tools: [{ type: function, function: { name: create_order, parameters: {
  type: object, properties: {
    item: { type: string, description: ${note} },
    ${name}: { type: integer } }, required: [item, ${name}] } } }]`;
  const json = (name: string, note: string) =>
    JSON.stringify({ tools: [tool(name, note)] }, null, 2);

  test.each([
    ['block style', block, 10, 11],
    ['flow style', flow, 3, 4],
    ['JSON', json, 12, 14],
  ])('is its line in %s', (_, written, described, renamed) => {
    const { units } = promptChange(
      side(tool('quantity', 'What.')),
      side(tool('amount', 'Which.')),
      (of) =>
        (of === 'base' ? written('quantity', 'What.') : written('amount', 'Which.')).split('\n'),
    );
    const of = { parameter: 'tools', tool: 'create_order' };
    expect(units).toMatchObject([
      { kind: 'property', name: 'item.description', of, lines: { from: described } },
      {
        kind: 'property',
        name: null,
        of,
        base_text: 'quantity',
        head_text: 'amount',
        file: 'tools.yaml',
        lines: { from: renamed },
        head: { line: renamed },
      },
    ]);
  });

  test('is the whole tool if its file cannot be read', () => {
    const { units } = promptChange(
      side(tool('quantity', 'What.')),
      side(tool('amount', 'What.')),
      () => ['tools: other'],
    );
    expect(units).toMatchObject([{ kind: 'property', file: 'tools.yaml', lines: { from: 1 } }]);
  });
});
