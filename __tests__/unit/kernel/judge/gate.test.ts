import { describe, expect, test } from '@jest/globals';
import { decide as decideOutcome } from '../../../../src/kernel/judge/gate.ts';
import type { GateInput } from '../../../../src/kernel/judge/outcome.ts';
import type { MetricValues } from '../../../../src/kernel/result/metric-result.ts';
import type { ScoringResult } from '../../../../src/kernel/result/scoring-result.ts';
import type { SuiteResult } from '../../../../src/kernel/result/suite-result.ts';
import type { Outcome } from '../../../../src/types/metric.ts';
import {
  gate,
  gateInput,
  referenceResult,
  sideResult,
  suiteResult,
} from '../../app/run/builders.ts';
import { inWords } from './in-words.ts';

const decide = (given: GateInput) => inWords(decideOutcome(given));
const withHead = (outcomes: Outcome[], changes: Partial<SuiteResult> = {}): SuiteResult =>
  suiteResult({
    references: [referenceResult('a', { base: sideResult(['pass']), head: sideResult(outcomes) })],
    ...changes,
  });
const scoring = (effect: number): ScoringResult => ({
  path: 'p',
  name: 'p',
  rates: { base_base: 0.5, base_head: 0.5 + effect, head_base: 0.5, head_head: 0.5 + effect },
  prompt_effect: 0,
  scoring_effect: effect,
  total: effect,
  because: [],
  flipped: [],
  same_answers: { judged: 20, pass_fail: 0, fail_pass: 4, p: 0.0625, kappa: 0.5 },
  summary: '',
});

describe('something of its own in the place of a model that base asks', () => {
  const replaced = ['a', 'b', 'c'].map((suite) => ({
    suite,
    by: 'recordings' as const,
    file: 'evaldiff.yaml',
    sentence: `${suite}: base's answers come from a model`,
  }));

  test('is said in the first line and as a reason, and is not a success', () => {
    const decision = decide(gateInput({ replaced }));
    expect(decision.conclusion).toBe('neutral');
    expect(decision.title).toBe(
      'Not comparable: recordings in place of a model in a, b and 1 more',
    );
    expect(decision.reasons).toEqual(replaced.map(({ sentence }) => sentence));
  });

  test('hides no failure', () => {
    const suites = [
      suiteResult({
        verdict: 'regressed',
        pass_rate: { base: 1, head: 0.5, difference: -0.5, low: -0.6, high: -0.4, p: 0.001 },
      }),
    ];
    const decision = decide(gateInput({ suites, replaced }));
    expect(decision.conclusion).toBe('failure');
    expect(decision.title).toMatch(
      /^Regressed: .*; recordings in place of a model in a, b and 1 more$/,
    );
  });

  test('stays in a title that is cut', () => {
    const suite = 'long '.repeat(100);
    const { title } = decide(gateInput({ replaced: [{ ...replaced[0]!, suite }] }));
    expect(title.length).toBeLessThanOrEqual(255);
    expect(title).toContain('recordings in place of a model');
  });
});

describe('the conclusion', () => {
  test('is a success that says so when nothing relevant changed', () => {
    expect(decide(gateInput({ suites: [], affected: 0 }))).toEqual({
      conclusion: 'success',
      title: 'No prompt, rubric or test changed: nothing to run.',
      reasons: [],
    });
  });

  test('names the variant where there are several of a suite, and only there', () => {
    const of = (model: string, name: string, verdict: SuiteResult['verdict']): SuiteResult =>
      suiteResult({
        name,
        path: name,
        verdict,
        variant: { model, parameters: { temperature: 0 } },
        pass_rate: { base: 1, head: 0.5, difference: -0.5, low: -0.6, high: -0.4, p: 0.001 },
      });
    const said = (...suites: SuiteResult[]): string => decide(gateInput({ suites })).title;
    const large = of('large', 'math', 'regressed');
    const other = of('small', 'chat', 'regressed');
    expect([
      said(of('small', 'math', 'unchanged'), large, other),
      said(of('small', 'math', 'unchanged'), of('large', 'math', 'improved')),
      said(large, other),
    ]).toEqual([
      'Regressed: math (large, temperature 0) 100.0 % → 50.0 % (−50.0 points), chat 100.0 % → 50.0 % (−50.0 points)',
      'Improved: math (large, temperature 0) 100.0 % → 50.0 % (−50.0 points)',
      'Regressed: math 100.0 % → 50.0 % (−50.0 points), chat 100.0 % → 50.0 % (−50.0 points)',
    ]);
  });

  test('is a failure with the numbers when a suite regressed', () => {
    const decision = decide(
      gateInput({
        suites: [
          suiteResult({
            name: 'math',
            verdict: 'regressed',
            summary: 'pass rate 84.0 % → 60.0 %',
            pass_rate: { base: 0.84, head: 0.6, difference: -0.24, low: -0.3, high: -0.1, p: 0.01 },
          }),
        ],
      }),
    );
    expect(decision.conclusion).toBe('failure');
    expect(decision.reasons).toEqual(['math regressed: pass rate 84.0 % → 60.0 %']);
    expect(decision.title).toBe('Regressed: math 84.0 % → 60.0 % (−24.0 points)');
  });

  test('is neutral when it is inconclusive, unless that is to fail', () => {
    const suites = [
      suiteResult({ verdict: 'inconclusive', summary: 'five tries would settle it.' }),
    ];
    expect(decide(gateInput({ suites }))).toMatchObject({
      conclusion: 'neutral',
      title: 'Inconclusive for 1 suite of 1',
      reasons: ['p: inconclusive. five tries would settle it.'],
    });
    expect(
      decide(gateInput({ suites, settings: gate({ on_inconclusive: 'fail' }) })).conclusion,
    ).toBe('failure');
    expect(
      decide(gateInput({ suites, settings: gate({ on_inconclusive: 'fail', fail_on: 'never' }) }))
        .conclusion,
    ).toBe('neutral');
  });

  test('does not fail under fail_on never, and says why', () => {
    const decision = decide(
      gateInput({
        suites: [suiteResult({ verdict: 'regressed' })],
        settings: gate({ fail_on: 'never' }),
      }),
    );
    expect(decision.conclusion).toBe('neutral');
    expect(decision.reasons).toContain('Not failed, because fail_on is never.');
  });

  test('names removals where there is nothing else', () => {
    const removed = ['p.yaml: a', 'p.yaml: b'];
    expect(decide(gateInput({ suites: [], affected: 0, counted: 0, removed }))).toEqual({
      conclusion: 'neutral',
      title: 'Nothing to run: 2 references removed, newly skipped or quarantined',
      reasons: [
        'No test ran, so there is no verdict.',
        '2 references removed, newly skipped or quarantined: p.yaml: a, p.yaml: b',
      ],
    });
  });

  test('is a success when everything improved', () => {
    expect(decide(gateInput({ suites: [suiteResult({ verdict: 'improved' })] })).conclusion).toBe(
      'success',
    );
  });
});

describe('runs without a verdict', () => {
  test('are errors when more than a tenth of all tries failed to answer, not at a tenth', () => {
    const tries = (errors: number): Outcome[] => [
      ...Array<Outcome>(errors).fill('error'),
      ...Array<Outcome>(19 - errors).fill('pass'),
    ];
    expect(decide(gateInput({ suites: [withHead(tries(2))] })).conclusion).toBe('success');
    const over = decide(gateInput({ suites: [withHead(tries(3), { verdict: 'regressed' })] }));
    expect(over).toMatchObject({
      conclusion: 'error',
      reasons: ['3 of 20 tries ended in an error, so nothing was judged', 'timeout'],
    });
    expect(over.title).toBe('Not judged: 3 of 20 tries ended in an error, so nothing was judged');
  });

  test('are errors when nothing could be judged at all', () => {
    const suites = [
      suiteResult({
        references: [
          referenceResult('a', { base: null, head: sideResult(['ungraded', 'skipped']) }),
        ],
      }),
    ];
    expect(decide(gateInput({ suites }))).toMatchObject({
      conclusion: 'error',
      reasons: [
        '1 of 2 tries have no readable grade and no other was judged, so there is no verdict.',
      ],
    });
    const skipped = [
      suiteResult({
        references: [referenceResult('a', { base: null, head: sideResult(['skipped']) })],
      }),
    ];
    expect(decide(gateInput({ suites: skipped }))).toMatchObject({
      conclusion: 'error',
      reasons: ['No metric judges any answer, so there is no verdict.'],
    });
  });

  test('say so in the reasons when more than a tenth has no readable grade', () => {
    const { reasons, title } = decide(gateInput({ suites: [withHead(['pass', 'ungraded'])] }));
    expect(reasons).toEqual(['p: 1 of 3 tries have no readable grade']);
    expect(title).toBe(
      'No regression in 1 affected reference of 1 suite; 1 of 3 tries have no readable grade',
    );
    const tenth = [...Array<Outcome>(8).fill('pass'), 'ungraded'] as Outcome[];
    expect(decide(gateInput({ suites: [withHead(tenth)] })).title).toBe(
      'No regression in 1 affected reference of 1 suite',
    );
    const long = decide(
      gateInput({
        suites: [withHead(['fail', 'ungraded'], { name: 'n'.repeat(400), verdict: 'regressed' })],
      }),
    ).title;
    expect([long.length, long.endsWith('…; 1 of 3 tries have no readable grade')]).toEqual([
      255,
      true,
    ]);
  });
});

describe('a change of which nothing counts', () => {
  const nothing = { counted: 0, suites: [suiteResult({ verdict: 'unchanged' })] };

  test('is never a success: all skipped, all removed, or all of it unused', () => {
    expect(decide(gateInput(nothing))).toMatchObject({
      conclusion: 'neutral',
      title: 'No test that counts ran, so there is no verdict.',
    });
    const unused = decide(gateInput({ counted: 0, suites: [], affected: 0, unused: true }));
    expect(unused).toEqual({
      conclusion: 'neutral',
      title: 'No test ran, so there is no verdict.',
      reasons: [
        'No test ran, so there is no verdict.',
        'What this pull request changes is not used when it comes from an outside contributor; the notices say what.',
      ],
    });
  });

  test('is still a failure where the settings ask for it, and an error where nothing could be judged', () => {
    expect(
      decide(gateInput({ ...nothing, removed: ['p: a'], settings: gate({ removed: 'fail' }) }))
        .conclusion,
    ).toBe('failure');
    expect(
      decide(gateInput({ counted: 0, suites: [withHead(['error', 'error'])] })).conclusion,
    ).toBe('error');
  });

  test('says nothing of it where other references do count', () => {
    expect(decide(gateInput({ unused: true }))).toMatchObject({
      conclusion: 'success',
      reasons: [],
    });
  });
});

describe('a metric that judged base and none of head', () => {
  const unseen = (changes: Partial<SuiteResult['metrics'][number]> = {}) =>
    decide(
      gateInput({
        suites: [
          withHead(['pass'], {
            metrics: [
              { name: 'has', judged_base: 4, judged_head: 0, base: 1, head: null, ...changes },
            ],
          }),
        ],
      }),
    );

  test('is not a success, and is named', () => {
    const decision = unseen();
    expect(decision.conclusion).toBe('neutral');
    expect(decision.reasons.join()).toContain('the metric has judged 4 answers of base and none');
  });

  test('says nothing where it does not gate', () => {
    expect(unseen({ gates: false }).conclusion).toBe('success');
  });

  test('is not a success where its mean gates, though it is skipped', () => {
    expect(unseen({ gates: false, values: meanThat('fail') }).conclusion).toBe('neutral');
    expect(unseen({ gates: false, values: meanThat('warn') }).conclusion).toBe('success');
  });
});

describe('a check that applies to fewer answers of head than of base', () => {
  const applying = (head: Outcome[], of = 20) =>
    decide(
      gateInput({
        suites: [
          suiteResult({
            references: Array.from({ length: 20 }, (_, at) =>
              referenceResult(`r${String(at)}`, {
                base: sideResult(['pass', 'pass']),
                head: sideResult(at < of ? head : ['pass', 'pass']),
              }),
            ),
            metrics: [{ name: 'ok', judged_base: 40, judged_head: 20, base: 1, head: 1 }],
          }),
        ],
      }),
    );

  test('is no success, and how many it judged is said', () => {
    expect(applying(['pass', 'skipped'])).toMatchObject({
      conclusion: 'neutral',
      title: "p: ok judged 20 of head's 40 tries, 40 of base's 40; the others were skipped",
    });
  });

  test('is one where chance explains it', () => {
    expect(applying(['pass', 'skipped'], 1).conclusion).toBe('success');
  });
});

const meanThat = (word: MetricValues['gate']): MetricValues => ({
  base: 4,
  head: 4,
  difference: 0,
  low: 0,
  high: 0,
  p: 1,
  references: 10,
  gate: word,
  moved: null,
});

describe('a metric whose mean gates and whose numbers head lacks', () => {
  /** Twenty references of two tries; `has` says which of head's have a number. */
  const lacking = (has: (reference: number, index: number) => boolean) => {
    const tries = (side: typeof has, at: number) => {
      const found = sideResult(['pass', 'pass']);
      return {
        ...found,
        tries: found.tries.map((result, index) => ({
          ...result,
          scores: [
            ...result.scores,
            {
              metric: 'tone',
              status: 'pass' as const,
              value: side(at, index) ? 4 : null,
              reason: null,
              skip: true,
            },
          ],
        })),
      };
    };
    const tone = { name: 'tone', base: 1, head: 1, gates: false, values: meanThat('fail') };
    return decide(
      gateInput({
        suites: [
          suiteResult({
            references: Array.from({ length: 20 }, (_, at) =>
              referenceResult(`r${String(at)}`, {
                base: tries(() => true, at),
                head: tries(has, at),
              }),
            ),
            metrics: [{ ...tone, judged_base: 40, judged_head: 40 }],
          }),
        ],
      }),
    );
  };

  test('is not a success, and how many have one is said', () => {
    expect(lacking((at) => at % 2 === 0)).toMatchObject({
      conclusion: 'neutral',
      title:
        'p: gate.metrics wants to compare tone, and 10 of 20 references have a value on head, 20 on base',
    });
    expect(lacking((_, index) => index === 0)).toMatchObject({
      conclusion: 'neutral',
      reasons: [
        "p: gate.metrics wants to compare tone, and 20 of head's 40 tries have a value, 40 of base's 40",
      ],
    });
  });

  test('is one where nearly all have one', () => {
    expect(lacking((at, index) => at > 0 || index > 0).conclusion).toBe('success');
    expect(lacking(() => true).conclusion).toBe('success');
  });
});

describe('further gates', () => {
  test('min_pass_rate is an absolute floor on head', () => {
    const suites = [
      suiteResult({
        pass_rate: { base: 0.7, head: 0.79, difference: 0.09, low: 0, high: 0.1, p: 0.9 },
      }),
    ];
    expect(decide(gateInput({ suites, settings: gate({ min_pass_rate: 0.8 }) }))).toMatchObject({
      conclusion: 'failure',
      reasons: ['p: pass rate 79.0 % is below min_pass_rate 80.0 %'],
    });
    expect(decide(gateInput({ suites, settings: gate({ min_pass_rate: 0.79 }) })).conclusion).toBe(
      'success',
    );
  });

  test('fail_on failure fails on any gating reference whose roll-up fails on head', () => {
    const failing = (skip: boolean) => [
      suiteResult({
        references: [referenceResult('a', { skip, head: sideResult(['fail'], 'fail') })],
      }),
    ];
    expect(
      decide(gateInput({ suites: failing(false), settings: gate({ fail_on: 'failure' }) })).reasons,
    ).toEqual(['p: 1 reference failed on head: a']);
    expect(
      decide(gateInput({ suites: failing(true), settings: gate({ fail_on: 'failure' }) }))
        .conclusion,
    ).toBe('success');
    expect(decide(gateInput({ suites: failing(false) })).conclusion).toBe('success');
  });

  test('a scoring is held to the margin that its suite sets for itself, and to whether that suite may fail', () => {
    const wide = [suiteResult({ path: 'p', name: 'p', gate: { min_drop: 0.2 } })];
    const narrow = [suiteResult({ path: 'p', name: 'p', gate: { min_drop: 0 } })];
    expect(decide(gateInput({ suites: wide, scoring: [scoring(0.12)] })).reasons).toEqual([]);
    expect(decide(gateInput({ suites: wide, scoring: [scoring(0.21)] })).reasons).toHaveLength(1);
    expect(decide(gateInput({ suites: narrow, scoring: [scoring(0.005)] })).reasons).toEqual([
      expect.stringContaining('the new scoring alone raises the pass rate by 0.5 points'),
    ]);
    const strict = gate({ scoring: 'fail' });
    expect(
      decide(gateInput({ suites: wide, scoring: [scoring(0.12)], settings: strict })).conclusion,
    ).toBe('success');
    const never = [suiteResult({ path: 'p', name: 'p', gate: { fail_on: 'never' } })];
    expect(
      decide(gateInput({ suites: never, scoring: [scoring(0.12)], settings: strict })).conclusion,
    ).toBe('neutral');
    expect(
      decide(
        gateInput({
          suites: [suiteResult({ path: 'other', name: 'p', gate: { fail_on: 'never' } })],
          scoring: [scoring(0.12)],
          settings: strict,
        }),
      ).conclusion,
    ).toBe('failure');
  });

  test('a scoring change fails only when the settings ask for it', () => {
    const warned = decide(gateInput({ scoring: [scoring(0.12)] }));
    expect(warned).toMatchObject({
      conclusion: 'success',
      reasons: [expect.stringContaining('review that change first')],
    });
    expect(decide(gateInput({ scoring: [scoring(0.005)] })).reasons).toEqual([]);
    const strict = gate({ scoring: 'fail' });
    expect(decide(gateInput({ scoring: [scoring(-0.12)], settings: strict })).reasons).toEqual([
      'p: the new scoring alone lowers the pass rate by 12.0 points (of the same answers 4 now pass and 0 now fail); gate.scoring is fail',
    ]);
    expect(decide(gateInput({ scoring: [scoring(0.005)], settings: strict })).conclusion).toBe(
      'success',
    );
  });

  test('removed references fail only when the settings ask for it, also when nothing else runs', () => {
    const removed = ['p: a'];
    expect(decide(gateInput({ removed })).conclusion).toBe('success');
    expect(
      decide(gateInput({ removed, affected: 0, suites: [], settings: gate({ removed: 'fail' }) }))
        .conclusion,
    ).toBe('failure');
  });

  test('removed references are named, and of the newly skipped those that got worse', () => {
    const { conclusion, reasons } = decide(
      gateInput({
        removed: ['prompts/p.yaml: gone', 'prompts/p.yaml: broke', 'prompts/p.yaml: holds'],
        suites: [
          suiteResult({
            references: [
              referenceResult('broke', { skip: true, head: sideResult(['fail']) }),
              referenceResult('holds', { skip: true }),
            ],
          }),
        ],
      }),
    );
    expect(conclusion).toBe('success');
    expect(reasons).toEqual([
      '3 references removed, newly skipped or quarantined: prompts/p.yaml: gone, prompts/p.yaml: broke, prompts/p.yaml: holds',
      'newly skipped or quarantined, and worse on head: prompts/p.yaml: broke (1 of 1 passed → 0 of 1 passed)',
    ]);
  });

  test('the title never exceeds what GitHub shows', () => {
    const { title } = decide(
      gateInput({ suites: [suiteResult({ verdict: 'regressed', name: 'x'.repeat(400) })] }),
    );
    expect(title).toHaveLength(255);
  });
});

describe('a suite with a gate of its own', () => {
  const regressed = (name: string, changes: Partial<SuiteResult> = {}): SuiteResult =>
    suiteResult({ name, verdict: 'regressed', summary: 'fell.', ...changes });

  test('that is never to fail keeps its regression out of the conclusion, and the reasons say so', () => {
    const alone = decide(
      gateInput({ suites: [suiteResult(), regressed('draft', { gate: { fail_on: 'never' } })] }),
    );
    expect(alone).toMatchObject({
      conclusion: 'neutral',
      reasons: ['draft regressed: fell.', 'Not failed, because fail_on is never.'],
    });
    const beside = decide(
      gateInput({
        suites: [regressed('draft', { gate: { fail_on: 'never' } }), regressed('math')],
      }),
    );
    expect(beside).toMatchObject({
      conclusion: 'failure',
      reasons: [
        'math regressed: fell.',
        'draft regressed: fell.',
        'The last of these does not count: fail_on is never there.',
      ],
    });
  });

  test('can fail a run that is otherwise never to fail', () => {
    const suites = [regressed('draft'), regressed('money', { gate: { fail_on: 'regression' } })];
    const decision = decide(gateInput({ suites, settings: gate({ fail_on: 'never' }) }));
    expect(decision).toMatchObject({
      conclusion: 'failure',
      reasons: [
        'money regressed: fell.',
        'draft regressed: fell.',
        'The last of these does not count: fail_on is never there.',
      ],
    });
  });

  test('has its own floor, or none', () => {
    const low = {
      pass_rate: { base: 0.7, head: 0.7, difference: 0, low: -0.01, high: 0.01, p: 0.5 },
    };
    const suites = [
      suiteResult({ name: 'strict', ...low, gate: { min_pass_rate: 0.9 } }),
      suiteResult({ name: 'free', ...low, gate: { min_pass_rate: null } }),
    ];
    expect(decide(gateInput({ suites, settings: gate({ min_pass_rate: 0.8 }) })).reasons).toEqual([
      'strict: pass rate 70.0 % is below min_pass_rate 90.0 %',
    ]);
  });

  test('fails on failing references where it says so, and where it is inconclusive does not fail if it is never to', () => {
    const failing = { references: [referenceResult('a', { head: sideResult(['fail'], 'fail') })] };
    const suites = [
      suiteResult({ name: 'one', ...failing, gate: { fail_on: 'failure' } }),
      suiteResult({ name: 'two', ...failing }),
    ];
    expect(decide(gateInput({ suites })).reasons).toEqual(['one: 1 reference failed on head: a']);
    const open = [suiteResult({ verdict: 'inconclusive', gate: { fail_on: 'never' } })];
    expect(
      decide(gateInput({ suites: open, settings: gate({ on_inconclusive: 'fail' }) })).conclusion,
    ).toBe('neutral');
  });
});

describe("a feature's finding", () => {
  const finding = { suite: suiteResult(), text: 'p: a group of inputs regressed' };

  test('fails its suite, and is the reason', () => {
    expect(decide(gateInput({ featureFindings: [finding] }))).toEqual({
      conclusion: 'failure',
      title: finding.text,
      reasons: [finding.text],
    });
  });

  test.each([
    { path: 'other.yaml' },
    { name: 'another prompt of the file' },
    { variant: { model: 'x', parameters: {} } },
  ])('about another suite (%j) does not count', (other) => {
    const featureFindings = [{ ...finding, suite: { ...finding.suite, ...other } }];
    expect(decide(gateInput({ featureFindings })).conclusion).toBe('success');
  });

  test('is held where the suite never fails', () => {
    const suites = [suiteResult({ gate: { fail_on: 'never' } })];
    expect(decide(gateInput({ featureFindings: [finding], suites })).conclusion).toBe('neutral');
  });

  test('that could not be made keeps the run from being a success', () => {
    const unjudged = ['p: its attributes could not be worked out'];
    const { conclusion, title, reasons } = decide(gateInput({ unjudged }));
    expect([conclusion, title, reasons]).toEqual(['neutral', unjudged[0], unjudged]);
  });
});
