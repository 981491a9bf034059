import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runIdentity } from '../../../../src/app/action/identity.ts';
import { createLease } from '../../../../src/app/action/lease.ts';
import { publish, type PublishJob } from '../../../../src/app/action/publish.ts';
import { openFolder } from '../../../../src/app/session/safe-writing.ts';
import { commentMarker, writeReports } from '../../../../src/app/session/write-reports.ts';
import { readInputs } from '../../../../src/config/inputs.ts';
import type { SideResult } from '../../../../src/kernel/result/reference-result.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import type { ChangedFile, EventFacts } from '../../../../src/types/repository.ts';
import { FEATURES, OWN_SETTINGS } from '../../../stand-ins/features.ts';
import { REPORTS } from '../../../stand-ins/reports.ts';
import { temporaryFolder } from '../../../stand-ins/repository.ts';
import { enormous, regression } from '../../../unit/report/results.ts';
import { HEAD, NOW, REPOSITORY, setup, type Setup } from '../../edges/github/setup.ts';

const facts: EventFacts = {
  ...{ event: 'pull_request', action: 'synchronize', repository: REPOSITORY, pullRequest: 12 },
  ...{ base: 'b'.repeat(40), head: HEAD, headRepository: REPOSITORY, headBranch: 'topic' },
  ...{ fork: false, dependabot: false, addedLabel: null, origin: null },
};
const path = 'prompts/tests/capitals.yaml';
const changed: ChangedFile[] = [
  { path, basePath: path, lines: [{ start: 1, end: 10_000 }], deleted: false },
];

async function published(
  result: Result,
  changes: Partial<PublishJob> = {},
): Promise<Setup & { summary: string; ids: Awaited<ReturnType<typeof publish>> }> {
  const ready = await setup();
  const { inputs } = readInputs({}, OWN_SETTINGS);
  const about = changes.facts ?? facts;
  const given = { inputs, env: {}, now: () => NOW, facts: about, judges: true };
  const lease = createLease(ready.client, given, runIdentity(inputs, {}));
  const summaryPath = join(temporaryFolder(), 'summary.md');
  const ids = await publish({
    client: ready.client,
    facts,
    result,
    reports: REPORTS,
    changed,
    inputs: { ...inputs, workingDirectory: '' },
    lease,
    summaryPath,
    links: { report: null, run: 'https://github.com/acme/prompts/actions/runs/1', place: null },
    ...changes,
  });
  return { ...ready, ids, summary: await readFile(summaryPath, 'utf8').catch(() => '') };
}

/** Makes every reference fail differently, so that no two share an annotation. */
function eachInItsOwnWay(result: Result): Result {
  const apart = (side: SideResult, index: number): SideResult => ({
    ...side,
    tries: side.tries.map((each) => ({
      ...each,
      scores: each.scores.map((score) => ({ ...score, metric: `metric-${index}` })),
    })),
  });
  return {
    ...result,
    suites: result.suites.map((suite) => ({
      ...suite,
      references: suite.references.map((reference, index) => ({
        ...reference,
        head: reference.head === null ? null : apart(reference.head, index),
      })),
    })),
  };
}

describe('two thousand failing references', () => {
  test('are published within all limits of GitHub, the worst references first', async () => {
    const { github, ids, summary } = await published(eachInItsOwnWay(enormous(2000)));
    expect(github.state.violations).toEqual([]);
    expect(ids.warnings).toEqual([]);
    const [comment] = github.state.comments;
    const [check] = github.state.checkRuns;
    expect([ids.commentId, ids.checkRunId]).toEqual([comment?.id, check?.id]);
    expect(comment?.body.length).toBeLessThanOrEqual(65_536);
    expect(comment?.body).toContain('1,999 more tests broke');
    expect(Buffer.byteLength(check?.summary ?? '')).toBeLessThanOrEqual(65_535);
    expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(1024 * 1024);
    expect(check?.annotations.length).toBe(50);
    expect(check?.summary).toContain('more annotation');
    const requests = github.state.exchanges.filter(({ path }) => path.includes('/check-runs'));
    expect(requests.length).toBeLessThanOrEqual(10);
  });
});

describe('publishing', () => {
  test('writes the other reports when one fails and warns about it', async () => {
    const { github, ids } = await published(regression(), {
      summaryPath: join(temporaryFolder(), 'no', 'such', 'folder'),
    });
    expect(ids.warnings).toEqual([
      expect.stringMatching(/^The job summary could not be written: (Error: )?ENOENT/),
    ]);
    expect([github.state.comments.length, github.state.checkRuns.length]).toEqual([1, 1]);
  });

  test('writes no comment outside a pull request and no check without a commit', async () => {
    const push = { ...facts, event: 'push', pullRequest: null };
    const onPush = await published(regression(), { facts: push });
    expect([onPush.ids.commentId, onPush.ids.checkRunId]).toEqual([null, expect.any(Number)]);
    const nowhere = await published(regression(), {
      facts: { ...facts, pullRequest: null, head: null },
    });
    expect(nowhere.ids).toEqual({ commentId: null, checkRunId: null, warnings: [] });
    expect(nowhere.requests()).toEqual([]);
  });

  test('appends to a summary that an earlier step wrote', async () => {
    const summaryPath = join(temporaryFolder(), 'summary.md');
    await writeFile(summaryPath, 'Earlier.\n');
    await published(regression(), { summaryPath });
    expect(await readFile(summaryPath, 'utf8')).toMatch(/^Earlier\.\n[\s\S]*Regressed/);
  });
});

describe('the reports', () => {
  test('have the same results in four formats', async () => {
    const folder = join(temporaryFolder(), 'deep', 'out');
    const own = await openFolder(folder, { root: folder, tracked: async () => [] });
    await writeReports(regression(), FEATURES, own, commentMarker('evaldiff'));
    const text = async (name: string) => readFile(join(folder, name), 'utf8');
    expect(JSON.parse(await text('result.json'))).toEqual(regression());
    expect(await text('comment.md')).toMatch(
      /^<!-- evaldiff comment evaldiff -->\n### ❌ Regressed: `capitals`/,
    );
    expect(await text('junit.xml')).toContain('<failure');
    expect(await text('report.html')).toContain('australia');
  });
});

describe('the comment marker', () => {
  test.each([
    ['evaldiff', 'evaldiff'],
    ['Prompts / nightly --> x', 'prompts-nightly-x'],
    ['', 'default'],
    ['--', '-'],
  ])('of the check %j cannot contain the end of an HTML comment', (name, key) =>
    expect(commentMarker(name)).toBe(`<!-- evaldiff comment ${key} -->`),
  );
});
