import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, jest, test } from '@jest/globals';
import { runPullRequest } from '../../../../src/app/commands/demo.ts';
import { agentsFeature } from '../../../../src/features/agents/index.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { commandIn } from '../../../stand-ins/command-line.ts';
import { temporaryFolder } from '../../../stand-ins/repository.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

// Runs the pull-request job from source, with some fifty runs of an agent.
jest.setTimeout(180_000);

describe('evaldiff demo agents', () => {
  test('shows a red verdict for a removed rule of AGENTS.md, without a key or network', async () => {
    const { demo } = agentsFeature;
    if (demo === undefined) throw new Error('the feature has no demo');
    expect(await demo.refusal()).toBeNull();
    let log = '';
    const { conclusion, comment, reports } = await runPullRequest(
      {
        fixture: join(ROOT, demo.fixture),
        files: { 'tools/agent.mjs': join(ROOT, 'fixtures/agents/agent.mjs') },
        server: join(ROOT, demo.server),
        action: join(ROOT, 'src/action.ts'),
      },
      (text) => (log += text),
    );
    expect([conclusion, log]).toEqual(['failure', expect.not.stringContaining('::error')]);
    expect(comment).toContain('CHANGELOG.md has no line about the change');
    expect(comment).toMatch(/^\*\*Cause\*\* in `shop`: \[`AGENTS\.md:4`\]/m);
    const result = JSON.parse(readFileSync(join(reports, 'result.json'), 'utf8')) as Result;
    expect(result.suites).toMatchObject([
      { name: 'shop', verdict: 'regressed', reason: { metrics: ['changelog'] } },
      { name: 'shop: triggers', verdict: 'unchanged' },
    ]);
  });

  test('prints why this machine cannot run it', async () => {
    const { demo } = agentsFeature;
    if (demo === undefined) throw new Error('the feature has no demo');
    const refusal = () => Promise.resolve('This system is not Linux.');
    const features = [{ ...agentsFeature, demo: { ...demo, refusal } }];
    const { code, out } = await commandIn(temporaryFolder('demo'), ['demo', 'agents'], {
      features,
    });
    expect([code, out]).toEqual([
      2,
      'The demo cannot run on this machine. This system is not Linux.\n',
    ]);
  });
});
