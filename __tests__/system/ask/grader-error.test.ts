import { describe, expect, test } from '@jest/globals';
import { renderTerminal } from '../../../src/report/terminal.ts';
import type { Project } from '../../../src/suite/suite.ts';
import type { Rubric } from '../../../src/types/metric.ts';
import type { Request } from '../../../src/types/model.ts';
import { metric, project, settings } from '../../unit/run/builders.ts';
import {
  NEW,
  OLD,
  example,
  fenced,
  rubricOf,
  runPipeline,
  shop,
  type Ran,
} from '../run/pipeline.ts';

const PER_KIND = 20;

/** Answers that people call good or bad; the grader is wrong on those that say `odd`. */
function labelled(odd: number): Rubric['examples'] {
  return Array.from({ length: PER_KIND }, (_, index) => [
    example(`good ${index < odd ? 'odd ' : ''}${String(index)}`, 'YES'),
    example(`bad ${index < odd ? 'odd ' : ''}${String(index)}`, 'NO'),
  ]).flat();
}

const side = (content: string, examples: Rubric['examples'], metrics = [METRIC]): Project => {
  const rubric = rubricOf('Is it right? {content}', { examples });
  return project([shop(content, 30, { tests: { metrics } })], {
    settings: settings({
      grader: { model: 'gpt-4o', parameters: {}, place: { file: 'evaldiff.yaml', line: 2 } },
    }),
    rubrics: new Map([[rubric.name, rubric]]),
  });
};

const METRIC = metric('kind', { source: { kind: 'rubric', rubric: 'polite' } });

/** Head's answers to the references before `broken` are bad. */
const world =
  (broken: number) =>
  ({ purpose }: Request, text: string): string => {
    if (purpose === 'prompt')
      return text.startsWith('New') && Number(text.slice(-2)) < broken ? 'bad' : 'good';
    const content = fenced(text, 'content');
    return content.includes('good') === content.includes('odd') ? 'NO' : 'YES';
  };

const compare = (examples: Rubric['examples'], broken: number): Promise<Ran> =>
  runPipeline(side(OLD, examples), side(NEW, examples), world(broken));

describe('a suite that a rubric with labelled examples judges alone', () => {
  test('has its rates and their difference corrected beside the seen ones, on both sides', async () => {
    const { result } = await compare(labelled(2), 15);
    const [suite] = result.suites;
    expect(suite).toMatchObject({ verdict: 'regressed', pass_rate: { base: 1, head: 0.5 } });
    const error = suite!.grader_error!;
    expect(error).toMatchObject({
      metric: 'kind',
      kind: 'corrected',
      good: { right: 18, n: 20 },
      bad: { right: 18, n: 20 },
    });
    // Of each kind 19 of 22, so that 16 / 22 of a difference are seen.
    expect(error.difference!.difference).toBeCloseTo(-0.5 / (16 / 22), 10);
    expect(error.difference!.low).toBeLessThan(suite!.pass_rate.low! / (16 / 22));
    expect(error.base!.high).toBe(1);
    expect(error.head!.low).toBeLessThan(0.5);
    expect(result.graders).toHaveLength(1);
    const shown = renderTerminal(result, { width: 300, colour: false });
    expect(shown).toContain('without the grader’s errors, 1 suite');
    expect(shown).toContain('18 of 20 good, 18 of 20 bad');
  });

  test('is as red as without the examples, and is said to differ by no more than its grader errs', async () => {
    const [plain, known] = [await compare([], 8), await compare(labelled(8), 8)];
    expect(known.result.conclusion).toBe('failure');
    expect(known.result.conclusion).toBe(plain.result.conclusion);
    expect(known.result.outcome).toEqual(plain.result.outcome);
    const [suite] = known.result.suites;
    expect(suite!.pass_rate).toEqual(plain.result.suites[0]!.pass_rate);
    expect(suite!.grader_error!.kind).toBe('within error');
    expect(suite!.summary).toContain(
      'The difference is within the grader’s own error: it gets about 40.9 % of such answers wrong.',
    );
    expect(plain.result.suites[0]).not.toHaveProperty('grader_error');
  });

  test('has nothing corrected where its grader guesses, which is said', async () => {
    const { result } = await compare(labelled(PER_KIND / 2), 15);
    expect(result.suites[0]!.grader_error).toMatchObject({
      kind: 'no better than chance',
      wrong: null,
      base: null,
      head: null,
      difference: null,
    });
    expect(result.suites[0]!.summary).toContain('no better than chance');
  });

  test('asks the grader about no example where another metric judges too, or all labels are alike', async () => {
    const two = [METRIC, metric('exact', { source: METRIC.source })];
    const mixed = await runPipeline(
      side(OLD, labelled(1), two),
      side(NEW, labelled(1), two),
      world(0),
    );
    expect(mixed.result.graders).toEqual([]);
    const alike = labelled(1).filter(({ expected }) => expected === 'YES');
    const { result } = await compare(alike, 15);
    expect(result.graders).toEqual([]);
    expect(result.suites[0]).not.toHaveProperty('grader_error');
  });
});
