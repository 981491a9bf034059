import { createHash } from 'node:crypto';
import { z } from 'zod';
import { requestKey } from '../../src/app/session/request-key.ts';
import { evaluateDialogue } from '../../src/features/conversations/evaluators.ts';
import { metrics } from '../../src/metrics/index.ts';
import { askForJson } from '../../src/trials/grader-question.ts';
import type { FilePart } from '../../src/types/media.ts';
import type { Grader, Request } from '../../src/types/model.ts';
import {
  builtIn,
  fromExample,
  rubricMetric,
  rubricOf,
  sample,
  scored,
  scriptedGrader,
} from '../unit/metrics/samples.ts';

const hash = (text: string) => createHash('sha256').update(text).digest('hex');
/** Real runs use random text. Here it depends only on the purpose. */
const random = (purpose: string) => hash(purpose).slice(0, 16);
const grader: Grader = {
  target: { provider: 'openai', endpoint: null, model: 'judge' },
  parameters: { temperature: 0 },
};
const keysOf = (asked: readonly Request[]) =>
  hash(asked.map((request) => `${request.purpose} ${requestKey(request, hash)}`).join('\n')).slice(
    0,
    8,
  );

/** The first reply is unreadable, so the second request is included. */
async function graderRequests(): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const image: FilePart = {
    type: 'image',
    path: 'photos/cat.png',
    media_type: 'image/png',
    id: '3f2a1bc0',
    bytes: 84_000,
  };
  const messages = [
    { role: 'system' as const, content: 'Be brief.' },
    { role: 'user' as const, content: 'What is it?', parts: [image] },
  ];
  for (const { name, needs, example } of metrics.values()) {
    if (!needs.model) continue;
    const { complete, asked } = scriptedGrader('?', '?', example.reply ?? '');
    await scored(builtIn(name, example.with), fromExample(example), { complete, random });
    found[name] = keysOf(asked);
  }
  for (const eval_type of ['classify', 'cot_classify', 'classify_cot'] as const) {
    const rubric = rubricOf('Polite? {context} {content}', undefined, { eval_type });
    const { complete, asked } = scriptedGrader('?');
    await scored(rubricMetric('is_polite'), sample('A cat.', { messages }), {
      complete,
      random,
      rubrics: new Map([['is_polite', rubric]]),
    });
    found[`rubric ${eval_type}`] = keysOf(asked);
  }
  const json = scriptedGrader('?');
  await askForJson(
    {
      purpose: 'fix',
      name: 'insights',
      reply: z.object({ names: z.array(z.string()) }),
      role: 'You explain.',
      materials: { table: 'a | b' },
      text: 'Explain {{table}} {{missing}} and name it.',
    },
    { complete: json.complete, grader, random },
  );
  found['a question with a schema'] = keysOf(json.asked);
  const evaluator = scriptedGrader('?');
  await evaluateDialogue(
    { criteria: [{ name: 'correctness', combine: 'all' }], instructions: null },
    [{ ...grader, name: 'judge', twin: 1 }],
    [...messages, { role: 'assistant', content: 'A cat.' }],
    2,
    { complete: evaluator.complete, random },
  );
  found['an evaluator'] = keysOf(evaluator.asked);
  return found;
}

test('the cache keys of grader requests do not change, because stored grades are found by them', async () => {
  expect(await graderRequests()).toEqual({
    llm_rubric: '878a73d0',
    criteria: '61a6b097',
    factuality: 'dbb56cf2',
    g_eval: 'c3199333',
    faithfulness: '969c4435',
    answer_relevance: '4859e48f',
    pairwise_preference: 'f0e7cb3f',
    'rubric classify': 'a51cd7ee',
    'rubric cot_classify': 'e2787bd5',
    'rubric classify_cot': 'fe967709',
    'a question with a schema': '46269e52',
    'an evaluator': '3b4984ab',
  });
});
