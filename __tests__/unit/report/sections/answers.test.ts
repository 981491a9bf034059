import type { TryResult } from '../../../../src/kernel/result/reference-result.ts';
import { referenceBlocks } from '../../../../src/report/sections/reference-view.ts';
import { renderBlocks } from '../../../../src/report/terminal.ts';
import type { Part } from '../../../../src/types/answer.ts';
import { variantWords } from '../../../../src/wording/variants.ts';
import {
  REPORTS,
  annotations,
  checkSummary,
  inTerminal,
  renderComment,
  renderJunit,
} from '../../../stand-ins/reports.ts';
import { referenceOf, resultOf, score, sideOfTries, suiteOf, tryOf } from '../results.ts';

const made = (outcome: 'pass' | 'fail', parts: Part[], rest: Partial<TryResult> = {}) =>
  sideOfTries(
    [0, 1, 2].map((at) => ({
      ...tryOf(at, outcome, null, [score(outcome, 'call', outcome === 'pass', REASONS[outcome])]),
      parts,
      ...rest,
    })),
  );
const REASONS = { pass: null, fail: 'create_order: `quantity` missing, `amount` not expected' };
const order = (given: string): Part[] => [
  { type: 'tool_call', name: 'create_order', arguments: given },
];
const QUANTITY = order('{"item": "vase", "quantity": 3}');
const AMOUNT = order('{"item": "vase", "amount": 3}');

const changed = (base: Part[], head: Part[], rest: Partial<TryResult> = {}) => {
  const reference = referenceOf('m1', 'regressed', {
    expected: [{ name: 'create_order', arguments: { item: 'urn', quantity: 3 } }],
    base: made('pass', base),
    head: made('fail', head, rest),
  });
  return resultOf({
    conclusion: 'failure',
    suites: [suiteOf('order', [reference], { verdict: 'regressed' })],
  });
};

describe('a regressed reference of a suite with tool calls', () => {
  const result = changed(QUANTITY, AMOUNT);
  const [suite] = result.suites;
  const [reference] = suite!.references;
  const place = { path: reference!.file, basePath: reference!.file, deleted: false };
  const surfaces: Record<string, string> = {
    comment: renderComment(result),
    check: checkSummary(result),
    terminal: inTerminal(result, 200),
    JUnit: renderJunit(result),
    annotation: annotations(result, [{ ...place, lines: [{ start: 12, end: 12 }] }])[0]!.message,
    show: renderBlocks(referenceBlocks(suite!, reference!, null, [], REPORTS), {
      width: 200,
      colour: false,
    }),
  };

  test.each(Object.entries(surfaces))('shows its calls in the %s', (_, shown) => {
    const words = shown.replace(/<[^>]*>|\*\*|&quot;|["`\\]/g, '').replace(/\s+/g, ' ');
    expect(words).toContain('create_order(item: vase, amount: 3)');
    expect(words).toContain('create_order(item: vase, quantity: 3)');
    expect(words).not.toMatch(/\bempty\b/);
  });

  test.each(['comment', 'check', 'terminal', 'show'])(
    'shows the expected call in the form of a real call in the %s',
    (surface) => {
      const words = surfaces[surface]!.replace(/<[^>]*>|\*\*|&quot;|["`\\]/g, '');
      expect(words.replace(/\s+/g, ' ')).toContain('create_order(item: urn, quantity: 3)');
    },
  );

  test.each(['comment', 'check', 'terminal', 'JUnit', 'annotation'])(
    'names the changed argument in the %s',
    (surface) => {
      expect(surfaces[surface]).toContain('quantity: 3 → amount: 3');
    },
  );

  test('marks the changed argument in the comment', () =>
    expect(surfaces['comment']).toContain('<b>amount: 3</b>'));
});

describe('the label of a variant', () => {
  const tool = (name: string, schema: object) => ({
    type: 'function',
    function: { name, parameters: schema },
  });
  const words = (parameters: object) =>
    variantWords({ model: 'm', parameters } as Parameters<typeof variantWords>[0]);

  test('names tools and schemas but not their content, so it stays the same if a schema changes', () => {
    const [before, after] = [{ a: 1 }, { b: 2 }].map((schema) =>
      words({ tools: [tool('create_order', schema), tool('cancel_order', schema)] }),
    );
    expect(before).toBe('m, tools: create_order, cancel_order');
    expect(after).toBe(before);
    expect(words({ tools: [{ type: 'web_search' }, { name: 'find', input_schema: {} }] })).toBe(
      'm, tools: web_search, find',
    );
    expect(
      words({ response_format: { type: 'json_schema', json_schema: { name: 'order' } } }),
    ).toBe('m, response_format: order');
  });

  test('cuts long values', () => {
    expect(words({ stop: ['a'], bias: 'x'.repeat(99) })).toBe(
      `m, stop ["a"], bias ${'x'.repeat(59)}…`,
    );
  });
});
