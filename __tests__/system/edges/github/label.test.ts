import { approverOf, overriderOf, removeLabel } from '../../../../src/edges/github/approval.ts';
import type { EventFacts } from '../../../../src/types/repository.ts';
import { workflowToken, type PullEvent } from '../../../stand-ins/github/index.ts';
import { NOW, REPOSITORY, setup } from './setup.ts';

const LABEL = 'evaldiff: approved / ok?';
const job = { repository: REPOSITORY, pullRequest: 12, label: LABEL };
const ROLES = {
  ...{ 'ada-example': 'write', mia: 'maintain', tri: 'triage', rea: 'read' },
  'help[bot]': 'write',
};
const down = () => ({ status: 500, body: { message: 'down', documentation_url: 'x' } });

async function withRoles() {
  const made = await setup();
  for (const [login, role] of Object.entries(ROLES)) made.github.state.roles.set(login, role);
  return made;
}

describe('an approval by label', () => {
  test.each<[string, { login: string; type?: string; isAuthor?: true }, string]>([
    ['the author', { login: 'mia', isAuthor: true }, 'mia, who added the label, opened'],
    ['a user with triage access', { login: 'tri' }, 'tri, who added the label, has no write'],
    ['a user with read access', { login: 'rea' }, 'rea, who added the label, has no write'],
    ['a user unknown to GitHub', { login: 'who' }, 'has no write access'],
    ['an app', { login: 'help[bot]', type: 'Bot' }, 'help[bot], which added the label, is an app'],
    ['an app by its type', { login: 'mia', type: 'Bot' }, 'mia, which added the label, is an app'],
  ])('does not count if added by %s', async (_who, given, why) => {
    const { client } = await withRoles();
    const labeller = { type: 'User', isAuthor: false, ...given };
    const facts = { repository: REPOSITORY, labeller } as EventFacts;
    expect(await approverOf(client, facts)).toEqual({ refused: expect.stringContaining(why) });
  });
});

describe('the override label', () => {
  const at = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000);
  const added = (login: string, more: Partial<PullEvent> = {}): PullEvent => {
    const actor = { login, id: 3000, type: login.endsWith('[bot]') ? 'Bot' : 'User' } as const;
    return { event: 'labeled', label: LABEL, at: at(5), actor, ...more };
  };
  /** Who overrides, if the first run of the commit was at minute 0. */
  const overrider = async (events: PullEvent[], login = 'ada-example', fails?: RegExp) => {
    const { client, github } = await withRoles();
    github.state.pulls.get(12)!.events = events;
    if (fails !== undefined) github.intercept('GET', fails, down);
    const firstRun = () => Promise.resolve(at(0).toISOString());
    return overriderOf(client, { ...job, author: { login }, firstRun });
  };
  const others = Array.from({ length: 120 }, () => added('tri', { label: 'bug' }));

  test.each<[string, PullEvent[], string]>([
    ['the author, who may write', [added('ada-example')], 'ada-example (write)'],
    ['a maintainer, after many other events', [...others, added('mia')], 'mia (maintain)'],
    ['a maintainer, after another user', [added('tri'), added('mia')], 'mia (maintain)'],
  ])('counts if added by %s', async (_who, events, by) => {
    expect(await overrider(events)).toEqual({ by });
  });

  test.each<[string, PullEvent[], string]>([
    ['a user with triage access', [added('tri')], 'tri, who added the label, has no write'],
    ['a user with read access', [added('rea')], 'rea, who added the label, has no write'],
    ['a removed member', [added('gone')], 'gone, who added the label, has no write'],
    ['an app', [added('help[bot]')], 'help[bot], which added the label, is an app'],
    ['nobody, by its history', [added('mia', { label: 'bug' })], 'does not say who added'],
    [
      'a user with triage access, after a maintainer and many other events',
      [added('mia'), ...others, added('tri', { label: LABEL.toUpperCase() })],
      'tri, who added the label, has no write',
    ],
  ])('does not count if added by %s', async (_who, events, why) => {
    expect(await overrider(events)).toEqual({ refused: expect.stringContaining(why) });
  });

  const old = added('mia', { at: at(-1) });
  const after = (event: string): PullEvent => ({ ...added('guest'), event, at: at(6) });
  const STALE = { refused: expect.stringContaining('older than the first run of this commit') };
  const COUNTS = { by: 'mia (maintain)' };
  test.each<[string, string, PullEvent[], object]>([
    ['before the first run of this commit', 'guest', [old], STALE],
    ['before the first run of the commit of an app', 'renovate[bot]', [old], STALE],
    ['after the first run of this commit', 'guest', [added('mia')], COUNTS],
    ['before a force push', 'guest', [added('mia'), after('head_ref_force_pushed')], STALE],
    ['before a change of the base', 'guest', [added('mia'), after('base_ref_changed')], STALE],
    ['before the first run, if the author may write', 'ada-example', [old], COUNTS],
  ])('added by a maintainer %s counts or not', async (_when, author, events, expected) => {
    expect(await overrider(events, author)).toEqual(expected);
  });

  test.each([
    [/\/issues\/12\/events$/, 'it is unknown who added the label, and when'],
    [/\/collaborators\/mia\/permission$/, 'it is unknown whether mia, who added the label, has'],
  ])('does not count if GitHub does not answer %s', async (path, why) => {
    const refused = expect.stringContaining(why);
    expect(await overrider([added('mia')], 'guest', path)).toEqual({ refused });
  });
});

test('removeLabel removes a label with any name', async () => {
  const { client, github, requests } = await setup();
  github.state.pulls.get(12)!.labels = ['bug', LABEL];
  expect(await removeLabel(client, job)).toEqual([]);
  expect(github.state.pulls.get(12)?.labels).toEqual(['bug']);
  expect(requests()).toEqual([`DELETE /issues/12/labels/${encodeURIComponent(LABEL)}`]);
  expect(github.state.violations).toEqual([]);
});

test('removeLabel ignores a label that is already gone', async () => {
  const { client } = await setup();
  expect(await removeLabel(client, job)).toEqual([]);
});

test('removeLabel warns and names the permission if the token lacks it', async () => {
  const { client, github } = await setup(workflowToken({ pull_requests: 'read' }));
  github.state.pulls.get(12)!.labels = [LABEL];
  expect(await removeLabel(client, job)).toEqual([
    'The label that approved this run was not removed: the token is not allowed to do this (403). Give the job `permissions: pull-requests: write`.',
  ]);
});
