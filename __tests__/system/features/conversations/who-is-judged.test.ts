import type { Result } from '../../../../src/kernel/result/result.ts';
import type { Script } from '../../../stand-ins/models/server.ts';
import {
  answersShown,
  DIFF,
  JUDGE,
  openDialogues,
  promptOf,
  questions,
  rows,
  RUN,
  textOf,
  verdict,
} from './dialogue-project.ts';

const suite = (metric: string, count = 8) =>
  `metrics:\n  - ${metric}\nconversation: { max_steps: 3, evaluators: [judge] }\n${questions(count)}`;

const NEVER_SORRY =
  '{ name: never sorry, uses: contains, with: { value: sorry, ignore_case: true, negate: true }, every: true }';

/** Dialogues with three answers. `say` gets the number of the answer, from 1. */
const talking =
  (say: (turn: number) => string, next: (text: string) => string): Script =>
  (request) => {
    if (request.model !== JUDGE)
      return { text: say(request.messages.filter(({ role }) => role === 'user').length) };
    return answersShown(request) >= 3 ? verdict(null) : verdict(next(textOf(request)));
  };

const open = async (metric: string, script: Script, count = 8) =>
  openDialogues(script, { 'prompts/t.yaml': promptOf('You help.', suite(metric, count)) });

const scoreOf = ({ suites }: Result, index = 0) =>
  suites[0]?.references[0]?.head?.tries[0]?.scores.filter(
    ({ metric }) => metric !== 'conversation',
  )[index];

describe('a metric with every', () => {
  test('is not red for a word of the evaluator', async () => {
    const script = talking(
      () => 'Open the settings.',
      (text) =>
        text.includes('You help in steps.') ? 'Sorry, what comes next?' : 'What comes next?',
    );
    const { repository, evaldiff, result } = await open(NEVER_SORRY, script);
    repository.commit('head', {
      'prompts/t.yaml': promptOf('You help in steps.', suite(NEVER_SORRY)),
    });
    const { code, out } = await evaldiff(...DIFF);
    expect(out).not.toContain('fell');
    expect(code).toBe(0);
    const { suites } = await result(...DIFF);
    const found = suites[0]?.metrics.find(({ name }) => name === 'never sorry');
    expect(found?.values).toMatchObject({ base: 1, head: 1 });
    expect(found?.objects).toMatchObject({
      base: { passes: 72, judged: 72 },
      head: { passes: 72 },
    });
  });
});

describe("the user's words", () => {
  const LONG = 'Please tell me in many, many, many words what comes next, step by step by step.';
  const thanks = talking(
    (turn) => `Thanks, step ${turn}.`,
    () => LONG,
  );

  test.each([
    ['all', '{ uses: contains, with: { value: thanks, ignore_case: true }, every: 1 }'],
    [
      'level Message',
      '{ uses: contains, with: { value: thanks, ignore_case: true }, metric_level: Message, every: 1 }',
    ],
    ['word_count', '{ uses: word_count, with: { max: 4 }, every: 1 }'],
    ['length', '{ uses: length, with: { max: 20 }, every: 1 }'],
    ['a pattern', '{ uses: regex, with: { value: "^Thanks" }, every: 1 }'],
    ['string_length of FlexEval', '{ uses: string_length, with: { max: 20 }, every: 1 }'],
    [
      'message_matches_regex of FlexEval',
      '{ uses: message_matches_regex, with: { expression: "^Thanks" }, every: 1 }',
    ],
    ['is_role', '{ uses: is_role, with: { role: assistant }, every: 1 }'],
    [
      'code',
      '{ name: thanks, code: "metric = len(actual)\\nresult = actual[:6] == \'Thanks\'", every: 1 }',
    ],
  ])('are not judged by %s', async (_, metric) => {
    const { result } = await open(metric, thanks, 1);
    expect(scoreOf(await result(...RUN))).toMatchObject({
      status: 'pass',
      reason: null,
      objects: { scores: [{ at: 0 }, { at: 1 }, { at: 2 }] },
    });
  });

  test('are not graded: a rubric takes one grade for each answer', async () => {
    const graded: string[] = [];
    const script: Script = (request) => {
      const isGrade = request.schema?.name === 'grade';
      if (isGrade) graded.push(textOf(request));
      return isGrade ? { text: '{"reasons": "r", "choice": "YES"}' } : thanks(request);
    };
    const { repository, result } = await open('{ rubric: kind, every: 1 }', script, 1);
    repository.write({
      'rubrics/kind.yaml':
        'kind: { prompt: "Is it kind? {content}", choice_scores: { "YES": 1, "NO": 0 }, better: higher }\n',
    });
    expect(scoreOf(await result(...RUN))).toMatchObject({ status: 'pass', value: 1 });
    expect(graded).toHaveLength(3);
    for (const text of graded) expect(text).toMatch(/<<<content \S+>>>\nassistant: Thanks/);
  });

  test('are judged with of: user alone, and with of: both beside the answers', async () => {
    const metrics = ['user', 'both']
      .map((of) => `{ name: ${of}, uses: contains, with: { value: many }, every: true, of: ${of} }`)
      .join('\n  - ');
    const { result } = await open(metrics, thanks, 1);
    const found = await result(...RUN);
    expect(scoreOf(found)?.reason).toBe('2 of 3 turns pass; turn 1: lacks "many"');
    expect(scoreOf(found, 1)?.objects?.scores).toHaveLength(6);
  });

  test('meet conditions of the turn before', async () => {
    const asked =
      '{ name: asked, uses: contains, with: { value: many }, of: user, every: true, skip: true }';
    const metric = (position: string) =>
      `${asked}\n  - { uses: contains, with: { value: step }, every: 1, depends_on: [{ name: asked, metric_min_value: 1${position} }] }`;
    const { result } = await open(metric(', relative_object_position: -1'), thanks, 1);
    const scores = scoreOf(await result(...RUN), 1)?.objects?.scores;
    expect(scores?.map(({ status }) => status)).toEqual(['skipped', 'pass', 'pass']);
    const lacking = await open(metric(''), thanks, 1);
    const { code, out } = await lacking.evaldiff('validate');
    expect(code).not.toBe(0);
    expect(out).toContain('add relative_object_position: -1 for the turn before');
  });

  test('of a recording are not judged', async () => {
    const turns = (word: string) => [
      { role: 'user', content: 'sorry, where?' },
      { role: 'assistant', content: `${word} here` },
      { role: 'user', content: 'sorry, when?' },
      { role: 'assistant', content: 'now' },
    ];
    const { result } = await openDialogues(() => ({ text: 'unused' }), {
      'prompts/t.yaml': promptOf(
        'You help.',
        'metrics: [{ uses: contains, with: { value: sorry, negate: true }, every: 1 }]\nreferences_from: { file: ../d.jsonl }\n',
        '',
      ),
      'd.jsonl': rows([{ id: 'd1', input: turns('right') }]),
    });
    expect(scoreOf(await result(...RUN))).toMatchObject({ status: 'pass', reason: null });
  });
});
