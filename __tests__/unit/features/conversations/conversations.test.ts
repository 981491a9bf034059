import { gradeEvaluators } from '../../../../src/features/conversations/evaluator-tests.ts';
import type {
  ConversationOutcome,
  ConversationResult,
  ConversationSummary,
  CriterionWord,
  PairedMean,
} from '../../../../src/features/conversations/result.ts';
import type { SideResult, TryResult } from '../../../../src/kernel/result/reference-result.ts';
import { COMMENT_LIMIT } from '../../../../src/report/comment.ts';
import { markdownOf } from '../../../../src/report/markdown.ts';
import { COMMENT_LEVELS } from '../../../../src/report/sections/detail.ts';
import { NO_LINKS } from '../../../../src/report/sections/document.ts';
import type { Score } from '../../../../src/types/metric.ts';
import { COMMENT_ELEMENTS, renderGithub } from '../../../stand-ins/github-markdown.ts';
import { hostileTexts } from '../../../stand-ins/hostile-text.ts';
import {
  annotations,
  renderComment,
  sectionBlocks,
  renderTerminal,
} from '../../../stand-ins/reports.ts';
import { expectGolden } from '../../report/golden.ts';
import { referenceOf, resultOf, sideOfTries, suiteOf, tryOf } from '../../report/results.ts';

const CRITERIA = ['understanding', 'correctness', 'completeness'];
const marker = '<!-- evaldiff -->';

/** A dialogue; each turn is a question, an answer and one letter per criterion. */
function talk(
  outcome: ConversationOutcome,
  ...turns: [string, string | null, string][]
): ConversationResult {
  return {
    outcome,
    turns_to: { understanding: 1, correctness: null, completeness: null },
    turns: turns.map(([question, answer, letters], index) => ({
      question,
      answer,
      asked_by: index === 0 ? null : 'gpt-4o',
      verdicts:
        letters === ''
          ? []
          : [
              {
                evaluator: 'gpt-4o',
                analysis: `What was said about: ${question}`,
                follow_up: letters.includes('n') ? `After ${question}` : null,
                words: Object.fromEntries(
                  CRITERIA.map((name, at): [string, CriterionWord] => [
                    name,
                    letters[at] === 'y' ? 'yes' : 'no',
                  ]),
                ),
              },
            ],
      satisfied:
        letters === ''
          ? null
          : Object.fromEntries(CRITERIA.map((name, at) => [name, letters[at] === 'y'])),
    })),
  };
}

function tried(index: number, conversation: ConversationResult): TryResult {
  const { outcome, turns } = conversation;
  const error = outcome.endsWith('_error');
  const scores: Score[] = error
    ? []
    : [
        {
          metric: 'conversation',
          status: outcome === 'complete' ? 'pass' : 'fail',
          value: turns.length,
          reason: outcome === 'complete' ? null : `${outcome}: no steps left; not met: correctness`,
          skip: false,
        },
      ];
  return {
    ...tryOf(
      index,
      error ? 'error' : outcome === 'complete' ? 'pass' : 'fail',
      turns.at(-1)?.answer ?? null,
      scores,
    ),
    conversation,
  };
}

const side = (...dialogues: ConversationResult[]): SideResult =>
  sideOfTries(dialogues.map((conversation, index) => tried(index, conversation)));

const ASK = 'How do I sort a list of names?';
const quick = talk('complete', [ASK, 'Use sorted(names).', 'yyy']);
const long = talk(
  'complete',
  [ASK, 'Use sort.', 'yyn'],
  [`After ${ASK}`, 'names.sort() sorts in place.', 'yyy'],
);
const failed = talk(
  'max_steps',
  [ASK, 'Write a bubble sort.', 'ynn'],
  [`After ${ASK}`, 'Try quicksort.', 'ynn'],
);
const failedLong = talk(
  'max_steps',
  [ASK, `Write a bubble sort. ${'It is simple. '.repeat(40)}`, 'ynn'],
  [`After ${ASK}`, 'Try merge sort.', 'ynn'],
);

const mean = (base: number | null, head: number | null, n: number, half = 0.1): PairedMean => {
  const difference = base === null || head === null ? null : head - base;
  return {
    base,
    head,
    n,
    difference,
    low: difference === null ? null : difference - half,
    high: difference === null ? null : difference + half,
  };
};
const summary: ConversationSummary = {
  max_steps: 5,
  evaluators: ['gpt-4o', 'claude-sonnet'],
  criteria: CRITERIA.map((name) => ({ name, combine: 'all' })),
  outcomes: {
    base: { complete: 195, max_steps: 2, no_follow_up: 3, evaluator_error: 0, model_error: 0 },
    head: { complete: 162, max_steps: 34, no_follow_up: 4, evaluator_error: 0, model_error: 0 },
  },
  completed: mean(0.975, 0.81, 200, 0.046),
  turns: mean(1.2516, 2.0377, 159, 0.17),
  turns_to: CRITERIA.map((criterion) => ({
    criterion,
    turns: { ...mean(1, 1, 190), low: null, high: null },
    reached: mean(0.98, 0.9, 200),
  })),
};

const says = (evaluator: string, letters: string) => ({
  evaluator,
  analysis: null,
  follow_up: null,
  words: Object.fromEntries(
    CRITERIA.map((name, at): [string, CriterionWord] => [name, letters[at] === 'y' ? 'yes' : 'no']),
  ),
});
function graded(side: 'base' | 'head', ...words: [boolean, string, string][]) {
  return {
    path: 'prompts/mentor.yaml',
    name: 'mentor',
    side,
    criteria: CRITERIA,
    examples: words.length,
    grades: gradeEvaluators(
      ['gpt-4o', 'claude-sonnet'],
      summary.criteria,
      words.map(([accepted, one, other]) => ({
        accepted,
        verdicts: [says('gpt-4o', one), ...(other === '' ? [] : [says('claude-sonnet', other)])],
      })),
    ),
  };
}

function mentor() {
  const reference = referenceOf('sort', 'regressed', {
    file: 'prompts/tests/mentor.yaml',
    line: 9,
    input: { question: ASK },
    base: side(long, quick, quick),
    head: side(failedLong, failed, failed),
  });
  const broken = referenceOf('cut-short', 'error', {
    file: 'prompts/tests/mentor.yaml',
    line: 12,
    input: { question: 'Hm?' },
    base: side(quick),
    head: side(talk('model_error', ['Hm?', null, ''])),
  });
  const suite = suiteOf('mentor', [reference, broken], {
    verdict: 'regressed',
    because: [{ key: 'messages', file: 'prompts/mentor.yaml' }],
    half: 0,
    conversation: summary,
  });
  return resultOf({
    conclusion: 'failure',
    title: 'Regressed: mentor',
    reasons: [{ code: 'words', text: 'mentor regressed' }],
    suites: [suite],
    evaluators: [
      graded(
        'base',
        [true, 'yyy', 'yyy'],
        [true, 'yyy', 'yyn'],
        [false, 'yyy', 'ynn'],
        [false, 'ynn', 'ynn'],
      ),
      graded(
        'head',
        [true, 'yyy', 'yyy'],
        [true, 'yyy', 'yyy'],
        [false, 'ynn', ''],
        [false, 'ynn', 'ynn'],
      ),
    ],
  });
}

describe('regressed conversation in a comment', () => {
  const body = renderComment(mentor(), { marker });

  test('is rendered as in fixtures/comments', () => {
    expectGolden('conversations', body);
  });

  test('shows both dialogues side by side after their equal turns', () => {
    const opening = (...more: [string, string | null, string][]): ConversationResult =>
      talk('max_steps', [ASK, 'Which language?', 'ynn'], ...more);
    const reference = referenceOf('sort', 'regressed', {
      base: side({ ...opening(['Python.', 'Use sorted(names).', 'yyy']), outcome: 'complete' }),
      head: side(opening(['Python.', 'Write a bubble sort.', 'ynn'])),
    });
    const shown = renderComment(
      resultOf({
        conclusion: 'failure',
        suites: [suiteOf('mentor', [reference], { verdict: 'regressed' })],
      }),
      { marker },
    );
    expect(shown).toContain('After 1 equal turn that began with `How do I sort a list of names?`:');
    expect(shown).not.toContain('Which language?');
    const row = shown.split('\n').find((line) => line.includes('Use sorted(names).')) ?? '';
    expect(row).toContain('Write a bubble sort.');
    expect(row.indexOf('Use sorted(names).')).toBeLessThan(row.indexOf('Write a bubble sort.'));
    expect(row).toContain('<b>Question 2</b>');
    expect(row).not.toContain('<b>Question 1</b>');
  });
});

describe('conversations in reports other than the comment', () => {
  test('fit the width of the terminal', () => {
    const lines = renderTerminal(mentor(), { width: 80, colour: false }).split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.join('\n')).toContain('Conversations');
  });

  test('are shown in the annotation of a reference, with their last answers', () => {
    const [, onReference] = annotations(mentor(), [
      {
        path: 'prompts/mentor.yaml',
        basePath: null,
        lines: [{ start: 1, end: 1 }],
        deleted: false,
      },
      {
        path: 'prompts/tests/mentor.yaml',
        basePath: null,
        lines: [{ start: 9, end: 9 }],
        deleted: false,
      },
    ]);
    expect(onReference?.message).toContain(
      'conversation: fail, max_steps: no steps left; not met: correctness',
    );
  });

  test('show one side in a sweep', () => {
    const head = side(quick);
    const oneSided = (value: number, n: number): PairedMean => ({
      base: null,
      head: value,
      difference: null,
      low: null,
      high: null,
      n,
    });
    const suite = suiteOf('mentor', [referenceOf('sort', 'pass', { head })], {
      conversation: {
        ...summary,
        outcomes: { base: null, head: summary.outcomes.head },
        completed: oneSided(0.81, 200),
        turns: oneSided(2.0556, 162),
        turns_to: [],
      },
    });
    const text = renderTerminal(resultOf({ mode: 'sweep', base: null, suites: [suite] }), {
      width: 100,
      colour: false,
    });
    expect(text).toMatch(/Completed\s+81\.0 %\s+200/);
    expect(text).toMatch(/Turns, where completed\s+2\.06\s+162/);
    expect(text).toContain('How tries ended: complete 162, max_steps 34, no_follow_up 4.');
    // Variants of one prompt have different names.
    const other = { ...suite, variant: { ...suite.variant, model: 'other' } };
    const both = resultOf({ mode: 'sweep', base: null, suites: [suite, other] });
    expect(renderTerminal(both, { width: 100, colour: false })).toContain(
      'mentor (other, temperature 0): up to ',
    );
    expect(renderTerminal(both, { width: 200, colour: false })).toMatch(
      /Completed +Turns\n[─ ]+\n *1 .* 81\.0 % +2\.06\n/,
    );
  });
});

describe('hostile dialogues', () => {
  const texts = Object.values(hostileTexts);
  const hostile = () => {
    const all = texts.map((text): ConversationResult => {
      const one = talk('no_follow_up', [text, text, 'ynn'], [text, text, 'ynn']);
      return {
        ...one,
        turns: one.turns.map((turn) => ({
          ...turn,
          asked_by: text,
          verdicts: turn.verdicts.map((verdict) => ({
            ...verdict,
            evaluator: text,
            analysis: text,
            follow_up: text,
          })),
          satisfied: { [text]: false },
        })),
      };
    });
    const references = all.map((conversation, index) =>
      referenceOf(`r${index}`, 'regressed', {
        base: side(conversation),
        head: side(conversation),
      }),
    );
    const { evaluators = [] } = mentor();
    return resultOf({
      conclusion: 'failure',
      suites: [
        suiteOf('s', references, {
          verdict: 'regressed',
          conversation: {
            ...summary,
            evaluators: texts,
            turns_to: texts.map((criterion) => ({
              criterion,
              turns: mean(1, 2, 3),
              reached: mean(1, 0.5, 3),
            })),
          },
        }),
      ],
      evaluators: texts.flatMap((text, index) =>
        evaluators.map((evaluator) => ({
          ...evaluator,
          path: `${text}${index}`,
          name: text,
          criteria: [text],
          grades: evaluator.grades.map((grade) => ({ ...grade, evaluators: [text] })),
        })),
      ),
    });
  };

  test.each(COMMENT_LEVELS.map((level, index): [number, typeof level] => [index, level]))(
    'stay text in a comment at detail level %i',
    (_, level) => {
      const rendered = renderGithub(markdownOf(sectionBlocks(hostile(), level), NO_LINKS));
      expect(rendered.elements.filter((name) => !COMMENT_ELEMENTS.has(name))).toEqual([]);
      expect([
        ...rendered.images,
        ...rendered.comments,
        ...rendered.references,
        ...rendered.links,
      ]).toEqual([]);
      expect(rendered.outside).not.toMatch(/evil\.example|alert\(1\)/);
      expect(rendered.text).not.toMatch(/[\p{Cs}\p{Bidi_Control}\u200b\u200d\ufeff]/u);
    },
  );

  test('of any length fit into a comment', () => {
    const talks = Array.from({ length: 50 }, (_, index): [string, string, string] => [
      `Question ${index} ${'?'.repeat(3_000)}`,
      'word '.repeat(2_000),
      'ynn',
    ]);
    const references = Array.from({ length: 40 }, (_, index) =>
      referenceOf(`r${index}`, 'regressed', {
        base: side(quick),
        head: side(talk('max_steps', ...talks)),
      }),
    );
    const result = resultOf({
      conclusion: 'failure',
      suites: [suiteOf('s', references, { verdict: 'regressed', conversation: summary })],
    });
    expect(renderComment(result, { marker }).length).toBeLessThanOrEqual(COMMENT_LIMIT);
  });
});
