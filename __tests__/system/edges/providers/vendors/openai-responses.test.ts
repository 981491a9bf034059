import { describe, expect, test } from '@jest/globals';
import { answerSchema, errorOf, said } from '../../../../unit/edges/providers/providers-setting.ts';
import { start } from '../started.ts';

describe('a model that has the Responses API alone', () => {
  test('is asked there, and its answer is read like any other', async () => {
    const { ask, server } = await start('openai', () => ({
      text: 'four',
      usage: { input: 7, output: 3 },
    }));
    const reasoning = { effort: 'high' };
    expect(await ask({ model: 'gpt-5-pro', parameters: { reasoning } })).toMatchObject({
      status: 'ok',
      ...said('four'),
      ended: 'stop',
      usage: { input_tokens: 7, output_tokens: 3 },
    });
    expect(server.calls).toEqual(['POST /v1/responses']);
    expect(server.requests[0]?.body).toMatchObject({
      store: false,
      reasoning,
      input: [{ role: 'user', content: 'hello' }],
    });
  });

  test('grades in a schema, without a temperature and with its own name for the limit', async () => {
    const { ask, server } = await start('openai', () => ({ text: '{"choice":"B"}' }));
    const parameters = { temperature: 0, max_tokens: 400 };
    const asked = { model: 'o3-pro', purpose: 'grader', parameters, schema: answerSchema } as const;
    expect(await ask(asked)).toMatchObject({ status: 'ok', ...said('{"choice":"B"}') });
    expect(server.refused).toEqual([]);
    expect(server.requests[0]?.schema).toEqual(answerSchema);
    expect(server.requests[0]?.body).toMatchObject({ max_output_tokens: 400 });
  });

  test('says where an answer was cut, and where a filter withheld it', async () => {
    const { ask } = await start('openai', ({ index }) =>
      index === 0
        ? { text: 'half', finish: 'max_output_tokens' }
        : { text: '', finish: 'content_filter' },
    );
    const half = { ...said('half'), ended: 'length' };
    expect(await ask({ model: 'gpt-5-pro' })).toMatchObject(half);
    expect(errorOf(await ask({ model: 'gpt-5-pro', try: 1 })).kind).toBe('filtered');
  });
});
