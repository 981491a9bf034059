import { join } from 'node:path';
import { makeDemoRepository } from '../../../../src/app/commands/demo.ts';
import { packageRoot } from '../../../../src/app/session/installation.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { textOf } from '../../../../src/types/answer.ts';
import type { Request } from '../../../../src/types/model.ts';
import { commandIn } from '../../../stand-ins/command-line.ts';
import { temporaryFolder } from '../../../stand-ins/repository.ts';
import { openShop } from '../../../unit/app/commands/shop.ts';
import { scripted } from './scripted-grader.ts';
import { reader } from './sixty.ts';
import { desk, friendlyIsWrong, rightAnswer } from './support.ts';

const SETTINGS =
  'n_tries: 3\ngrader: judge\nmodels:\n  desk: { provider: openai, endpoint: local, model: desk }\n  judge: { provider: openai, endpoint: local, model: judge }\n';

/** What the scripted grader proposes. */
const INSIGHT = 'Be exact and kind.';

test('evaldiff diff prints the possible cost, names the attribute that regressed and pays only once', async () => {
  const { tools } = scripted(reader);
  const seen = new Map<string, number>();
  const shop = await openShop({
    answer: async ({ schema, messages }) => {
      if (schema !== null) {
        const said = await tools.complete({ messages, schema } as Request);
        return { text: said.status === 'ok' ? textOf(said) : '' };
      }
      const [tone = '', mail = ''] = messages.map(({ content }) => content);
      const index = seen.get(`${tone} ${mail}`) ?? 0;
      seen.set(`${tone} ${mail}`, index + 1);
      return {
        text: rightAnswer({ tone, mail, index }, (of, topic) =>
          of === INSIGHT ? 1 : friendlyIsWrong(of, topic),
        ),
      };
    },
  });
  const { repository, evaldiff, result, server } = shop;
  const files = (tone: string) => desk(tone, { 'evaldiff.yaml': SETTINGS }, 40);
  const old = { 'prompts/ask.yaml': null, 'prompts/tests/ask.yaml': null };
  repository.commit('desk', { ...files('Be exact.'), ...old });
  repository.write(files('Be friendly.'));
  expect((await evaldiff('plan', '--base', 'HEAD')).out).toContain(
    '240 calls for the first answers; up to 450 more calls if something regresses or is fixed',
  );

  const { attributes, insights, usage } = await result('diff', '--base', 'HEAD');
  const regressed = attributes.filter(({ verdict }) => verdict === 'regressed');
  expect(regressed.map(({ id }) => id)).toEqual(['domain-billing']);
  expect(insights).toMatchObject([
    {
      attribute: 'domain-billing',
      fix: {
        replacement: expect.stringContaining(INSIGHT),
        restores: { references: 4, of: 4 },
        withheld: true,
      },
    },
  ]);
  const { qualeval, fix } = usage.by_purpose;
  const asked = (qualeval?.calls ?? 0) + (fix?.calls ?? 0);
  expect(asked).toBeGreaterThan(40);
  expect(asked).toBeLessThanOrEqual(51);

  const made = server.requests.length;
  const second = await result('diff', '--base', 'HEAD');
  const { prompt, qualeval: rated, fix: told } = second.usage.by_purpose;
  // The model makes no calls about attributes. Only the answers that confirm the regression are
  // new.
  expect([rated?.calls ?? 0, told?.calls ?? 0]).toEqual([0, 0]);
  expect(server.requests).toHaveLength(made + (prompt?.calls ?? 0));
  expect(second.attributes).toEqual(attributes);
});

test("the demo's scripted grader finds that only answers about refunds regressed", async () => {
  const at = temporaryFolder('demo');
  makeDemoRepository(join(packageRoot(), 'fixtures', 'demo'), at);
  const args = 'diff --base main --head friendlier --code host --json'.split(' ');
  const { code, out } = await commandIn(at, args);
  const { attributes, insights } = JSON.parse(out) as Result;
  expect(code).toBe(1);
  const moved = attributes.filter(({ verdict }) => verdict !== 'no change found');
  expect(moved).toMatchObject([
    { name: 'Refunds', verdict: 'regressed', n: 5, base: 1, head: 0 },
    { name: 'Quote a deadline', verdict: 'also fell', n: 8 },
  ]);
  const others = attributes.flatMap(({ explained_by: by }) => (by.length > 0 ? [by.join()] : []));
  expect(new Set(others)).toEqual(new Set(['domain-refunds']));
  expect(insights).toMatchObject([
    {
      attribute: 'domain-refunds',
      references: expect.arrayContaining(['refund-gift']),
    },
  ]);
});
