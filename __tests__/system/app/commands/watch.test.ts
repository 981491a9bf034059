import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openShop, type Shop } from '../../../unit/app/commands/shop.ts';

const edit = ({ repository }: Shop, path: string, from: string, to: string) => {
  const file = join(repository.directory, path);
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
};

const WATCHING = 'watching the files';

describe('evaldiff run --watch', () => {
  test("reruns what an edit affects and exits with the last run's code", async () => {
    const { begin, server, ...rest } = await openShop({
      answer: ({ messages }) => ({
        text: JSON.stringify(messages).includes('Reply') ? 'no idea' : 'Yes, 5',
      }),
    });
    const running = begin('run', '--watch', '--fail-on', 'failure');
    await running.said(WATCHING);
    expect(server.requests).toHaveLength(8);
    edit({ begin, server, ...rest }, 'prompts/tests/ask.yaml', 'question 0', 'question zero');
    await running.said(WATCHING, 2);
    expect(server.requests).toHaveLength(10);
    edit({ begin, server, ...rest }, 'prompts/ask.yaml', 'Answer:', 'Reply:');
    await running.said(WATCHING, 3);
    expect(server.requests).toHaveLength(18);
    expect(await running.stop()).toMatchObject({
      code: 1,
      out: expect.stringContaining('no idea'),
    });
  });

  test('reports an error in a file and keeps watching', async () => {
    const held = await openShop();
    const running = held.begin('run', '--watch');
    await running.said(WATCHING);
    edit(held, 'prompts/ask.yaml', 'name: ask', 'nam: ask');
    await running.said('prompts/ask.yaml:1');
    await running.said(WATCHING, 2);
    edit(held, 'prompts/ask.yaml', 'nam: ask', 'name: ask');
    await running.said(WATCHING, 3);
    expect((await running.stop()).code).toBe(0);
  });

  test('notices an edit during the first run', async () => {
    let edited = false;
    const held = await openShop({
      answer: () => {
        if (!edited) edit(held, 'prompts/ask.yaml', 'Answer:', 'Reply:');
        edited = true;
        return { text: 'Yes, 5' };
      },
    });
    const running = held.begin('run', '--watch');
    await running.said(WATCHING, 2);
    expect(held.server.requests).toHaveLength(16);
    await running.stop();
  });

  test("ignores changes of evaldiff's store, report and recordings", async () => {
    const held = await openShop({ env: { EVALDIFF_STORE: 'prompts/own.sqlite' } });
    const running = held.begin('run', '--watch', '--report', 'out', '--record', 'answers.jsonl');
    await running.said(WATCHING);
    edit(held, 'prompts/ask.yaml', 'Answer:', 'Reply:');
    await running.said(WATCHING, 2);
    edit(held, 'prompts/ask.yaml', 'Reply:', 'Tell:');
    await running.said(WATCHING, 3);
    const { err } = await running.stop();
    expect(err.split(WATCHING)).toHaveLength(4);
  });

  test('cannot be combined with a shard', async () => {
    const { evaldiff } = await openShop();
    expect(await evaldiff('run', '--watch', '--shard', '1/2')).toEqual({
      code: 2,
      out: '',
      err: '--watch: works only for a whole run; omit --shard\n',
    });
  });
});
