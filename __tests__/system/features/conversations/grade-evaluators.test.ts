import type { EvaluatorResult } from '../../../../src/features/conversations/result.ts';
import type { Script } from '../../../stand-ins/models/server.ts';
import { gradeIn } from '../graders/graded.ts';

const FILES = {
  'evaldiff.yaml':
    'models:\n  assistant: { provider: openai, endpoint: local, model: assistant-1 }\n  strict: { provider: openai, endpoint: local, model: strict-1 }\n  kind: { provider: openai, endpoint: local, model: kind-1 }\n',
  'prompts/mentor.yaml':
    'defaults: [tests/mentor]\nname: mentor\nmodel: assistant\nvariables: [q]\nmessages: [{ role: human, content: "{q}" }]\n',
  'prompts/plain.yaml':
    'name: plain\nmodel: assistant\nvariables: [q]\nmessages: [{ role: human, content: "{q}" }]\ntests: { metrics: [{ uses: is_json }], references: [{ input: { q: a } }] }\n',
  'prompts/tests/mentor.yaml': `conversation:
  evaluators: [strict, kind]
  criteria: { correctness: all, completeness: any }
  examples:
    - { question: How?, answer: a-good-answer, accepted: true }
    - { question: How?, answer: a-fair-answer, accepted: true }
    - { question: How?, answer: a-poor-answer, accepted: false }
  examples_from: ../../data/answers.csv
references: [{ input: { q: How? } }]
`,
  'data/answers.csv': 'question,answer,accepted\nHow?,a-wrong-answer,false\n',
};

const grade = (args: readonly string[], answer: Script, files: Record<string, string> = {}) =>
  gradeIn({ ...FILES, ...files }, args, answer);

/**
 * Both evaluators reject wrong answers. The kind one accepts poor answers, the strict one only good
 * ones.
 */
const opinion: Script = ({ model, messages }) => {
  const text = messages.at(-1)?.content ?? '';
  const correct =
    !text.includes('a-wrong-answer') && (model === 'kind-1' || !text.includes('a-poor-answer'));
  const complete = text.includes('a-good-answer') || (model === 'kind-1' && correct);
  const word = (yes: boolean): string => (yes ? 'yes' : 'no');
  return {
    text: JSON.stringify({
      analysis: 'So.',
      correctness: word(correct),
      completeness: word(complete),
      follow_up: '',
    }),
  };
};

describe('evaldiff grade on a conversation', () => {
  test('asks every evaluator about every labelled answer, and grades each evaluator alone and all combined', async () => {
    const { code, out, models } = await grade(['mentor', '--json'], opinion);
    expect([code, models.requests.length, models.refused]).toEqual([0, 8, []]);
    const result = JSON.parse(out) as EvaluatorResult;
    expect(result).toMatchObject({
      path: 'prompts/mentor.yaml',
      name: 'mentor',
      criteria: ['correctness', 'completeness'],
      examples: 4,
    });
    const rows = result.grades.map(({ evaluators, accepted, rejected, balanced_accuracy }) => [
      evaluators.join('+'),
      accepted.criteria['correctness']?.yes,
      accepted.all.yes,
      rejected.criteria['correctness']?.yes,
      rejected.all.yes,
      balanced_accuracy?.value,
    ]);
    expect(rows).toEqual([
      ['strict', 2, 1, 0, 0, 0.75],
      ['kind', 2, 2, 1, 1, 0.75],
      ['strict+kind', 2, 2, 0, 0, 1],
    ]);
  });

  test('prints a table that fits the terminal and makes no model calls for answers', async () => {
    const { out, models } = await grade(['mentor'], opinion);
    expect(out).toContain(
      'mentor: share of yes on accepted vs rejected answers, 4 labelled answers',
    );
    expect(out).toMatch(/strict \+ kind/);
    expect(out).toContain('100.0 % vs 0.0 %');
    expect(out.split('\n').filter((line) => line.length > 120)).toEqual([]);
    expect(
      models.requests.map(({ model }) => model).filter((model) => model === 'assistant-1'),
    ).toEqual([]);
  });

  test('counts unreadable verdicts of an evaluator separately', async () => {
    const { out } = await grade(['mentor', '--json'], (request) =>
      request.model === 'strict-1' && request.messages.at(-1)?.content.includes('a-poor') === true
        ? { text: 'Hm.' }
        : opinion(request),
    );
    const { grades } = JSON.parse(out) as EvaluatorResult;
    expect(grades.map(({ unread, rejected }) => [unread, rejected.all.n])).toEqual([
      [1, 1],
      [0, 2],
      [1, 1],
    ]);
  });

  test.each([
    [
      'a name that is nowhere',
      ['mentr'],
      {},
      'there is no rubric "mentr", nor a prompt of that name; did you mean "mentor"?',
    ],
    [
      'a prompt without a conversation',
      ['plain'],
      {},
      'prompts/plain.yaml: the prompt "plain" has no labels; add examples under its conversation',
    ],
    [
      'a conversation without labelled answers',
      ['mentor'],
      {
        'prompts/tests/mentor.yaml':
          'conversation: { evaluators: [strict] }\nreferences: [{ input: { q: a } }]\n',
      },
      'prompts/tests/mentor.yaml:1: the prompt "mentor" has no labelled answers to test its evaluators; add some: examples: [{ question: "…", answer: "…", accepted: true }]',
    ],
    [
      'an evaluator without a provider',
      ['mentor'],
      {
        'evaldiff.yaml':
          'models: { assistant: { provider: openai, endpoint: local }, strict: { provider: openai, endpoint: local } }\n',
      },
      'prompts/tests/mentor.yaml:2: it is unknown which provider has the model "kind"',
    ],
    [
      'an evaluator that is a program',
      ['mentor'],
      {
        'evaldiff.yaml': FILES['evaldiff.yaml'].replace(
          'kind: { provider: openai, endpoint: local, model: kind-1 }',
          'kind: { provider: program, command: [node, app.mjs] }',
        ),
      },
      'prompts/tests/mentor.yaml:1: "kind" is a program of this repository. It runs only with --code host.',
    ],
  ])('makes no model calls because of %s and says what to fix', async (_, args, files, message) => {
    const { code, out, err, models } = await grade(args, opinion, files);
    expect([code, out, models.requests.length]).toEqual([2, '', 0]);
    expect(err).toContain(message);
  });
});
