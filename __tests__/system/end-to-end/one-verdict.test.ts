import { renderGithub } from '../../stand-ins/github-markdown.ts';
import type { Script } from '../../stand-ins/models/server.ts';
import { obedient, promptOf, questionOf, quiz } from './projects.ts';
import { onlyComment, pullRequest } from './stage.ts';

/** A kind of red that is not visible in the pass rates, and its name in each output. */
interface Red {
  model: Script;
  /** Lines of the test file above `references`. */
  metrics?: string;
  questions: number;
  outputs: Record<string, string>;
  headline: string;
  annotated: string;
  /** The number of failed cases in JUnit, and the first line of the first one's text. */
  failed: number;
  first: [name: string, line: string];
}

/** Base answers everything correctly; the row decides what head's prompt gets. */
const onHead =
  (instead: Script): Script =>
  (request) =>
    request.messages[0]?.content === 'Be exact.' ? obedient(request) : instead(request);

const silentOnHead = (questions: readonly number[]): Script =>
  onHead((request) =>
    questions.includes(questionOf(request.messages))
      ? { status: 500, headers: { 'retry-after-ms': '1' }, error: { message: 'gone' } }
      : obedient(request),
  );

const PLAIN = 'metrics: [{ name: answer, uses: contains }]';

const SAME_RATES = { 'pass-rate-base': '1.0000', 'pass-rate-head': '1.0000' };

const REDS: Record<string, Red> = {
  'a metric of gate.metrics whose mean got worse, though every answer passes,': {
    questions: 12,
    metrics: `metrics:
  - { name: answer, uses: contains }
  - { name: words, uses: word_count, better: lower, with: { max: 40 } }
gate: { metrics: { words: fail } }`,
    model: onHead(({ messages }) => ({ text: `answer ${questionOf(messages)} at length` })),
    outputs: {
      ...SAME_RATES,
      title: 'quiz: the mean of words rose, 2.00 → 4.00, in 12 of 12 tests; gate.metrics is fail',
      regressed: '0',
    },
    headline: 'Failed',
    annotated: 'Got worse',
    failed: 1,
    first: ['mean of words', 'prompts/quiz.yaml:1'],
  },
  'a head that fails to answer': {
    questions: 12,
    model: silentOnHead([1, 2, 3, 4, 5, 6, 7, 8]),
    outputs: {
      ...SAME_RATES,
      title:
        '4 of 12 tests compared. Regressed: quiz: head does not answer 8 of 12 tests that base answers (q1, q2, q3 and 5 more)',
      regressed: '8',
    },
    headline: 'Regressed: quiz',
    annotated: 'Regressed',
    failed: 8,
    first: ['q1', 'prompts/tests/quiz.yaml:3'],
  },
};

test.each(Object.entries(REDS))(
  'a run that is red because of %s has the same verdict in every report and output',
  async (_what, { model, questions, metrics = PLAIN, ...wanted }) => {
    const base = quiz({ questions, metrics });
    const { at, run } = await pullRequest(base, promptOf('Be brief.'), { answer: model });
    const { code, lastLine, outputs, reports } = run;
    const title = wanted.outputs['title'];

    expect(code).toBe(1);
    expect(outputs).toMatchObject({ conclusion: 'failure', errors: '0', ...wanted.outputs });
    expect(lastLine).toBe(`| evaldiff: failure (the gate failed). ${String(title)}`);

    const check = at.github.state.checkRuns.at(-1);
    expect(check).toMatchObject({ conclusion: 'failure', title: title });
    const place = { path: 'prompts/quiz.yaml', start_line: 9, annotation_level: 'failure' };
    const onLine = `${wanted.annotated} in 1 suite`;
    expect(check?.annotations).toMatchObject([{ ...place, title: onLine }]);

    const { text } = renderGithub(onlyComment(at));
    expect(text.trim().split('\n')[0]).toBe(`❌ ${wanted.headline}`);
    expect(text).not.toContain('✅ no regression');

    const junit = reports['junit.xml'];
    expect(junit.match(/<failure /g)).toHaveLength(wanted.failed);
    const [, name, line] = /<testcase name="([^"]*)"[^>]*>\s*<failure [^>]*>(.*)/.exec(junit) ?? [];
    expect([name, line]).toEqual(wanted.first);
  },
);
