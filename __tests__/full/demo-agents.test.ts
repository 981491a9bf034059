import { temporaryFolder } from '../stand-ins/repository.ts';
import { bareEnvironment, startBundle } from '../system/end-to-end/runner.ts';

test('evaldiff demo agents shows the effect of a rule removed from AGENTS.md', async () => {
  const folder = temporaryFolder('demo');
  const env = { ...bareEnvironment(), TMPDIR: folder };
  const argv = ['demo', 'agents'];
  const { code, stdout } = await startBundle('cli/index.js', argv, env, folder);
  expect([code, stdout]).toEqual([0, expect.stringContaining('✗ Regressed: shop')]);
  expect(stdout).toContain('CHANGELOG.md has no line');
  expect(stdout).toMatch(/Cause in shop: AGENTS\.md:4 \(removed\)/);
  expect(stdout).toMatch(/✓ no regression\s+shop: triggers/);
});
