import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { removeTemporaryFolders } from '../stand-ins/repository.ts';
import { openShop, type Shop } from './shop.ts';

let shop: Shop | null = null;
afterEach(async () => {
  await shop?.close();
  shop = null;
});
afterAll(removeTemporaryFolders);

const config = (first: string) => `prompts: ['Answer: {{q}}']
providers: ['openai:chat:gpt-4o']
tests:
  - { description: long enough, vars: { q: one }, assert: [{ type: javascript, value: "output.length > context.vars.q.length" }, { type: icontains, value: ${first} }] }
  - { description: numbers, vars: { q: [two, three] }, assert: [{ type: python, value: "'5' in output" }] }
`;

describe('a promptfoo configuration that is evaluated in place', () => {
  test('is asked and judged by its own assertions, and a changed assertion runs its test alone', async () => {
    shop = await openShop({ answer: ({ messages }) => ({ text: JSON.stringify(messages).includes('three') ? 'No idea' : 'Yes, 5' }), settings: '  gpt-4o: { provider: openai, endpoint: local, model: model-1 }\nprompts: promptfooconfig.yaml\n' });
    shop.repository.commit('promptfoo', { 'promptfooconfig.yaml': config('yes') });
    const result = await shop.result('run', 'n_tries=1', '--fail-on', 'failure');
    expect(result.problems).toEqual([]);
    const [suite] = result.suites;
    expect(suite?.references.map(({ file, line, input, head }) => [file, line, input['q'], head?.rollup, head?.tries[0]?.scores.map(({ metric, status }) => `${metric} ${status}`)])).toEqual([
      ['promptfooconfig.yaml', 4, 'one', 'pass', ['javascript pass', 'icontains pass']], ['promptfooconfig.yaml', 5, 'two', 'pass', ['python pass']], ['promptfooconfig.yaml', 5, 'three', 'fail', ['python fail']],
    ]);
    writeFileSync(join(shop.repository.directory, 'promptfooconfig.yaml'), config('nowhere'));
    const changed = await shop.result('diff', '--base', 'HEAD');
    expect(changed.problems).toEqual([]);
    expect(changed.suites[0]?.references.map(({ id, status }) => [id, status])).toEqual([['long enough', 'edited']]);
  });
});
