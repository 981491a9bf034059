import { SaxesParser } from 'saxes';
import { renderJunit } from '../../stand-ins/reports.ts';
import {
  enormous,
  goldens,
  hostile,
  referenceOf,
  regression,
  resultOf,
  sideOf,
  suiteOf,
  sweep,
  withProblems,
  passed,
  failed,
} from './results.ts';

const PASSED_THEN_FAILED = { base: passed('x'), head: failed('y') };

interface Element {
  name: string;
  attributes: Record<string, string>;
  text: string;
  children: Element[];
}

/** Parses XML strictly: throws if it is not well-formed. */
function parse(xml: string): Element {
  const parser = new SaxesParser();
  const root: Element = { name: '', attributes: {}, text: '', children: [] };
  const open = [root];
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element: Element = {
      name,
      attributes: attributes as Record<string, string>,
      text: '',
      children: [],
    };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('text', (text) => {
    open.at(-1)!.text += text;
  });
  parser.on('closetag', () => open.pop());
  parser.write(xml).close();
  return root.children[0]!;
}

const rendered = (...given: Parameters<typeof resultOf>): Element =>
  parse(renderJunit(resultOf(...given)));
const attribute = (root: Element, name: string, of: string): unknown[] =>
  all(root, name).map(({ attributes }) => attributes[of]);

const all = (element: Element, name: string): Element[] => [
  ...(element.name === name ? [element] : []),
  ...element.children.flatMap((child) => all(child, name)),
];

/** Attributes and children that Jenkins' schema allows, with required attributes marked. */
const SCHEMA: Readonly<Record<string, { attributes: string; children: string }>> = {
  testsuites: { attributes: 'name time tests failures errors', children: 'testsuite' },
  testsuite: {
    attributes:
      'name! tests! failures! errors! group time skipped timestamp hostname id package file log url',
    children: 'testsuite properties testcase system-out system-err',
  },
  testcase: {
    attributes: 'name! time classname group',
    children:
      'skipped error failure rerunFailure rerunError flakyFailure flakyError system-out system-err',
  },
  failure: { attributes: 'type message', children: '' },
  error: { attributes: 'type message', children: '' },
  skipped: { attributes: 'type message', children: '' },
  'system-out': { attributes: '', children: '' },
};

/** The places where an element violates the schema. */
function violations({ name, attributes, text, children }: Element): string[] {
  const allowed = SCHEMA[name];
  if (allowed === undefined) return [`${name} is not an element`];
  const given = Object.keys(attributes);
  const names = allowed.attributes.split(' ');
  const required = names.filter((each) => each.endsWith('!')).map((each) => each.slice(0, -1));
  const timed = name.startsWith('testsuite') && !/^\d*\.?\d*$/.test(attributes['time'] ?? '');
  const mixed = ['failure', 'error', 'skipped', 'system-out'].includes(name);
  return [
    ...given
      .filter((own) => !names.includes(own) && !required.includes(own))
      .map((own) => `${name} has no ${own}`),
    ...required.filter((own) => !given.includes(own)).map((own) => `${name} lacks ${own}`),
    ...children
      .filter((element) => !allowed.children.split(' ').includes(element.name))
      .map((element) => `${name} may not hold ${element.name}`),
    ...(timed ? [`${name} has a time that is no number`] : []),
    ...(mixed || text.trim() === '' ? [] : [`${name} may not hold text`]),
    ...children.flatMap(violations),
  ];
}

describe('renderJunit', () => {
  test.each(Object.entries({ ...goldens, hostile }))(
    'is well-formed with correct counts for %s',
    (_name, build) => {
      const root = parse(renderJunit(build()));
      expect(root.attributes['tests']).toBe(String(all(root, 'testcase').length));
      for (const suite of [root, ...all(root, 'testsuite')]) {
        expect(suite.attributes['failures']).toBe(String(all(suite, 'failure').length));
        expect(suite.attributes['errors']).toBe(String(all(suite, 'error').length));
      }
      for (const suite of all(root, 'testsuite'))
        expect(suite.attributes['skipped']).toBe(String(all(suite, 'skipped').length));
      expect(violations(root)).toEqual([]);
    },
  );

  test('has a suite per prompt and variant, a case per reference and a failure per regression', () => {
    const root = parse(renderJunit(regression()));
    expect(attribute(root, 'testsuite', 'name')).toEqual(['math', 'triage', 'capitals']);
    const australia = all(root, 'testcase').find(
      ({ attributes }) => attributes['name'] === 'australia',
    );
    expect(australia?.attributes).toEqual({
      name: 'australia',
      classname: 'capitals',
      time: '1.923',
    });
    expect(australia?.children[0]).toMatchObject({
      name: 'failure',
      attributes: {
        type: 'regressed',
        message: 'regressed: 3 of 3 passed on base, 0 of 3 passed on head',
      },
    });
    const [first, ...rest] = australia?.children[0]?.text.split('\n') ?? [];
    expect(first).toBe('prompts/tests/capitals.yaml:14');
    expect(rest).toContain('Head: The capital of Australia is Canberra.');
  });

  test('distinguishes variants of a prompt by class, because readers identify cases by class and name', () => {
    const of = (temperature: number) =>
      suiteOf('s', [referenceOf('a', 'pass')], {
        variant: { model: 'm', parameters: { temperature } },
      });
    const root = rendered({
      mode: 'sweep',
      suites: [of(0), of(1), suiteOf('t', [referenceOf('a', 'pass')])],
    });
    expect(attribute(root, 'testcase', 'classname')).toEqual([
      's [m, temperature 0]',
      's [m, temperature 1]',
      't',
    ]);
  });

  test('distinguishes failures, errors and references that were not judged', () => {
    const references = [
      referenceOf('a', 'error', { head: sideOf([{ outcome: 'error', actual: '' }]) }),
      referenceOf('b', 'ungraded', { head: sideOf([{ outcome: 'ungraded', actual: 'x' }]) }),
      referenceOf('c', 'removed'),
      referenceOf('d', 'regressed', { skip: true }),
      referenceOf('e', 'inconclusive'),
      referenceOf('f', 'improved'),
    ];
    const root = rendered({ suites: [suiteOf('s', references)] });
    expect(
      all(root, 'testcase').map(
        ({ attributes, children }) =>
          `${String(attributes['name'])} ${children[0]?.name ?? 'passes'}`,
      ),
    ).toEqual(['a error', 'b skipped', 'c skipped', 'd skipped', 'e passes', 'f system-out']);
    expect(all(root, 'error')[0]?.attributes['message']).toBe(
      'openai: no complete reply after 120 s',
    );
  });

  test('says that a reference got worse as part of a regressed suite, even if it has only one try', () => {
    const fell = referenceOf('a', 'fell', PASSED_THEN_FAILED);
    const root = rendered({
      conclusion: 'failure',
      n_tries: 1,
      suites: [suiteOf('s', [fell], { verdict: 'regressed' })],
    });
    expect(attribute(root, 'failure', 'message')).toEqual([
      'fell with its suite: 1 of 1 passed on base, 0 of 1 passed on head',
    ]);
  });

  test('has a failure for each reference that fails on head if that makes the run red', () => {
    const failing = referenceOf('a', 'unchanged', { head: { ...failed('y'), rollup: 'fail' } });
    const failures = (failOn: 'failure' | 'regression'): string[] => {
      const suite = suiteOf('s', [failing], { gate: { fail_on: failOn } });
      const root = rendered({ conclusion: 'failure', suites: [suite] });
      return all(root, 'failure').map(({ attributes }) => String(attributes['type']));
    };
    expect(failures('failure')).toEqual(['unchanged']);
    expect(failures('regression')).toEqual(['run']);
  });

  test('has a failure for the suite itself if it regressed and no individual reference is flagged', () => {
    const moved = referenceOf('a', 'inconclusive', PASSED_THEN_FAILED);
    const root = rendered({
      conclusion: 'failure',
      suites: [
        suiteOf('s', [moved], { verdict: 'regressed' }),
        suiteOf('t', [{ ...moved, status: 'regressed' }], { verdict: 'regressed' }),
      ],
    });
    expect(
      all(root, 'testcase').flatMap(({ attributes: { classname, name }, children: [ending] }) =>
        ending?.name === 'failure' ? [`${String(classname)} › ${String(name)}`] : [],
      ),
    ).toEqual(['s › pass rate', 't › a']);
    expect(all(root, 'failure')[0]?.text).toMatch(/^prompts\/s\.yaml:1\n100 → 0 %: clearly worse$/);
  });

  test('has a failing case for all suites together if their pass rate dropped, besides other failures', () => {
    const pool = { base: 0.9, head: 0.8 };
    const root = rendered({
      conclusion: 'failure',
      outcome: { kind: 'regressed', pool, fails: true },
      suites: [
        suiteOf('s', [referenceOf('a', 'regressed', PASSED_THEN_FAILED)], { verdict: 'regressed' }),
      ],
    });
    const failed = all(root, 'testcase').filter(({ children: [ending] }) => ending !== undefined);
    expect(failed.map(({ attributes: { name } }) => name)).toEqual(['all suites', 'a']);
  });

  test.each([
    ['report', 'skipped', 'skipped'],
    ['fail', 'failure', 'failure'],
  ] as const)('shows new, fixed and deleted tests with gate.new: %s', (word, added, alone) => {
    const reference = (...of: Parameters<typeof referenceOf>) => referenceOf(...of);
    const fails = { base: failed('x'), head: { ...failed('y', 'y'), rollup: 'fail' as const } };
    const once = { base: null, head: { ...failed('z'), rollup: 'fail' as const } };
    const root = rendered({
      gate: { ...resultOf({}).gate, new: word },
      suites: [
        suiteOf('s', [
          reference('a', 'fixed', { base: failed('x'), head: passed('y') }),
          reference('b', 'added', fails),
          reference('c', 'added', { base: failed('x'), head: passed('y') }),
          reference('once', 'added', once),
          reference('d', 'removed', { tags: ['critical'] }),
        ]),
        suiteOf('t', [reference('a', 'fail', { head: fails.head, base: null })], {
          verdict: 'new',
        }),
      ],
    });
    const shown = all(root, 'testcase').map(({ attributes, children: [own] }) => [
      attributes['name'],
      own?.name,
      own?.attributes['message'] ?? own?.text,
    ]);
    expect(shown).toEqual([
      ['a', 'system-out', 'fixed: 0 of 1 passed on base, 1 of 1 passed on head'],
      ['b', added, 'new, and fails: 0 of 1 passed on base, 0 of 2 passed on head'],
      ['c', 'system-out', 'new: 0 of 1 passed on base, 1 of 1 passed on head'],
      ['once', 'skipped', 'new, failed some tries: 0 of 1 passed'],
      ['d', 'skipped', 'deleted by this change, and was critical'],
      ['a', alone, 'new, and fails: 0 of 2 passed'],
    ]);
    const [first] = all(root, added).map(({ text }) => text);
    expect(first).toContain('Head: y');
  });

  test('shows failed references of a sweep as failures, and problems as errors', () => {
    expect(all(parse(renderJunit(sweep())), 'failure')).toHaveLength(1);
    const errors = all(parse(renderJunit(withProblems())), 'error');
    expect(errors.map(({ text }) => text)[1]).toBe(
      'prompts/tests/capitals.yaml:12: reference 3 has no value for {country}',
    );
  });

  test('keeps line breaks in an XML attribute', () => {
    const root = rendered({ suites: [suiteOf('s', [referenceOf('one\n\ttwo', 'unchanged')])] });
    expect(all(root, 'testcase')[0]?.attributes['name']).toBe('one\n\ttwo');
  });

  test('contains every one of two thousand failures', () =>
    expect(all(parse(renderJunit(enormous())), 'failure')).toHaveLength(2000));
});
