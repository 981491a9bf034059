import { soleJudge } from '../../../../src/app/run/sole-judge.ts';
import { conversationSuite } from '../../../../src/features/conversations/answerer.ts';
import type { LabelledAnswer } from '../../../../src/features/conversations/conversation-rules.ts';
import type { Project } from '../../../../src/project/settings.ts';
import type { Rubric } from '../../../../src/types/metric.ts';
import type { Message, Request } from '../../../../src/types/model.ts';
import { inTerminal } from '../../../stand-ins/reports.ts';
import { metric, project, reference, settings, tests } from '../../../unit/app/run/builders.ts';
import { conversation, verdict } from '../../../unit/features/conversations/dialogues.ts';
import { NEW, OLD, example, fenced, rubricOf, runPipeline, shop } from '../../app/run/pipeline.ts';

const PER_KIND = 20;

/** Answers labelled good or bad. The grader is wrong on those with `odd`. */
function labelled(odd: number) {
  return Array.from({ length: PER_KIND }, (_, index) => [
    example(`good ${index < odd ? 'odd ' : ''}${index}`, 'YES'),
    example(`bad ${index < odd ? 'odd ' : ''}${index}`, 'NO'),
  ]).flat();
}

const side = (content: string, examples: Rubric['examples'], metrics = [METRIC]) => {
  const rubric = rubricOf('Is it right? {content}', { examples });
  return project([shop(content, 30, { tests: { metrics } })], {
    settings: settings({
      grader: { model: 'gpt-4o', parameters: {}, place: { file: 'evaldiff.yaml', line: 2 } },
    }),
    rubrics: new Map([[rubric.name, rubric]]),
  });
};

const METRIC = metric('kind', { source: { kind: 'rubric', rubric: 'polite' } });

/** Head's answers to references below `broken` are bad. */
const world =
  (broken: number) =>
  ({ purpose }: Request, text: string): string => {
    if (purpose === 'prompt')
      return text.startsWith('New') && Number(text.slice(-2)) < broken ? 'bad' : 'good';
    const content = fenced(text, 'content');
    return content.includes('good') === content.includes('odd') ? 'NO' : 'YES';
  };

const compare = (examples: Rubric['examples'], broken: number) =>
  runPipeline(side(OLD, examples), side(NEW, examples), world(broken));

describe('a suite judged only by a rubric with labelled examples', () => {
  test('shows corrected rates and their difference next to the observed ones', async () => {
    const { result } = await compare(labelled(2), 15);
    const [suite] = result.suites;
    expect(suite).toMatchObject({ verdict: 'regressed', pass_rate: { base: 1, head: 0.5 } });
    const error = suite!.grader_error!;
    const seen = { right: 18, n: 20 };
    expect(error).toMatchObject({ metric: 'kind', kind: 'corrected', good: seen, bad: seen });
    // 19 of 22 per label, so the observed difference is 16/22 of the real one.
    expect(error.difference!.difference).toBeCloseTo(-0.5 / (16 / 22), 10);
    expect(error.difference!.low).toBeLessThan(suite!.pass_rate.low! / (16 / 22));
    expect(error.base!.high).toBe(1);
    expect(error.head!.low).toBeLessThan(0.5);
    expect(result.graders).toHaveLength(1);
    const shown = inTerminal(result, 300);
    expect(shown).toContain('corrected for grader errors, 1 suite');
    expect(shown).toContain('18 of 20 good, 18 of 20 bad');
  });

  test("has the same verdict as without examples, and says if the difference is within the grader's error", async () => {
    const [plain, known] = [await compare([], 8), await compare(labelled(8), 8)];
    expect(known.result.conclusion).toBe('failure');
    expect(known.result.conclusion).toBe(plain.result.conclusion);
    expect(known.result.outcome).toEqual(plain.result.outcome);
    const [suite] = known.result.suites;
    expect(suite!.pass_rate).toEqual(plain.result.suites[0]!.pass_rate);
    expect(suite!.grader_error!.kind).toBe('within error');
    expect(inTerminal(known.result, 300)).toContain(
      "the difference is within the grader's own error of about 40.9 %",
    );
    expect(plain.result.suites[0]).not.toHaveProperty('grader_error');
  });

  test('has no correction and says so if its grader does no better than chance', async () => {
    const { result } = await compare(labelled(PER_KIND / 2), 15);
    const nothing = { wrong: null, base: null, head: null, difference: null };
    expect(result.suites[0]!.grader_error).toMatchObject({
      ...{ kind: 'no better than chance', ...nothing },
    });
    expect(inTerminal(result, 300)).toContain('no better than chance');
  });

  test('does not grade examples if another metric also judges or all labels are equal', async () => {
    const two = [METRIC, metric('exact', { source: METRIC.source })];
    const sides = [side(OLD, labelled(1), two), side(NEW, labelled(1), two)] as const;
    const mixed = await runPipeline(...sides, world(0));
    expect(mixed.result.graders).toEqual([]);
    const alike = labelled(1).filter(({ expected }) => expected === 'YES');
    const { result } = await compare(alike, 15);
    expect(result.graders).toEqual([]);
    expect(result.suites[0]).not.toHaveProperty('grader_error');
  });
});

describe('a suite whose rubric judges every turn', () => {
  const references = Array.from({ length: 30 }, (_, index) =>
    reference(`r${String(index).padStart(2, '0')}`, {
      thread: [
        { role: 'user', content: 'a good question' },
        { role: 'assistant', content: 'a good answer' },
        { role: 'user', content: `and the good ${String(index).padStart(2, '0')}` },
      ],
    }),
  );

  const dialogues = (content: string, every?: number): Project => {
    const given = side(content, labelled(2), [{ ...METRIC, ...(every && { every }) }]);
    return {
      ...given,
      suites: given.suites.map((suite) => ({
        ...suite,
        prompt: {
          ...suite.prompt,
          messages: suite.prompt.messages.map((message) => ({
            ...message,
            role: 'system' as const,
          })),
        },
        tests: { ...suite.tests, references },
      })),
    };
  };

  test('corrects the pass rate of its turns, not of its dialogues', async () => {
    const reply = ({ purpose, messages }: Request, text: string): string => {
      if (purpose !== 'prompt') return fenced(text, 'content').includes('odd') ? 'NO' : judge(text);
      const [system] = messages;
      return system?.content.startsWith('New') && Number(text.slice(-2)) < 15 ? 'bad' : 'good';
    };
    const judge = (text: string): string =>
      fenced(text, 'content').includes('good') ? 'YES' : 'NO';
    const { result } = await runPipeline(dialogues(OLD, 1), dialogues(NEW, 1), reply);
    const [suite] = result.suites;
    expect(suite?.pass_rate).toMatchObject({ base: 1, head: 0.5 });
    const { objects, difference, head } = suite!.grader_error!;
    // In half of the dialogues one of the assistant's two turns is bad.
    expect(objects).toEqual({ level: 'Turn', base: 1, head: 0.75 });
    const right = 19 / 22 + 21 / 22 - 1;
    expect(difference!.difference).toBeCloseTo(-0.25 / right, 10);
    expect(head!.rate).toBeGreaterThan(0.6);
    const shown = inTerminal(result, 300);
    expect(shown).toMatch(/p, by turn\s+100\.0 % → 75\.0 %/);
  });
});

describe('evaluators with labelled answers as the only judges of a suite', () => {
  const dialogue = (accepted: boolean, odd: boolean): LabelledAnswer => ({
    messages: [
      { role: 'user', content: 'What is it?' },
      { role: 'assistant', content: `${accepted ? 'good' : 'bad'}${odd ? ' odd' : ''}` },
    ],
    accepted,
    place: { file: 'prompts/tests/p.yaml', line: 9 },
  });

  const examples = Array.from({ length: PER_KIND }, (_, index) => [
    dialogue(true, index < 2),
    dialogue(false, index < 2),
  ]).flat();

  const led = (content: string, max_steps: number) =>
    project([
      shop(content, 30, {
        tests: {
          metrics: [],
          own: conversationSuite(conversation({ max_steps, examples, models: ['gpt-4o'] })),
        },
      }),
    ]);

  const reply = (request: Request, text: string) =>
    request.purpose === 'evaluator'
      ? verdict(text.includes('good') === text.includes('odd') ? 'yyn' : 'yyy', 'And then?')
      : world(15)(request, text);

  test("are tested on these answers, and their error rate corrects the suite's pass rate", async () => {
    const { result, calls } = await runPipeline(led(OLD, 1), led(NEW, 1), reply);
    const [suite] = result.suites;
    expect(suite?.pass_rate).toMatchObject({ base: 1, head: 0.5 });
    expect(suite?.grader_error).toMatchObject({
      metric: 'conversation',
      kind: 'corrected',
      good: { right: 18, n: 20 },
      bad: { right: 18, n: 20 },
    });
    expect(suite?.grader_error?.difference?.difference).toBeCloseTo(-0.5 / (16 / 22), 10);
    expect(result.evaluators).toHaveLength(1);
    expect(calls('evaluator')).toBe(examples.length + 2 * 30 * 3);
  });

  test('are not tested, and the pass rate is not corrected, if dialogues have several answers', async () => {
    const { result, calls } = await runPipeline(led(OLD, 2), led(NEW, 2), reply);
    expect(result.suites[0]).not.toHaveProperty('grader_error');
    expect(result.evaluators).toBeUndefined();
    expect(calls('evaluator')).toBe(75 * 3);
  });

  test.each([
    ['one recorded answer', ['user', 'assistant'], true],
    ['an answer after a greeting', ['assistant', 'user', 'assistant'], true],
    ['two recorded answers', ['user', 'assistant', 'user', 'assistant'], false],
    ['an answer yet to come', ['user', 'assistant', 'user'], false],
  ])('count as such only if a dialogue has one recorded answer: %s %s', (_, roles, alone) => {
    const thread = roles.map((role) => ({ role, content: 'said' }) as Message);
    const found = soleJudge(
      tests({
        metrics: [],
        own: conversationSuite(conversation()),
        references: [reference('a', { thread })],
      }),
    );
    expect(found).toEqual(alone ? { kind: 'own', score: 'conversation' } : null);
  });
});
