import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CULPRIT, HEAD_LINES, shopPrompt } from '../../../stand-ins/eight-lines.ts';
import { temporaryFolder } from '../../../stand-ins/repository.ts';
import { compareShop, FILE } from '../../app/commands/compare-shop.ts';

const DRAFT = 'Be warm about refunds, and name the refund period.';
const RESULT = 'evaldiff-report/result.json';

test('the commands that the report gives a coding agent run exactly as printed', async () => {
  const { directory, run, server } = await compareShop([DRAFT], {
    args: ['--no-store', '--head', 'topic'],
  });
  const comment = readFileSync(join(directory, 'evaldiff-report/comment.md'), 'utf8');
  const [, fold = ''] = /agent<\/summary>([^]*?)<\/details>/.exec(comment) ?? [];
  expect(fold).toContain(`Proven cause of shop: \`${FILE}:${CULPRIT}\``);
  // A model wrote the fix, so the fold must not contain its words.
  expect(fold).not.toContain(DRAFT);
  const commandOf = (label: string) =>
    (new RegExp(`${label}: \`npx evaldiff@\\d\\.\\d\\.\\d ([^\`]+)\``).exec(fold)?.[1] ?? '').split(
      ' ',
    );
  const show = commandOf('Print a test as JSON');

  // A clone with both commits and its own result.
  const clone = temporaryFolder('clone');
  execFileSync('git', ['clone', '--quiet', directory, clone]);
  const asked = server.requests.length;
  const ran = await run(commandOf('Run the tests on both commits'), { cwd: clone });
  expect([ran.code, ran.said]).toEqual([1, expect.stringContaining('Regressed')]);
  expect(server.requests.length).toBeGreaterThan(asked);
  const shownAt = async (cwd: string): Promise<unknown> => {
    const { code, said } = await run(show, { cwd, env: {}, err: () => undefined });
    expect(code).toBe(0);
    return JSON.parse(said);
  };
  const answered = server.requests.length;
  expect(await shownAt(clone)).toMatchObject([{ suite: 'shop', prompt: { head: [{}, {}] } }]);

  // A downloaded result, without git and without a key.
  const folder = temporaryFolder('downloaded');
  cpSync(join(directory, RESULT), join(folder, RESULT));
  expect(await shownAt(folder)).toMatchObject([
    { suite: 'shop', reference: { id: 'refund-a' }, causes: [{}], prompt: null },
  ]);

  cpSync(join(directory, RESULT), join(clone, RESULT));
  const fix = /written by `npx evaldiff@\d\.\d\.\d ([^`]+)`/.exec(fold)?.[1] ?? '';
  expect((await run(fix.split(' '), { cwd: clone })).code).toBe(0);
  expect(readFileSync(join(clone, FILE), 'utf8')).toBe(
    shopPrompt(HEAD_LINES.map((line, at) => (at === CULPRIT - 9 ? DRAFT : line))),
  );
  expect(server.requests).toHaveLength(answered);
});
