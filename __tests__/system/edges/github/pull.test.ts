import {
  currentHead,
  mergeBaseOf,
  ownerAndName,
  pullWords,
  withPullRequest,
  withQueuedPullRequest,
} from '../../../../src/edges/github/pull.ts';
import { trustLevel } from '../../../../src/trust/trust.ts';
import type { EventFacts } from '../../../../src/types/repository.ts';
import { addPull, workflowToken } from '../../../stand-ins/github/index.ts';
import { HEAD, REPOSITORY, setup } from './setup.ts';

const FORK_HEAD = 'c'.repeat(40);

function facts(more: Partial<EventFacts> = {}): EventFacts {
  return {
    event: 'workflow_run',
    action: 'completed',
    repository: REPOSITORY,
    pullRequest: null,
    base: null,
    head: FORK_HEAD,
    headRepository: 'bo-example/prompts',
    headBranch: 'friendlier',
    fork: true,
    dependabot: false,
    addedLabel: null,
    origin: { event: 'pull_request' },
    ...more,
  };
}
const missing = (skip: string) => ({ skip });
const found13 = {
  pullRequest: 13,
  base: 'b'.repeat(40),
  baseBranch: 'main',
  presentHead: FORK_HEAD,
  description: '',
};
const forkHead = { ref: 'friendlier', sha: FORK_HEAD, repository: 'bo-example/prompts' };

describe('the pull request of a workflow_run', () => {
  test('is the open pull request with this head and repository', async () => {
    const { client, github } = await setup();
    addPull(github.state, { number: 13, head: forkHead });
    const stranger = { ...forkHead, repository: 'mallory-example/prompts' };
    addPull(github.state, { number: 14, head: stranger });
    addPull(github.state, { number: 15, head: forkHead, state: 'closed' });
    expect(await withPullRequest(client, facts())).toEqual({ facts: facts(found13), warnings: [] });
    expect(github.state.violations).toEqual([]);
  });

  test('is found among the open pull requests if GitHub does not know the commit', async () => {
    const { client, github, requests } = await setup();
    addPull(github.state, { number: 13, head: forkHead });
    const unknown = { message: 'No commit found', documentation_url: 'x' };
    const byCommit = /\/commits\/.*\/pulls$/;
    github.intercept('GET', byCommit, () => ({ status: 422, body: unknown }));
    const found = { facts: { pullRequest: 13, headBranch: 'friendlier' } };
    expect(await withPullRequest(client, facts())).toMatchObject(found);
    expect(await withPullRequest(client, facts({ headBranch: null }))).toMatchObject(found);
    const asked = [`GET /commits/${FORK_HEAD}/pulls`, 'GET /pulls'];
    expect(requests()).toEqual([...asked, ...asked]);
    expect(github.state.violations).toEqual([]);
  });

  test('is found on the second page', async () => {
    const { client, github } = await setup();
    for (let number = 100; number < 230; number += 1)
      addPull(github.state, { number, head: { ...forkHead, sha: 'd'.repeat(40) } });
    addPull(github.state, { number: 300, head: forkHead });
    github.intercept('GET', /\/commits\/.*\/pulls$/, () => ({ status: 200, body: [] }));
    expect(await withPullRequest(client, facts())).toMatchObject({ facts: { pullRequest: 300 } });
  });

  test('is skipped with a reason if it was updated or closed, or if its fork is gone', async () => {
    const { client, github } = await setup();
    addPull(github.state, { number: 13, head: { ...forkHead, sha: 'e'.repeat(40) } });
    const none = missing(
      'No open pull request has ccccccc as its head: it was closed or updated in the meantime.',
    );
    expect(await withPullRequest(client, facts())).toEqual(none);
    addPull(github.state, { number: 13, head: { ...forkHead, repository: null } });
    expect(await withPullRequest(client, facts())).toEqual(none);
    expect(await withPullRequest(client, facts({ headRepository: null }))).toEqual(
      missing('The repository of the head commit no longer exists.'),
    );
  });

  test('is an error if two match', async () => {
    const { client, github } = await setup();
    addPull(github.state, { number: 13, head: forkHead });
    const base = { ref: 'release', sha: 'f'.repeat(40) };
    addPull(github.state, { number: 16, head: forkHead, base });
    expect(await withPullRequest(client, facts())).toEqual(
      missing('#13, #16 all have ccccccc as their head, so it is unclear which one to evaluate.'),
    );
  });

  test('is an error that names the missing permission if GitHub refuses', async () => {
    const { client, github } = await setup(workflowToken());
    github.state.private = true;
    await expect(withPullRequest(client, facts())).rejects.toThrow(
      'The pull request of this run was not found: the token is not allowed to do this (403). Give the job `permissions: pull-requests: read`.',
    );
  });

  test.each([
    ['no list', 'text'],
    ['a number that is text', [{ number: '13', state: 'open', base: {}, head: {} }]],
  ])('is an error if the response has %s', async (_what, body) => {
    const { client, github } = await setup();
    github.intercept('GET', /\/pulls$/, () => ({ status: 200, body }));
    await expect(withPullRequest(client, facts())).rejects.toThrow(
      'does not have the documented form',
    );
  });
});

test('a run gets the pull request that was found for it, but stays untrusted', async () => {
  const { client, github } = await setup();
  addPull(github.state, { number: 13, head: forkHead });
  const found = await withPullRequest(client, facts());
  if ('skip' in found) throw new Error(found.skip);
  expect(found.facts).toEqual(facts(found13));
  expect(trustLevel(found.facts, 'own-branch').level).toBe('untrusted');
});

describe('the pull request in a merge queue', () => {
  const queued = (headBranch: string | null): EventFacts =>
    facts({ event: 'merge_group', origin: null, headRepository: null, headBranch });
  const BRANCH = `gh-readonly-queue/release/1.x/pr-13-${HEAD}`;

  test.each([
    ['of the repository is a member', REPOSITORY.toUpperCase(), false, 'member'],
    ['of a fork is untrusted', 'bo-example/prompts', true, 'untrusted'],
    ['of a deleted repository is untrusted', null, true, 'untrusted'],
  ])(
    'has a trust level that depends on its origin: one %s',
    async (_what, repository, fork, level) => {
      const known = { fork, headRepository: repository, queued: FORK_HEAD };
      const { client, github } = await setup();
      addPull(github.state, { number: 13, head: { ...forkHead, repository } });
      const found = await withQueuedPullRequest(client, queued(BRANCH));
      expect(found).toEqual({ facts: { ...queued(BRANCH), ...known }, warnings: [] });
      expect(trustLevel(found.facts, 'own-branch').level).toBe(level);
      // The facts omit the number, because a comment from the merge queue would describe another
      // comparison.
      expect(found.facts.pullRequest).toBeNull();
    },
  );

  test("is untrusted if it is Dependabot's", async () => {
    const { client, github } = await setup();
    const user = { login: 'dependabot[bot]', id: 49699333, type: 'Bot' } as const;
    addPull(github.state, { number: 13, user });
    const found = await withQueuedPullRequest(client, queued(BRANCH));
    expect(trustLevel(found.facts, 'own-branch')).toEqual({
      level: 'untrusted',
      reason: 'the pull request in the queue is by Dependabot',
    });
  });

  test('is untrusted if it does not exist or GitHub does not answer', async () => {
    const { client, github } = await setup();
    const missing = await withQueuedPullRequest(client, queued(BRANCH));
    expect(missing.facts).toEqual(queued(BRANCH));
    expect(missing.warnings).toEqual([
      expect.stringMatching(
        /^The pull request in the merge queue could not be identified, so it is treated like one of an outside contributor: GitHub answered "not found" \(404\)/,
      ),
    ]);
    github.intercept('GET', /./, () => ({ status: 200, body: { number: '13' } }));
    const nonsense = await withQueuedPullRequest(client, queued(BRANCH));
    expect(nonsense.facts).toEqual(queued(BRANCH));
    expect(nonsense.warnings).toEqual([
      expect.stringContaining('does not have the documented form'),
    ]);
    expect(trustLevel(nonsense.facts, 'own-branch').level).toBe('untrusted');
  });

  test.each([
    null,
    'main',
    'gh-readonly-queue/main/pr-13',
    `gh-readonly-queue/pr-13-${HEAD}`,
    `gh-readonly-queue/main/pr-0x13-${HEAD}`,
    `topic/gh-readonly-queue/main/pr-13-${HEAD}`,
    `gh-readonly-queue/main/pr-13-${HEAD}/more`,
  ])('is untrusted for the branch %j, without a request to GitHub', async (branch) => {
    const { client, github } = await setup();
    addPull(github.state, { number: 13 });
    const asked = github.state.exchanges.length;
    const found = await withQueuedPullRequest(client, queued(branch));
    expect(found).toEqual({
      facts: queued(branch),
      warnings: [
        "The pull request in the merge queue could not be identified, so it is treated like one of an outside contributor: the name of the queue's branch is not in the form that GitHub uses.",
      ],
    });
    expect(github.state.exchanges).toHaveLength(asked);
  });
});

test('the head of a pull request is fetched, not taken from the event', async () => {
  const { client, github } = await setup();
  expect(await currentHead(client, REPOSITORY, 12)).toBe(HEAD);
  github.state.pulls.get(12)!.head.sha = FORK_HEAD;
  expect(await currentHead(client, REPOSITORY, 12)).toBe(FORK_HEAD);
});

test('a full repository name needs an owner and a name', () => {
  expect(ownerAndName('acme/prompts')).toEqual({ owner: 'acme', repo: 'prompts' });
});

describe('the labels and description of a pull request', () => {
  test('are fetched, not taken from the event', async () => {
    const { client, github } = await setup();
    Object.assign(github.state.pulls.get(12)!, {
      labels: ['bug', 'evaldiff-accept'],
      labelDescriptions: { 'evaldiff-accept': 'Accepted' },
      body: 'About this.\nevaldiff-accept: wanted',
    });
    expect(await pullWords(client, REPOSITORY, 12)).toEqual({
      user: { login: 'ada-example' },
      body: 'About this.\nevaldiff-accept: wanted',
      labels: [
        { name: 'bug', description: '' },
        { name: 'evaldiff-accept', description: 'Accepted' },
      ],
    });
    expect(await pullWords(client, REPOSITORY, 12)).not.toHaveProperty('warning');
    expect(github.state.violations).toEqual([]);
  });

  test('cause a warning and override nothing if they cannot be read', async () => {
    const { client } = await setup();
    const warning = 'the labels of this pull request could not be read';
    const words = await pullWords(client, REPOSITORY, 999);
    expect(words).toEqual({ warning: expect.stringContaining(warning) });
  });
});

describe('the merge base', () => {
  const [base, fork] = ['b'.repeat(40), 'f'.repeat(40)];
  test.each([
    ['is that of GitHub', { status: 200, body: { merge_base_commit: { sha: fork } } }, fork],
    ['is unknown if GitHub knows no common commit', { status: 404, body: { message: 'x' } }, null],
    ['is unknown if GitHub answers something else', { status: 200, body: [] }, null],
  ])('%s', async (_, instead, found) => {
    const { client, github, requests } = await setup();
    github.intercept('GET', /\/compare\//, () => instead);
    expect(await mergeBaseOf(client, REPOSITORY, [base, HEAD])).toBe(found);
    expect(requests()).toEqual([`GET /compare/${base}...${HEAD}`]);
  });
});
