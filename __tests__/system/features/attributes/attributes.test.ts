import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { makeDemoRepository } from '../../../../src/app/commands/demo-servers.ts';
import { packageRoot } from '../../../../src/app/session/installation.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { commandIn } from '../../../stand-ins/command-line.ts';
import { removeTemporaryFolders } from '../../../stand-ins/repository.ts';
import { openShop, type Shop } from '../../../unit/app/commands/shop.ts';
import { scripted } from './scripted-grader.ts';
import { reader } from './sixty.ts';
import { desk, friendlyIsWrong, rightAnswer } from './support.ts';

jest.setTimeout(120_000);

let shop: Shop | null = null;
afterEach(async () => {
  await shop?.close();
  shop = null;
});
afterAll(removeTemporaryFolders);

const SETTINGS =
  'n_tries: 3\ngrader: judge\nmodels:\n  desk: { provider: openai, endpoint: local, model: desk }\n  judge: { provider: openai, endpoint: local, model: judge }\n';

test('evaldiff diff names the attribute that got worse, says beforehand what that may cost, and pays for it once', async () => {
  const grader = scripted(reader);
  const seen = new Map<string, number>();
  shop = await openShop({
    answer: async ({ schema, messages }) => {
      if (schema !== null) {
        const asked = {
          target: grader.tools.grader.target,
          parameters: {},
          messages,
          try: 0,
          schema,
          purpose: 'qualeval',
        };
        const said = await grader.tools.complete(
          asked as Parameters<typeof grader.tools.complete>[0],
        );
        return { text: said.status === 'ok' ? said.output : '' };
      }
      const [tone = '', mail = ''] = messages.map(({ content }) => content);
      const index = seen.get(`${tone} ${mail}`) ?? 0;
      seen.set(`${tone} ${mail}`, index + 1);
      return { text: rightAnswer({ tone, mail, index }, friendlyIsWrong) };
    },
  });
  const { repository, evaldiff, result, server } = shop;
  const files = (tone: string): Record<string, string> =>
    desk(tone, { 'evaldiff.yaml': SETTINGS }, 40);
  repository.commit('desk', {
    ...files('Be exact.'),
    'prompts/ask.yaml': null,
    'prompts/tests/ask.yaml': null,
  });
  repository.write(files('Be friendly.'));
  const plan = await evaldiff('plan', '--base', 'HEAD');
  expect(plan.out).toContain(
    '240 calls for the first answers; up to 51 more calls if something regresses',
  );

  const first = await result('diff', '--base', 'HEAD');
  expect(
    first.attributes.filter(({ verdict }) => verdict === 'regressed').map(({ id }) => id),
  ).toEqual(['domain-billing']);
  expect(first.insights).toEqual([
    expect.objectContaining({ generated: true, attributes: ['domain-billing'] }),
  ]);
  const asked =
    (first.usage.by_purpose.qualeval?.calls ?? 0) + (first.usage.by_purpose.insight?.calls ?? 0);
  expect(asked).toBeGreaterThan(40);
  expect(asked).toBeLessThanOrEqual(51);

  const made = server.requests.length;
  const second = await result('diff', '--base', 'HEAD');
  expect([second.usage.calls, server.requests.length, second.attributes]).toEqual([
    0,
    made,
    first.attributes,
  ]);
});

test("the demo's pull request is explained by its own scripted grader: refunds got worse, and what fell with them is not called", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'evaldiff-demo-'));
  try {
    const shopFolder = join(folder, 'shop');
    mkdirSync(shopFolder);
    makeDemoRepository(join(packageRoot(), 'fixtures', 'demo'), shopFolder);
    const { code, out } = await commandIn(shopFolder, [
      'diff',
      '--base',
      'main',
      '--head',
      'friendlier',
      '--code',
      'host',
      '--json',
    ]);
    const { attributes, insights } = JSON.parse(out) as Result;
    expect(code).toBe(1);
    expect(
      attributes
        .filter(({ verdict }) => verdict !== 'no change seen')
        .map(({ name, verdict }) => [name, verdict]),
    ).toEqual([['Refunds', 'regressed']]);
    expect(
      attributes
        .filter(({ explained_by: by }) => by.length > 0)
        .every(({ explained_by: by }) => by.join() === 'domain-refunds'),
    ).toBe(true);
    expect(insights).toEqual([
      expect.objectContaining({
        generated: true,
        attributes: ['domain-refunds'],
        references: expect.arrayContaining(['refund-gift']),
      }),
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
