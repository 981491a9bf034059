import type { Job } from '../../../../src/app/action/context.ts';
import { writeDriftIssue } from '../../../../src/features/noise/drift-issue.ts';
import { driftForm } from '../../../../src/features/noise/drift-report.ts';
import type { Drift } from '../../../../src/features/noise/drift.ts';
import { afterThisTest } from '../../../stand-ins/after-test.ts';
import { startValidatingGitHub, workflowToken } from '../../../stand-ins/github/index.ts';

const TOKEN = 'ghs_token';

const drift = (suite = 'quiz'): Drift => ({
  drift_version: 1,
  head: { sha: 'a'.repeat(40) },
  measured_at: '2026-03-02',
  n_tries: 3,
  notices: [],
  problems: [],
  usage: { calls: 9, cost_usd: 0 } as Drift['usage'],
  suites: [
    {
      ...{ suite, variant: { model: 'gpt-4o', parameters: {} } },
      ...{ status: 'changed', since: '2026-02-23', served: null },
      before: { passes: 54, tries: 60 },
      after: { passes: 30, tries: 60 },
    },
  ],
});

async function github(permissions: Parameters<typeof workflowToken>[0]) {
  const server = await startValidatingGitHub({
    repository: 'acme/prompts',
    tokens: { [TOKEN]: workflowToken(permissions) },
  });
  afterThisTest(server.close);
  const warnings: string[] = [];
  const job = {
    inputs: { token: TOKEN, workingDirectory: '' },
    env: { GITHUB_API_URL: server.apiUrl },
    facts: { repository: 'acme/prompts' },
    runner: { warning: (text: string) => warnings.push(text) },
    secondMs: 1,
  } as unknown as Job;
  const tell = (of: Drift) => writeDriftIssue(job, driftForm, of);
  return { state: server.state, warnings, tell };
}

describe('the issue about a model that changed', () => {
  test('is opened once, updated while it is open, and opened again after it was closed', async () => {
    const { state, tell } = await github({ issues: 'write' });
    await tell(drift());
    await tell(drift('other'));
    expect(state.issues).toMatchObject([{ title: 'Answers changed in 1 of 1 suite', edits: 1 }]);
    const [{ body } = { body: '' }] = state.issues;
    expect(body).toContain('`other` (`gpt-4o`): changed since 2026-02-23: 50.0');
    // The earlier report of another suite stays. That of the same suite is replaced.
    await tell({ ...drift('other'), measured_at: '2026-03-09' });
    const rows = state.issues[0]!.body.split('\n').filter((line) => line.startsWith('- '));
    expect(rows).toEqual([
      expect.stringMatching(/^- `other` .*\(reported 2026-03-09\)$/),
      expect.stringMatching(/^- `quiz` .*\(reported 2026-03-02\)$/),
    ]);
    state.issues[0]!.state = 'closed';
    await tell(drift());
    expect(state.issues).toHaveLength(2);
    expect(state.issues[1]?.body).not.toContain('`other`');
  });

  test('is replaced by a warning that names the missing permission', async () => {
    const { state, warnings, tell } = await github({});
    await tell(drift());
    expect(state.issues).toEqual([]);
    expect(warnings.join()).toMatch(/The issue about the change was not written: .*issues: write/);
  });
});
