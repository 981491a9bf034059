/** Project code that cannot judge any answer, from the plan to the result. */
import type { Rollup } from '../../../../src/kernel/suite/suite.ts';
import type { CodeJob, CodeResult } from '../../../../src/types/model.ts';
import { metric, project, reference, settings } from '../../../unit/app/run/builders.ts';
import { yes, reworded, NEW, OLD, runPipeline, shop } from './pipeline.ts';

const two = { settings: settings({ n_tries: 2 }) };
const raised = (message: string): CodeResult => ({ status: 'error', cause: 'code', message });

const check = metric('parses', {
  source: { kind: 'code', language: 'python', code: 'metric = json.loads(actual)' },
  place: { file: 'prompts/tests/p.yaml', line: 4 },
});

/** A sandbox that returns `say` for each input of a metric or roll-up. */
const scripted = (say: (input: CodeJob['inputs'][number]) => CodeResult) => ({
  edges: { evaluate: async ({ inputs }: CodeJob) => inputs.map(say) },
});

const rollup: Rollup = {
  kind: 'code',
  name: 'mine',
  language: 'python',
  code: 'result = passes > 1',
  place: { file: 'prompts/tests/p.yaml', line: 9 },
};

describe('a check that raises an exception', () => {
  const run = (say: (actual: unknown) => CodeResult, tests = { metrics: [check] }) =>
    reworded(20, (_, question) => (question.startsWith('New') ? 'prose' : '{}'), {
      ...two,
      ...scripted(({ actual }) => say(actual)),
      changes: { tests },
    });
  const good: CodeResult = { status: 'ok', values: { metric: 1, result: true } };

  test("only on head's answers is a regression, with the exception as the reason", async () => {
    const { result } = await run((actual) => (actual === 'prose' ? raised('ValueError') : good));
    expect(result.conclusion).toBe('failure');
    expect(result.suites[0]?.pass_rate).toMatchObject({ base: 1, head: 0 });
    expect(result.suites[0]?.references[0]?.head?.tries[0]?.scores[0]).toMatchObject({
      status: 'fail',
      raised: true,
      reason: 'metric "parses": ValueError',
    });
  });

  test('on every answer of both sides makes the run end in an error, without rates and verdict', async () => {
    const { result } = await run(() => raised("NameError at prompts/tests/p.yaml:6: 'json'"));
    expect(result).toMatchObject({
      conclusion: 'error',
      outcome: { kind: 'not-evaluated', problems: 1 },
      suites: [],
      problems: [
        {
          place: { file: 'prompts/tests/p.yaml', line: 4 },
          message:
            'metric "parses" raises an error on every answer of both sides, so it has no scores: NameError at prompts/tests/p.yaml:6: \'json\'',
        },
      ],
    });
    expect(result.usage.calls).toBeGreaterThan(0);
  });

  describe('of promptfoo, where an exception is a failure,', () => {
    const imported = (say: () => CodeResult) => {
      const theirs = (text: string) =>
        project([shop(text, 5, { tests: { metrics: [check], tool: 'promptfoo' } })], two);
      return runPipeline(theirs(OLD), theirs(NEW), () => 'prose', scripted(say));
    };

    test('counts as a fail on answers that are never JSON, and a notice asks whether the check is broken', async () => {
      const { result } = await imported(() =>
        raised("SyntaxError at prompts/tests/p.yaml:4: unexpected token: 'prose'"),
      );
      expect([result.conclusion, result.problems]).toEqual(['success', []]);
      expect(result.suites[0]?.pass_rate).toMatchObject({ base: 0, head: 0 });
      expect(result.notices).toContainEqual({
        kind: 'import',
        place: { file: 'prompts/tests/p.yaml', line: 4 },
        message:
          'metric "parses" raised an error on every answer of both sides, which counts as a fail, as in promptfoo. Is the check broken? SyntaxError at prompts/tests/p.yaml:4: unexpected token: \'prose\'',
      });
    });

    test.each(['ReferenceError', 'NameError', 'ModuleNotFoundError', 'PermissionError'])(
      'is reported as broken if answers cannot cause such an exception (%s)',
      async (type) => {
        const { result } = await imported(() => raised(`${type} at prompts/tests/p.yaml:4: x`));
        expect(result.conclusion).toBe('error');
        expect(result.problems).toEqual([
          { place: check.place, message: expect.stringContaining('has no scores') },
        ]);
      },
    );
  });

  test('is not reported as broken if only one reference uses it', async () => {
    const references = (text: string) => {
      const one = shop(text, 20);
      const [first, ...rest] = one.tests.references;
      return {
        ...one,
        tests: { ...one.tests, references: [{ ...first!, metrics: [check] }, ...rest] },
      };
    };
    const { result } = await runPipeline(
      project([references(OLD)], two),
      project([references(NEW)], two),
      yes,
      scripted(() => raised('ValueError')),
    );
    expect(result.conclusion).toBe('success');
    expect(result.suites[0]?.references[0]).toMatchObject({
      base: { passes: 0 },
      head: { passes: 0 },
    });
  });
});

describe('roll-up code (combining tries) that raises an exception', () => {
  test('is an error of the run even if all tries pass', async () => {
    const { result } = await reworded(20, yes, {
      ...two,
      ...scripted(() => raised("NameError at prompts/tests/p.yaml:10: 'passes'")),
      changes: { tests: { rollup } },
    });
    expect(result).toMatchObject({
      conclusion: 'error',
      problems: [
        {
          place: { file: 'prompts/tests/p.yaml', line: 9 },
          message: 'metrics_rollup "mine": NameError at prompts/tests/p.yaml:10: \'passes\'',
        },
      ],
    });
  });

  test('on base but not on head is not an error of head', async () => {
    const fixed = { ...rollup, code: 'result = num_passes > 1' };
    const { result } = await runPipeline(
      project([shop(OLD, 20, { tests: { rollup } })], two),
      project([shop(NEW, 20, { tests: { rollup: fixed } })], two),
      yes,
      {
        edges: {
          evaluate: async ({ code, inputs }) =>
            inputs.map(() =>
              code === fixed.code
                ? { status: 'ok', values: { result: true } }
                : raised('NameError'),
            ),
        },
      },
    );
    expect(result.problems).toEqual([]);
    expect(result.conclusion).toBe('success');
  });

  test('does not affect suites that do not use it', async () => {
    const other = shop(NEW, 4, { prompt: { name: 'other', file: 'prompts/o.yaml' } });
    const { result } = await runPipeline(
      null,
      project([shop(NEW, 4, { tests: { rollup, references: [reference('a')] } }), other], two),
      yes,
      { ...scripted(() => raised('NameError')), input: { mode: 'sweep' } },
    );
    expect(result.conclusion).toBe('error');
    expect(result.suites.map(({ name }) => name)).toEqual(['other']);
  });
});
