import { test } from '@jest/globals';
import { renderGithub } from '../../stand-ins/github-markdown.ts';
import type { Script } from '../../stand-ins/models/server.ts';
import { promptOf, questionOf, quiz } from './projects.ts';
import { onlyComment, pullRequest } from './stage.ts';

/** Base answers with three sentences, head with five to the first four questions. */
const wordy: Script = ({ messages }) => {
  const n = questionOf(messages);
  const many = messages[0]?.content === 'Be long.' && n <= 8 ? 5 : 3;
  return { text: `Answer ${String(n)}. `.repeat(many).trim() };
};

const CASES: Record<string, string> = {
  code: `metrics:\n  - { name: sentences, code: "metric = actual.count('.')\\nresult = True", better: lower }`,
  better: `metrics:\n  - { name: sentences, code: "metric = actual.count('.')\\nresult = True", better: higher }`,
  map: `metrics:\n  - { name: counts, code: "metric = {'dots': actual.count('.'), 'commas': actual.count(',')}\\nresult = True", better: lower }`,
  words: `metrics:\n  - { uses: word_count, better: lower }`,
  undirected: `metrics:\n  - { uses: word_count }`,
  warn: `metrics:\n  - { uses: word_count, better: lower }\ngate: { metrics: { word_count: warn } }`,
  rouge: `metrics:\n  - { name: rouge, uses: rouge_l, threshold: 0.9 }`,
};

test.each(Object.entries(CASES))('%s', async (_name, metrics) => {
  const { at, run } = await pullRequest(quiz({ questions: 12, metrics }), promptOf('Be long.'), {
    answer: wordy,
  });
  const { text } = renderGithub(onlyComment(at));
  console.log(
    _name,
    run.result.title,
    '\n',
    text,
    '\n',
    run.reports['junit.xml'].slice(0, 1500),
    JSON.stringify(run.annotations),
    JSON.stringify(at.github.state.checkRuns.at(-1)?.annotations),
    run.result.notices,
  );
});
