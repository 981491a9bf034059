import { readFileSync } from 'node:fs';
import {
  MAX_PAYLOAD_CHARACTERS,
  parsePayload,
  readEvent,
  resolveMode,
} from '../../../../src/edges/github/event.ts';
import { UserError } from '../../../../src/errors.ts';
import { isApproval, trustLevel } from '../../../../src/trust/trust.ts';

const BASE = '1f0c3a5e7d9b2468ace013579bdf02468ace1357';
const NOT_THIS = 'is not the repository of this run';
const HEAD = '8d2e4f6a0b1c3d5e7f9a8b6c4d2e0f1a3b5c7d9e';

function env(event: string, more: Record<string, string> = {}) {
  const run = { GITHUB_SHA: HEAD, GITHUB_ACTOR: 'ada-example', GITHUB_REPOSITORY: 'acme/prompts' };
  return { ...run, GITHUB_EVENT_NAME: event, ...more };
}

function fixture(name: string) {
  return parsePayload(
    readFileSync(new URL(`../../../../fixtures/events/${name}.json`, import.meta.url), 'utf8'),
  );
}

/** The name of a fixture starts with its event, up to the first dot. */
function read(name: string) {
  return readEvent(env(name.split('.')[0] ?? ''), fixture(name));
}

/** The payload with another value at a dotted path; undefined removes the key. */
function change(payload: unknown, path: string, value: unknown): unknown {
  const changed = structuredClone(payload) as Record<string, unknown>;
  const names = path.split('.');
  const last = names.pop() ?? '';
  let node = changed;
  for (const name of names) node = node[name] as Record<string, unknown>;
  if (value === undefined) delete node[last];
  else node[last] = value;
  return changed;
}
const mutated = (name: string, path: string, value: unknown) => change(fixture(name), path, value);

function errorOf(run: () => unknown) {
  try {
    run();
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('reading an event', () => {
  test("uses the pull request's commits, not the merge commit", () => {
    expect(read('pull_request')).toEqual({
      event: 'pull_request',
      action: 'synchronize',
      repository: 'acme/prompts',
      pullRequest: 12,
      base: BASE,
      baseBranch: 'main',
      defaultBranch: 'main',
      head: HEAD,
      headRepository: 'acme/prompts',
      headBranch: 'shorter-capitals',
      fork: false,
      dependabot: false,
      addedLabel: null,
      labeller: { login: 'ada-example', type: 'User', isAuthor: true },
      origin: null,
    });
  });

  test.each([
    ['pull_request', 'member'],
    ['pull_request.fork', 'untrusted'],
    ['pull_request.deleted-fork', 'untrusted'],
    ['pull_request.dependabot', 'untrusted'],
    ['pull_request_target.fork', 'untrusted'],
    ['pull_request_target.approved', 'untrusted'],
    ['push', 'trusted'],
    ['push.new-branch', 'trusted'],
    // It is untrusted until evaldiff has looked up its pull request.
    ['merge_group', 'untrusted'],
    ['workflow_dispatch', 'trusted'],
    ['schedule', 'trusted'],
    ['workflow_run', 'untrusted'],
  ] as const)('gives the fixture %s the trust level %s', (name, level) => {
    expect(trustLevel(read(name), 'own-branch').level).toBe(level);
  });

  test("recognises a fork by head's repository", () => {
    expect(read('pull_request.fork')).toMatchObject({
      pullRequest: 13,
      headRepository: 'bo-example/prompts',
      fork: true,
    });
    expect(read('pull_request.deleted-fork')).toMatchObject({ headRepository: null, fork: true });
  });

  test('accepts pull requests within a repository that is itself a fork', () => {
    const payload = mutated('pull_request', 'pull_request.head.repo.fork', true);
    const both = change(payload, 'pull_request.base.repo.fork', true);
    expect(readEvent(env('pull_request'), both).fork).toBe(false);
  });

  test('recognises Dependabot as sender, author and actor', () => {
    expect(read('pull_request.dependabot').dependabot).toBe(true);
    const byAuthor = mutated('pull_request.dependabot', 'sender', { login: 'ada-example' });
    expect(readEvent(env('pull_request'), byAuthor).dependabot).toBe(true);
    const byActor = env('push', { GITHUB_ACTOR: 'dependabot[bot]' });
    expect(readEvent(byActor, fixture('push')).dependabot).toBe(true);
  });

  test('counts a label only in the event that adds it', () => {
    const label = 'evaldiff: approved';
    const approved = read('pull_request_target.approved');
    const labeller = { login: 'ada-example', type: 'User', isAuthor: false };
    expect(approved).toMatchObject({ action: 'labeled', addedLabel: label, labeller });
    expect(isApproval(approved, label)).toBe(true);
    const own = fixture('pull_request_target.approved') as {
      pull_request: { user: { login: string } };
    };
    const sender = { login: own.pull_request.user.login.toUpperCase(), type: 'User' };
    const byAuthor = change(own, 'sender', sender);
    expect(readEvent(env('pull_request_target'), byAuthor).labeller?.isAuthor).toBe(true);
    const payload = mutated('pull_request_target.approved', 'action', 'unlabeled');
    const removed = readEvent(env('pull_request_target'), payload);
    expect(removed.addedLabel).toBeNull();
    expect(isApproval(removed, label)).toBe(false);
  });

  test('takes the commits of pushes, merge queues and other runs from the event', () => {
    const pushed = { pullRequest: null, base: BASE, head: HEAD, headBranch: 'main' };
    expect(read('push')).toMatchObject(pushed);
    expect(read('push.new-branch')).toMatchObject({ base: null, head: HEAD, headBranch: 'topic' });
    expect(read('merge_group')).toMatchObject({
      pullRequest: null,
      base: BASE,
      head: HEAD,
      action: 'checks_requested',
      headBranch: `gh-readonly-queue/main/pr-12-${BASE}`,
      headRepository: null,
      fork: true,
    });
    expect(read('schedule')).toMatchObject({ base: null, head: HEAD });
    expect(read('workflow_dispatch')).toMatchObject({ base: null, head: HEAD });
  });

  test('accepts a schedule that sends only its cron line', () => {
    const facts = readEvent(env('schedule'), { schedule: '0 4 * * *' });
    expect(facts).toMatchObject({ repository: 'acme/prompts', head: HEAD });
  });

  test('names the workflow run that caused a workflow_run event, without its pull request', () => {
    expect(read('workflow_run')).toMatchObject({
      pullRequest: null,
      base: null,
      head: HEAD,
      headRepository: 'bo-example/prompts',
      headBranch: 'friendlier',
      fork: true,
      origin: { event: 'pull_request' },
    });
  });

  test('accepts the longer commit ids of SHA-256 repositories', () => {
    const id = 'e'.repeat(64);
    expect(readEvent(env('schedule', { GITHUB_SHA: id }), {}).head).toBe(id);
  });

  test('treats a branch name with shell syntax as a plain name', () => {
    const name = 'a"$(id)`id`;${IFS}--output=x';
    const payload = mutated('pull_request', 'pull_request.head.ref', name);
    expect(readEvent(env('pull_request'), payload)).toMatchObject({ headBranch: name, head: HEAD });
  });
});

describe('mode auto', () => {
  test.each([
    ['pull_request', 'diff'],
    ['pull_request_target.fork', 'diff'],
    ['push', 'diff'],
    ['merge_group', 'diff'],
    ['workflow_run', 'diff'],
    ['workflow_dispatch', 'sweep'],
    ['schedule', 'sweep'],
  ] as const)('resolves the event %s to mode %s', (name, mode) =>
    expect(resolveMode('auto', read(name))).toBe(mode),
  );

  test('means a sweep (full run) if workflow_run follows a scheduled run', () => {
    const payload = mutated('workflow_run', 'workflow_run.event', 'schedule');
    expect(resolveMode('auto', readEvent(env('workflow_run'), payload))).toBe('sweep');
  });

  test('does not replace a mode that the user chose', () => {
    expect(resolveMode('sweep', read('pull_request'))).toBe('sweep');
    expect(resolveMode('merge', read('pull_request'))).toBe('merge');
  });
});

describe('reading an event rejects', () => {
  const hostile = '::error::gotcha\n\u001b[31m';

  test.each<[string, string, unknown, string]>([
    ['pull_request', 'pull_request', undefined, 'has another type or size'],
    ['pull_request', 'pull_request', 'yes', 'has another type or size'],
    ['pull_request', 'pull_request.number', '12', 'has another type or size'],
    ['pull_request', 'pull_request.number', -1, 'has another type or size'],
    ['pull_request', 'pull_request.number', 1.5, 'has another type or size'],
    ['pull_request', 'pull_request.number', 2 ** 60, 'has another type or size'],
    ['pull_request', 'pull_request.head.sha', 'HEAD', 'must be a commit id'],
    ['pull_request', 'pull_request.head.sha', `${HEAD}\n`, 'must be a commit id'],
    ['pull_request', 'pull_request.head.sha', '--upload-pack=id', 'must be a commit id'],
    ['pull_request', 'pull_request.base.sha', HEAD.toUpperCase(), 'must be a commit id'],
    ['pull_request', 'pull_request.base.repo', null, 'has another type or size'],
    ['pull_request', 'pull_request.base.repo.full_name', 'other/place', NOT_THIS],
    ['pull_request', 'pull_request.head.repo.full_name', hostile, 'must be a repository name'],
    ['pull_request', 'pull_request.head.ref', 'x'.repeat(100_000), 'has another type or size'],
    ['pull_request', 'pull_request.head.ref', { toString: 'x' }, 'has another type or size'],
    ['pull_request', 'action', hostile, 'must be a name such as opened'],
    ['pull_request', 'repository.full_name', 'other/place', NOT_THIS],
    ['pull_request', 'sender', 'ada', 'has another type or size'],
    ['push', 'before', null, 'has another type or size'],
    ['merge_group', 'merge_group', [], 'has another type or size'],
    ['merge_group', 'merge_group.head_sha', 42, 'has another type or size'],
    ['workflow_run', 'workflow_run.event', hostile, 'must be a name such as opened'],
    ['workflow_run', 'workflow_run.head_repository.full_name', '../../..', 'must be a repo'],
  ])('%s with a changed %s, and names the field in one line', (name, path, value, fault) => {
    const message = errorOf(() => readEvent(env(name), mutated(name, path, value)));
    expect(message).toContain(`${path} ${fault}`);
    expect(message).not.toMatch(/[\n\r\u001b]|::|gotcha|\bat \S+:\d+/);
    expect(message.length).toBeLessThan(300);
  });

  test.each([null, undefined, 7, 'text', [], true])(
    'the payload %j with a message of one line',
    (payload) => {
      expect(errorOf(() => readEvent(env('pull_request'), payload))).toMatch(
        /^The event payload \(GITHUB_EVENT_PATH\) is not a pull_request event of GitHub: it has another type or size\.$|has another type or size \(and \d more\)\.$/,
      );
    },
  );

  test('a payload with several faults, and counts those after the first', () => {
    const pull_request = { number: 1, base: {}, head: {} };
    const payload = { repository: { full_name: 'acme/prompts' }, action: 'opened', pull_request };
    expect(errorOf(() => readEvent(env('pull_request'), payload))).toMatch(
      /pull_request\.base\.sha has another type or size \(and \d more\)\.$/,
    );
  });

  test.each([
    ['issue_comment', 'issue_comment'],
    ['constructor', 'constructor'],
    ['command_line', 'command_line'],
    [hostile, 'unknown'],
  ])('the event %j, and lists the accepted events', (event, name) => {
    expect(errorOf(() => readEvent(env(event), {}))).toBe(
      `This action runs on pull_request, pull_request_target, push, merge_group, workflow_run, schedule, workflow_dispatch and repository_dispatch, but the event (GITHUB_EVENT_NAME) is ${name}. Outside GitHub Actions, use the evaldiff command.`,
    );
  });

  test('a broken environment, and names the variable', () => {
    expect(errorOf(() => readEvent({}, {}))).toContain('the event (GITHUB_EVENT_NAME) is unknown');
    const noOwner = env('push', { GITHUB_REPOSITORY: 'acme' });
    expect(errorOf(() => readEvent(noOwner, fixture('push')))).toBe(
      'GITHUB_REPOSITORY must be owner/name. The GitHub runner normally sets it.',
    );
    expect(errorOf(() => readEvent(env('schedule', { GITHUB_SHA: 'main' }), {}))).toBe(
      'GITHUB_SHA must be a commit id of 40 or 64 hexadecimal digits.',
    );
  });

  test('a file that is not JSON or is too large, and does not repeat its content', () => {
    const file = 'The event payload (GITHUB_EVENT_PATH)';
    expect(errorOf(() => parsePayload('{"a": ::error::'))).toBe(`${file} is not JSON.`);
    const large = `${' '.repeat(MAX_PAYLOAD_CHARACTERS - 2)}{}`;
    expect(errorOf(() => parsePayload(`${large} `))).toBe(`${file} is larger than 25 MB.`);
    expect(parsePayload(large)).toEqual({});
  });
});
