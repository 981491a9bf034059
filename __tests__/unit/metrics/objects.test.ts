import {
  countObjects,
  dialogueObjects,
  objectScore,
  scoreOfObjects,
} from '../../../src/metrics/objects.ts';
import { callsOf, textOf } from '../../../src/types/answer.ts';
import type {
  JudgedSide,
  Metric,
  MetricLevel,
  ObjectScore,
  Score,
} from '../../../src/types/metric.ts';
import type { Message } from '../../../src/types/model.ts';
import type { Json } from '../../../src/types/plain.ts';
import { sample } from './samples.ts';

const thread: Message[] = [
  { role: 'system', content: 'Tutor.' },
  { role: 'user', content: 'u1' },
  { role: 'assistant', content: 'a1', tool_calls: [{ name: 'plot', arguments: '{}' }] },
  { role: 'assistant', content: 'a2', tool_calls: [{ name: 'show', arguments: '{}' }] },
  { role: 'user', content: 'u2' },
  { role: 'assistant', content: 'a3' },
];
const dialogue = sample('a3', { messages: thread.slice(0, -1), thread });
const shown = (level: MetricLevel, of?: JudgedSide) =>
  dialogueObjects(dialogue, { level, ...(of && { of }) }).map(
    ({ message, answer: { completion, messages, thread: upTo } }) => [
      message,
      textOf(completion),
      messages.map(({ content }) => content).join(' '),
      upTo.length,
      callsOf(completion)
        .map(({ name }) => name)
        .join(' '),
    ],
  );

describe('judged objects of a dialogue', () => {
  test("are the assistant's by default, whose answer is the last text of a turn", () => {
    expect(shown('Turn')).toEqual([
      [2, 'a2', 'Tutor. u1', 4, 'plot show'],
      [4, 'a3', 'Tutor. u1 a1 a2 u2', 6, ''],
    ]);
    expect(shown('Message').map(([, output]) => output)).toEqual(['a1', 'a2', 'a3']);
  });

  test("are the user's if asked for", () => {
    expect(shown('Turn', 'user').map(([at, output]) => [at, output])).toEqual([
      [0, 'u1'],
      [3, 'u2'],
    ]);
    expect(shown('Message', 'user').map(([, output]) => output)).toEqual(['u1', 'u2']);
  });

  test('are turns with their previous messages and tool calls at level Turn', () => {
    expect(shown('Turn', 'both')).toEqual([
      [0, 'u1', 'Tutor.', 2, ''],
      [2, 'a1\na2', 'Tutor. u1', 4, 'plot show'],
      [3, 'u2', 'Tutor. u1 a1 a2', 5, ''],
      [4, 'a3', 'Tutor. u1 a1 a2 u2', 6, ''],
    ]);
  });

  test('are messages, tool calls or the whole dialogue at the other levels', () => {
    expect(shown('Message', 'both').map(([, output]) => output)).toEqual([
      'u1',
      'a1',
      'a2',
      'u2',
      'a3',
    ]);
    const calls = shown('ToolCall');
    expect(calls.map(([message, output, , , names]) => [message, output, names])).toEqual([
      [1, 'a1', 'plot'],
      [2, 'a2', 'show'],
    ]);
    expect(dialogueObjects(dialogue, { level: 'Thread', of: 'both' })).toEqual([
      { message: 4, answer: dialogue },
    ]);
  });

  test('end with the final answer, including its tokens and latency', () => {
    expect(dialogueObjects(dialogue, { level: 'Turn' }).at(-1)?.answer).toBe(dialogue);
    expect(dialogueObjects(dialogue, { level: 'Message' }).at(-1)?.answer).toBe(dialogue);
  });

  test('include messages after the final answer', () => {
    const asked: Message = { role: 'user', content: 'u3' };
    const followed = { ...dialogue, after: [asked] };
    const [whole, completion] = [[...thread, asked], { parts: [{ type: 'text', text: 'u3' }] }];
    for (const level of ['Turn', 'Message'] as const) {
      const [answer, trailing] = dialogueObjects(followed, { level, of: 'both' }).slice(-2);
      expect(answer?.answer).toEqual({ ...dialogue, followed: true });
      expect(trailing).toMatchObject({
        message: 5,
        answer: { thread: whole, messages: thread, completion },
      });
      expect(trailing?.answer).not.toHaveProperty('followed');
    }
    expect(dialogueObjects(followed, { level: 'Thread', of: 'both' })).toEqual([
      { message: 5, answer: { ...dialogue, thread: whole } },
    ]);
    expect(dialogueObjects(followed, { level: 'ToolCall', of: 'both' })).toHaveLength(2);
  });

  test("have each turn's own expected value in a scripted dialogue", () => {
    const scripted = { ...dialogue, expected: 'all', turns: [{ user: 'u1' }, { expected: 'a3' }] };
    expect(
      dialogueObjects(scripted, { level: 'Turn', of: 'both' }).map(
        ({ answer: { expected, turn } }) => [expected, turn],
      ),
    ).toEqual([
      [undefined, undefined],
      [undefined, 1],
      [undefined, undefined],
      ['a3', 2],
    ]);
    expect(
      dialogueObjects(scripted, { level: 'Message', of: 'both' }).map(
        ({ answer }) => answer.expected,
      ),
    ).toEqual(Array.from({ length: 5 }, () => 'all'));
  });

  test.each<[MetricLevel, number]>([
    ['Turn', 4],
    ['Message', 5],
    ['ToolCall', 2],
    ['Thread', 1],
  ])('are as many as countObjects counts: %s', (level, count) => {
    expect(countObjects(thread, { level, of: 'both' })).toBe(count);
    expect(dialogueObjects(dialogue, { level, of: 'both' })).toHaveLength(count);
  });
});

describe("combined score of a dialogue's turns", () => {
  const STATUS: Record<string, ObjectScore['status']> = {
    '✓': 'pass',
    '✗': 'fail',
    '?': 'ungraded',
    '!': 'error',
  };
  const kind: Metric = {
    name: 'kind',
    skip: false,
    level: 'Turn',
    source: { kind: 'code', language: 'python', code: 'result = metric > 0' },
    threshold: null,
    depends_on: [],
    place: { file: 'a.yaml', line: 1 },
  };
  const scores = (written: string, values: Json[] = []): ObjectScore[] =>
    [...written].map((sign, at) => {
      const status = STATUS[sign] ?? 'skipped';
      const value = values[at] ?? { pass: 1, fail: 0 }[status as string] ?? null;
      return { at, status, value, reason: status === 'pass' ? null : `said ${at}` };
    });
  const of = (written: string, every = 1, values: Json[] = []) => {
    const { status, value, reason } = scoreOfObjects({ ...kind, every }, scores(written, values));
    return [status, value, reason];
  };

  test.each([
    ['passes when all judged objects pass', '✓·✓', 1, ['pass', 1, null]],
    ['fails when one fails', '✓✗✓·', 1, ['fail', 2 / 3, '2 of 3 turns pass; turn 2: said 1']],
    [
      'passes at its required share',
      '✓✓✗',
      2 / 3,
      ['pass', 2 / 3, '2 of 3 turns pass; turn 3: said 2'],
    ],
    ['fails below its required share', '✓✗✗', 2 / 3, ['fail']],
    ['passes at a required share of many objects', '✓✓✓✓✓✓✓✓✓✗', 0.9, ['pass']],
    ['fails regardless of an ungraded object', '✓✗?', 1, ['fail']],
    ['is ungraded if one object could change it', '✓✓?', 1, ['ungraded', null, 'turn 3: said 2']],
    ['is an error if one object could change it', '✓?!', 1, ['error', null, 'turn 3: said 2']],
    ['passes regardless of an ungraded object', '✓✓?', 0.6, ['pass']],
    ['is skipped if every object is skipped', '··', 1, ['skipped', null, 'said 0']],
    ['is skipped without objects', '', 1, ['skipped', null, 'the dialogue has no turn']],
  ])('is as expected: it %s for the outcomes %s', (_, written, every, wanted) => {
    expect(of(written, every).slice(0, wanted.length)).toEqual(wanted);
  });

  test('is the mean of their values, and for maps the mean of each entry', () => {
    expect(of('✓✓', 1, [2, 5])[1]).toBe(3.5);
    expect(of('✓✓', 1, [true, false])[1]).toBe(0.5);
    expect(of('✓✓✓', 1, [{ a: 1 }, { a: 3, b: 1 }, {}])[1]).toEqual({ a: 2, b: 1 });
    expect(of('✓✓', 1, ['x', 'y'])[1]).toBeNull();
  });

  test('is the share of turns that pass, if the metric compares shares', () => {
    expect(of('✓✗✓✓', 0.5, [5, 1, 4, 4])).toEqual([
      'pass',
      0.75,
      '3 of 4 turns pass; turn 2: said 1',
    ]);
    const { value } = scoreOfObjects({ ...kind, every: 0.5, skip: true }, scores('✓✗', [5, 2]));
    expect(value).toBe(3.5);
    const shown: Metric = { ...kind, source: { ...kind.source, code: 'result = True' } as never };
    expect(scoreOfObjects({ ...shown, every: 0.5 }, scores('✓✓', [5, 2])).value).toBe(3.5);
  });

  test('names the failed turn of the script and its expected value', () => {
    const failed: Score = { metric: 'kind', status: 'fail', value: 0, reason: 'no', skip: false };
    const missed = objectScore(5, failed, { turn: 3, expected: { a: 1 } });
    expect(missed).toMatchObject({ turn: 3, reason: 'fails, expected {"a":1}: no' });
    expect(scoreOfObjects({ ...kind, every: 0.5 }, [missed]).reason).toBe(
      '0 of 1 turn pass; turn 3: fails, expected {"a":1}: no',
    );
    const unread = { ...failed, status: 'ungraded', value: null, reason: 'cut' } as const;
    expect(objectScore(5, unread, { turn: 3, expected: 'x' }).reason).toBe('cut');
    expect(objectScore(5, failed, { expected: 'x' })).toMatchObject({ reason: 'no' });
  });

  test("records an exception if the metric's code raised one on every judged turn", () => {
    const broken = (written: string) => {
      const raised = (one: ObjectScore): ObjectScore =>
        one.status === 'fail' ? { ...one, raised: true } : one;
      return scoreOfObjects(kind, scores(written).map(raised));
    };
    expect(broken('✗·✗?')).toMatchObject({ status: 'fail', raised: true });
    expect(broken('✗✓✗')).not.toHaveProperty('raised');
    expect(broken('··')).not.toHaveProperty('raised');
  });

  test('lists three reasons and counts the others', () => {
    expect(of('✗✗✗✗✗')[2]).toBe(
      '0 of 5 turns pass; turn 1: said 0; turn 2: said 1; turn 3: said 2; and 2 more',
    );
  });
});
