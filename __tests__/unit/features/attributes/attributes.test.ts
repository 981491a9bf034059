import { describe, expect, test } from '@jest/globals';
import { explainedSuites } from '../../../../src/features/attributes/explained-suites.ts';
import { plainFindings } from '../../../../src/features/attributes/insight.ts';
import { insights } from '../../../../src/features/attributes/insights-section.ts';
import type { AttributeResult } from '../../../../src/features/attributes/result.ts';
import { attributes } from '../../../../src/features/attributes/section.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { renderComment, checkSummary } from '../../../../src/report/comment.ts';
import { COMMENT_LEVELS } from '../../../../src/report/sections/detail.ts';

import { renderBlocks, renderTerminal } from '../../../../src/report/terminal.ts';
import { sweepOfModels, withKinds } from '../../report/kinds.ts';
import { green } from '../../report/results.ts';

const [detail] = COMMENT_LEVELS;
const shown = (result: Result, section = attributes, items = 50): string =>
  renderBlocks(section(result, { ...detail!, collapsedItems: items }), {
    width: 200,
    colour: false,
  });
const changed = (
  result: Result,
  change: (attribute: AttributeResult) => Partial<AttributeResult>,
): Result => ({
  ...result,
  attributes: result.attributes.map((attribute) => ({ ...attribute, ...change(attribute) })),
});

describe('the attributes of a comparison', () => {
  const text = shown(withKinds());

  test('are summed up in one line', () => {
    expect(text.split('\n')[0]).toBe('Attributes: 1 regressed, 0 improved, of 11 attributes');
  });

  test('are listed where they regressed, with references, rates, difference, interval and verdict', () => {
    const lines = text.split('\n').map((line) => line.trim().split(/ {2,}/));
    expect(lines).toContainEqual([
      'Refunds and returns domain',
      '20',
      '100.0 % → 60.0 %',
      '−40.0 points',
      'regressed',
    ]);
    expect(lines).toContainEqual(['−51.2 to −28.8']);
    expect(text).not.toContain('Late or lost parcels');
  });

  test("have the mean of a metric's numbers beside the pass rate, said to be untested", () => {
    const measured = changed(withKinds(), () => ({
      values: { metric: 'rouge', n: 20, base: 0.41, head: 0.33 },
    }));
    const said = shown(measured);
    expect(said).toMatch(/Pass rate +Difference, 90 % interval +Mean of rouge +Verdict/);
    expect(said).toContain('0.41 → 0.33');
    expect(said).toContain('shown and not tested');
    expect(text).not.toContain('Mean of');
  });

  test('that only share references with one that regressed are not findings, and it is said with which', () => {
    expect(text).toContain(
      '- Refusing politely sub-task fell only with the references it shares with Refunds and returns: 100.0 % → 83.3 % over 22 references.',
    );
    expect(shown(withKinds(), attributes, 0)).toContain(
      '1 attribute moved only with the references shared with another.',
    );
  });

  test('that moved the same way with the same one stand in one sentence, each with its own figures', () => {
    const neighbours = changed(withKinds(), ({ name }) =>
      name === 'Naming the next step'
        ? { explained_by: ['domain-1'], base: 1, head: 0.9, difference: -0.1, n: 20 }
        : name === 'Product advice'
          ? { explained_by: ['domain-1'], base: 0.5, head: 0.75, difference: 0.25, n: 20 }
          : {},
    );
    const line = (items?: number): string =>
      shown(neighbours, attributes, items).replace(/\s+/g, ' ');
    expect(line()).toContain(
      '- Refusing politely sub-task (100.0 % → 83.3 % over 22 references), Naming the next step sub-task (100.0 % → 90.0 % over 20 references) fell only with the references they share with Refunds and returns. - Product advice domain rose only with the references it shares with Refunds and returns: 50.0 % → 75.0 % over 20 references.',
    );
    expect(line(1)).toContain(
      'over 22 references) and 1 more fell only with the references they share with Refunds and returns. and 1 more.',
    );
  });

  test('with too few references are counted, never listed, however far they fell', () => {
    const few = shown(
      changed(withKinds(), () => ({
        verdict: 'too few',
        difference: -1,
        head: 0,
        explained_by: [],
      })),
    );
    expect(few).toContain('11 attributes with too few references to judge.');
    expect(few).not.toMatch(/Refunds|Praise|Refusing|No change/);
    expect(text).toContain('1 attribute with too few references to judge.');
  });

  test('say of skills that lower is better, where a sub-task moved', () => {
    expect(text).not.toContain('Other skills');
    const moved = shown(
      changed(withKinds(), ({ kind }) => (kind === 'subtask' ? { verdict: 'regressed' } : {})),
    );
    expect(moved.split('\n').map((line) => line.trim().split(/ {2,}/))).toContainEqual([
      'Refusing politely sub-task',
      '22',
      '100.0 % → 83.3 %',
      '−16.7 points',
      '18.0 % → 45.3 %',
      'regressed',
    ]);
    expect(moved).toContain('lower is better');
  });

  test('say where nothing moved that nothing is seen', () => {
    expect(
      shown(changed(withKinds(), () => ({ verdict: 'no change seen', explained_by: [] }))),
    ).toContain('No change seen in any of them.');
  });

  test('of several suites are named with their suite', () => {
    const result = withKinds();
    const other = green().suites[0]!;
    const two: Result = {
      ...result,
      suites: [...result.suites, other],
      attributes: [
        ...result.attributes,
        { ...result.attributes[0]!, path: other.path, suite: other.name, variant: other.variant },
      ],
    };
    expect(shown(two)).toContain('Refunds and returns domain of triage');
    expect(shown(two)).toContain('Refunds and returns domain of capitals');
  });

  test('are in the comment, the check and the terminal', () => {
    const result = withKinds();
    for (const output of [
      renderComment(result, { marker: '<!-- m -->' }),
      checkSummary(result),
      renderTerminal(result, { width: 160, colour: false }),
    ]) {
      for (const words of [
        'Attributes: 1 regressed',
        'Refunds and returns',
        '−51.2 to −28.8',
        '2 insights, generated by a model',
        'Refusals lack an alternative',
      ])
        expect(output).toContain(words);
    }
  });
});

test('two prompts of one file and one model have attributes and insights of their own', () => {
  const one = withKinds();
  const other = { ...one.suites[0]!, name: 'triage in short' };
  const both = {
    ...one,
    suites: [one.suites[0]!, other],
    attributes: [
      ...one.attributes,
      ...one.attributes.map((each) => ({
        ...each,
        suite: other.name,
        name: `${each.name}, in short`,
      })),
    ],
  };
  const found = explainedSuites(both, both.suites);
  expect(
    found.map(({ name, attributes: own, insights: told }) => [name, own.length, told.length]),
  ).toEqual([
    ['triage', one.attributes.length, one.insights.length],
    ['triage in short', one.attributes.length, 0],
  ]);
  expect(found[1]?.attributes.every(({ name }) => name.endsWith(', in short'))).toBe(true);
});

describe('insights', () => {
  test('name the references they rest on', () => {
    expect(shown(withKinds(), insights)).toContain(
      'base offered the money back. (mail-001, mail-013, mail-019)',
    );
  });

  test('that were dropped are counted where the others stand', () => {
    const result = withKinds();
    const { path, name: suite, variant } = result.suites[0]!;
    const dropped = (count: number): Result => ({
      ...result,
      dropped_insights: [{ path, suite, variant, count }],
    });
    expect(shown(dropped(2), insights)).toContain(
      '2 more insights were dropped: a figure or a direction was not that of the attribute they name.',
    );
    expect(shown(dropped(1), insights)).toContain('1 more insight was dropped: ');
    expect(shown({ ...dropped(1), insights: [] }, insights)).toContain(
      '1 more insight was dropped',
    );
    expect(shown(result, insights)).not.toContain('dropped');
  });

  test('of our own are not called generated', () => {
    const result = withKinds();
    const { path, name: suite, variant } = result.suites[0]!;
    const text = shown(
      {
        ...result,
        insights: plainFindings(result.attributes).map((finding) => ({
          ...finding,
          path,
          suite,
          variant,
        })),
      },
      insights,
    );
    expect(text.split('\n')[0]).toBe('1 insight');
    expect(text).toContain(
      'Refunds and returns (domain) regressed: pass rate 100.0 % → 60.0 % (−40.0 points, 90 % interval −51.2 to −28.8) over 20 references.',
    );
    expect(text).not.toMatch(/generated/i);
  });
});

test('the attributes of a sweep are listed with their pass rate, without a verdict', () => {
  const text = shown(sweepOfModels());
  expect(text.split('\n')[0]).toBe('11 attributes');
  expect(text).toContain('lower is better');
  expect(text).not.toMatch(/Verdict|too few|no change seen/);
});
