import { afterEach, describe, expect, test } from '@jest/globals';
import {
  answerSchema,
  errorOf,
  setUp,
  type Setting,
} from '../../../../unit/edges/providers/providers-setting.ts';

const open: Setting[] = [];
afterEach(async () => {
  for (const setting of open.splice(0)) await setting.close();
});
async function start(
  ...given: Parameters<typeof setUp> extends [unknown, ...infer Rest] ? Rest : never
) {
  const setting = await setUp('openai', ...given);
  open.push(setting);
  return setting;
}

describe('a model that has the Responses API alone', () => {
  test('is asked there, and its answer is read like any other', async () => {
    const { ask, server } = await start(() => ({ text: 'four', usage: { input: 7, output: 3 } }));
    expect(
      await ask({ model: 'gpt-5-pro', parameters: { reasoning: { effort: 'high' } } }),
    ).toMatchObject({
      status: 'ok',
      output: 'four',
      finish_reason: 'stop',
      usage: { input_tokens: 7, output_tokens: 3 },
    });
    expect(server.calls).toEqual(['POST /v1/responses']);
    expect(server.requests[0]?.body).toMatchObject({
      store: false,
      reasoning: { effort: 'high' },
      input: [{ role: 'user', content: 'hello' }],
    });
  });

  test('grades in a schema, without a temperature and with its own name for the limit', async () => {
    const { ask, server } = await start(() => ({ text: '{"choice":"B"}' }));
    expect(
      await ask({
        model: 'o3-pro',
        purpose: 'grader',
        parameters: { temperature: 0, max_tokens: 400 },
        schema: answerSchema,
      }),
    ).toMatchObject({ status: 'ok', output: '{"choice":"B"}' });
    expect(server.refused).toEqual([]);
    expect(server.requests[0]?.schema).toEqual(answerSchema);
    expect(server.requests[0]?.body).toMatchObject({ max_output_tokens: 400 });
  });

  test('says where an answer was cut, and where a filter withheld it', async () => {
    const { ask } = await start(({ index }) =>
      index === 0
        ? { text: 'half', finish: 'max_output_tokens' }
        : { text: '', finish: 'content_filter' },
    );
    expect(await ask({ model: 'gpt-5-pro' })).toMatchObject({
      output: 'half',
      finish_reason: 'length',
    });
    expect(errorOf(await ask({ model: 'gpt-5-pro', try: 1 })).kind).toBe('filtered');
  });
});
