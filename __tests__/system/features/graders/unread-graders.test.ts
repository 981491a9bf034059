import { diffJudged, references, type Judge } from './judged.ts';

const RUBRIC = `metrics: [{ uses: llm_rubric, with: { criteria: is kind } }]\n${references(6)}`;
const graded = (choice: unknown) => JSON.stringify({ reasons: 'So.', choice });
const onHead =
  (said: string): Judge =>
  ({ isHead }) =>
    isHead ? said : graded('PASS');

/** `unit/metrics/reply.test.ts` and its neighbours have the other forms. */
const UNREADABLE: [string, string][] = [
  ['a hedge in the last line', 'It is kind.\nPASS (barely)'],
  ['two objects that contradict each other', `${graded('FAIL')}\n${graded('PASS')}`],
  ['an object and another label', `${graded('FAIL')}\nOverall: PASS`],
];

describe('a grader without a readable label', () => {
  test.each(UNREADABLE)('on both sides (%s) leaves the run not judged', async (_, said) => {
    const { code, out, result } = await diffJudged(RUBRIC, () => said);
    expect([code, result.outcome.kind]).toEqual([2, 'not-judged']);
    expect(out).toMatch(/the grader did not choose exactly one of PASS, FAIL|could not be read/);
    expect(out).not.toMatch(/No regression|broke/);
  });

  test.each(UNREADABLE)('on head alone (%s) is no regression', async (_, said) => {
    const { code, out, result } = await diffJudged(RUBRIC, onHead(said));
    expect([code, result.outcome.kind]).toEqual([0, 'inconclusive']);
    expect(out).toContain('no readable verdict on 6 of 6 tests');
    expect(out).toContain('6 of 12 tries have no readable grade');
    expect(out).not.toMatch(/Regressed|broke|does not answer/);
  });

  test('on head alone is an error if the calls stop after ten unreadable replies', async () => {
    const many = RUBRIC.replace(references(6), references(40));
    const { out, result } = await diffJudged(many, onHead('Hm.'));
    expect(result.outcome.kind).toMatch(/^(?:not-judged|inconclusive)$/);
    expect(out).toContain('10 replies in a row could not be read, the last one: "Hm."');
    expect(out).not.toMatch(/Regressed|broke|does not answer/);
  });

  test('on head alone is an error if its replies are empty', async () => {
    const { code, out } = await diffJudged(RUBRIC, onHead(''));
    expect(code).toBe(2);
    expect(out).toContain('the grader failed: openai (local): the answer is empty');
    expect(out).not.toMatch(/Regressed|broke|does not answer/);
  });

  test.each([
    ['an object in a fence', `Well.\n\`\`\`json\n${graded('pass')}\n\`\`\``],
    ['a draft in its thinking', `<think>{"choice":"FAIL"}</think>${graded('PASS')}`],
  ])('is not one with %s', async (_, said) => {
    const { code, out, calls } = await diffJudged(RUBRIC, () => said);
    expect([code, calls]).toEqual([0, 24]);
    expect(out).toContain('t 100 → 100 %');
  });

  test('in a majority that never agrees leaves the run not judged', async () => {
    const suite = RUBRIC.replace(
      'metrics: [{ ',
      'metrics: [{ grader: [judge, second, third], ',
    ).replace(
      'uses: llm_rubric, with: { criteria: is kind }',
      'uses: factuality, with: { value: x }',
    );
    const labels = new Map([
      ['judge-1', 'SAME'],
      ['judge-2', 'MORE'],
      ['judge-3', 'CONTRADICTS'],
    ]);
    const { code, out } = await diffJudged(suite, ({ model }) => graded(labels.get(model)));
    expect(code).toBe(2);
    expect(out).toContain('no majority of the graders chose the same label');
  });

  test('of three is outvoted, and named', async () => {
    const suite = RUBRIC.replace('metrics: [{ ', 'metrics: [{ grader: [judge, second, third], ');
    const judge: Judge = ({ model }) => graded(model === 'judge-2' ? 'more or less' : 'PASS');
    const { code, result } = await diffJudged(suite, judge);
    expect(code).toBe(0);
    expect(result.suites[0]?.references[0]?.head?.tries[0]?.scores[0]?.reason).toContain(
      '2 of 3 graders; judge-2: ',
    );
  });

  test('does not hide that head does not answer', async () => {
    const { code, out } = await diffJudged(
      RUBRIC,
      () => graded('PASS'),
      (question) => (question.startsWith('New') ? '' : question),
    );
    expect([code, out]).toEqual([expect.any(Number), expect.not.stringContaining('No change')]);
  });
});

const PAIRS = `metrics: [{ uses: pairwise_preference }]\n${references(20)}`;
const numberIn = (text: string) => Number(/Q(\d+)/.exec(text)?.[1]);
/** Whether the first answer that the judge sees is head's. */
const isHeadFirst = (text: string) =>
  />>>\n(Old|New) Q/.exec(text.split('The first answer:')[1] ?? '')?.[1] === 'New';
const prefers = (isHeadBetter: boolean, text: string): string =>
  isHeadFirst(text) === isHeadBetter ? 'FIRST' : 'SECOND';

describe('a judge that compares answers', () => {
  test.each<[string, (asked: { text: string; again: number }) => string, string]>([
    [
      'always the first',
      () => 'FIRST',
      'in 20 of 20 comparisons judge-1 preferred whichever answer came first',
    ],
    [
      'always the second',
      () => 'SECOND',
      'in 20 of 20 comparisons judge-1 preferred whichever answer came second',
    ],
    [
      'one position for each question',
      ({ text }) => (numberIn(text) % 2 === 0 ? 'FIRST' : 'SECOND'),
      'in 20 of 20 comparisons the choice of judge-1 depended on the order of the answers',
    ],
    [
      'head if it comes first, otherwise neither',
      ({ text }) => (isHeadFirst(text) ? 'FIRST' : 'TIE'),
      'in 20 of 20 comparisons the choice of judge-1 depended on the order of the answers',
    ],
    [
      'the first in most comparisons',
      ({ text }) => (numberIn(text) < 11 ? 'FIRST' : 'TIE'),
      'in 11 of 20 comparisons judge-1 preferred whichever answer came first',
    ],
  ])('gives no evidence if it chooses %s', async (_, choose, words) => {
    const { code, out, result } = await diffJudged(PAIRS, (asked) => graded(choose(asked)));
    expect([code, result.outcome.kind]).toEqual([0, 'inconclusive']);
    expect(out).toContain(`${words}, so there is no evidence`);
    expect(out).not.toMatch(/No regression|No change|no answer preferred|are ties/);
  });

  test('gives no evidence if it chooses by order wherever the answers differ', async () => {
    const { out, result } = await diffJudged(
      PAIRS,
      () => graded('FIRST'),
      (question) => (numberIn(question) < 12 ? 'The same.' : question),
    );
    expect(result.outcome.kind).toBe('inconclusive');
    expect(out).toContain('in 8 of 8 comparisons judge-1 preferred whichever answer came first');
  });

  test('is believed if it contradicts itself in fewer comparisons', async () => {
    const { code, out } = await diffJudged(PAIRS, ({ text }) =>
      graded(numberIn(text) < 9 ? 'FIRST' : 'TIE'),
    );
    expect(code).toBe(0);
    expect(out).toContain('no answer preferred in 20 comparisons');
    expect(out).not.toContain('no evidence');
  });

  test("still shows a regression if all its other choices are for base's answer", async () => {
    const { code, out } = await diffJudged(PAIRS, ({ text }) =>
      graded(numberIn(text) < 11 ? 'FIRST' : prefers(false, text)),
    );
    expect(code).toBe(1);
    expect(out).toContain("base's in 9");
    expect(out).toContain('in 11 of 20 comparisons judge-1 preferred whichever answer came first');
  });

  test('does not call head better if most of its choices depend on the order', async () => {
    const { code, result } = await diffJudged(PAIRS, ({ text }) =>
      graded(numberIn(text) < 11 ? 'SECOND' : prefers(true, text)),
    );
    expect([code, result.suites[0]?.verdict]).toEqual([0, 'inconclusive']);
  });

  test('is named even if other metrics decide', async () => {
    const suite = PAIRS.replace(
      'metrics: [',
      'metrics: [{ uses: contains, with: { value: fine } }, ',
    );
    const { code, out } = await diffJudged(suite, () => graded('FIRST'));
    expect(code).toBe(0);
    expect(out).toContain('in 20 of 20 comparisons judge-1 preferred whichever answer came first');
  });
});
