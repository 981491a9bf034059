import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import {
  MAX_PAYLOAD_CHARACTERS,
  parsePayload,
  readEvent,
  resolveMode,
} from '../../../../src/edges/github/event.ts';
import { UserError } from '../../../../src/errors.ts';
import { isApproval, trustLevel } from '../../../../src/trust/trust.ts';

const BASE = '1f0c3a5e7d9b2468ace013579bdf02468ace1357';
const HEAD = '8d2e4f6a0b1c3d5e7f9a8b6c4d2e0f1a3b5c7d9e';

function env(event: string, more: Record<string, string> = {}) {
  return {
    GITHUB_EVENT_NAME: event,
    GITHUB_REPOSITORY: 'acme/prompts',
    GITHUB_SHA: HEAD,
    GITHUB_ACTOR: 'ada-example',
    ...more,
  };
}

function fixture(name: string): unknown {
  return parsePayload(
    readFileSync(new URL(`../../../../fixtures/events/${name}.json`, import.meta.url), 'utf8'),
  );
}

/** The event of a fixture is the part of its name before the first dot. */
function read(name: string) {
  return readEvent(env(name.split('.')[0] ?? ''), fixture(name));
}

function errorOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('reading an event', () => {
  test('a pull request of the repository names its commits, not the merge commit', () => {
    expect(read('pull_request')).toEqual({
      event: 'pull_request',
      action: 'synchronize',
      repository: 'acme/prompts',
      pullRequest: 12,
      base: BASE,
      baseBranch: 'main',
      head: HEAD,
      headRepository: 'acme/prompts',
      headBranch: 'shorter-capitals',
      fork: false,
      dependabot: false,
      addedLabel: null,
      labeller: { login: 'ada-example', isApp: false, isAuthor: true },
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
    // Until its pull request is looked up.
    ['merge_group', 'untrusted'],
    ['workflow_dispatch', 'trusted'],
    ['schedule', 'trusted'],
    ['workflow_run', 'untrusted'],
  ] as const)('the fixture %s is %s', (name, level) => {
    expect(trustLevel(read(name), 'own-branch').level).toBe(level);
  });

  test('a fork is known by where head lives', () => {
    expect(read('pull_request.fork')).toMatchObject({
      pullRequest: 13,
      headRepository: 'bo-example/prompts',
      fork: true,
    });
    expect(read('pull_request.deleted-fork')).toMatchObject({ headRepository: null, fork: true });
  });

  test('a repository that is itself a fork has pull requests of its own', () => {
    const payload = structuredClone(fixture('pull_request')) as {
      pull_request: { head: { repo: { fork: boolean } }; base: { repo: { fork: boolean } } };
    };
    payload.pull_request.head.repo.fork = true;
    payload.pull_request.base.repo.fork = true;
    expect(readEvent(env('pull_request'), payload).fork).toBe(false);
  });

  test('Dependabot is known as sender, as author of the pull request and as actor', () => {
    expect(read('pull_request.dependabot').dependabot).toBe(true);
    const byAuthor = {
      ...(fixture('pull_request.dependabot') as object),
      sender: { login: 'ada-example' },
    };
    expect(readEvent(env('pull_request'), byAuthor).dependabot).toBe(true);
    expect(
      readEvent(env('push', { GITHUB_ACTOR: 'dependabot[bot]' }), fixture('push')).dependabot,
    ).toBe(true);
  });

  test('a label counts only in the event that adds it', () => {
    expect(read('pull_request_target.approved')).toMatchObject({
      action: 'labeled',
      addedLabel: 'evaldiff: approved',
    });
    const label = 'evaldiff: approved';
    expect(isApproval(read('pull_request_target.approved'), label)).toBe(true);
    expect(read('pull_request_target.approved').labeller).toEqual({
      login: 'ada-example',
      isApp: false,
      isAuthor: false,
    });
    const removed = { ...(fixture('pull_request_target.approved') as object), action: 'unlabeled' };
    expect(readEvent(env('pull_request_target'), removed).addedLabel).toBeNull();
    expect(isApproval(readEvent(env('pull_request_target'), removed), label)).toBe(false);
  });

  test('push, merge queue and runs without a pull request carry their own commits', () => {
    expect(read('push')).toMatchObject({
      pullRequest: null,
      base: BASE,
      head: HEAD,
      headBranch: 'main',
    });
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

  test('a schedule may send nothing but its cron line', () => {
    expect(readEvent(env('schedule'), { schedule: '0 4 * * *' })).toMatchObject({
      repository: 'acme/prompts',
      head: HEAD,
    });
  });

  test('workflow_run names the run it follows and leaves the pull request to be looked up', () => {
    expect(read('workflow_run')).toMatchObject({
      pullRequest: null,
      base: null,
      head: HEAD,
      headRepository: 'bo-example/prompts',
      headBranch: 'friendlier',
      fork: true,
      origin: { event: 'pull_request', runId: 9000000001 },
    });
  });

  test('SHA-256 repositories have longer commit ids', () => {
    expect(readEvent(env('schedule', { GITHUB_SHA: 'e'.repeat(64) }), {}).head).toBe(
      'e'.repeat(64),
    );
  });

  test('a branch name that a shell would run stays a name', () => {
    const payload = structuredClone(fixture('pull_request')) as {
      pull_request: { head: { ref: string } };
    };
    payload.pull_request.head.ref = 'a"$(id)`id`;${IFS}--output=x';
    const facts = readEvent(env('pull_request'), payload);
    expect(facts.headBranch).toBe(payload.pull_request.head.ref);
    expect(facts.head).toBe(HEAD);
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
  ] as const)('%s means %s', (name, mode) => expect(resolveMode('auto', read(name))).toBe(mode));

  test('a run after a schedule has nothing to compare with', () => {
    const payload = structuredClone(fixture('workflow_run')) as { workflow_run: { event: string } };
    payload.workflow_run.event = 'schedule';
    expect(resolveMode('auto', readEvent(env('workflow_run'), payload))).toBe('sweep');
  });

  test('a mode that was asked for is kept', () => {
    expect(resolveMode('sweep', read('pull_request'))).toBe('sweep');
    expect(resolveMode('merge', read('pull_request'))).toBe('merge');
  });
});

describe('what is refused', () => {
  type Path = (string | number)[];
  function mutated(name: string, path: Path, value: unknown): unknown {
    const payload = structuredClone(fixture(name)) as Record<string | number, unknown>;
    let node = payload;
    for (const key of path.slice(0, -1)) node = node[key] as Record<string | number, unknown>;
    const last = path.at(-1) ?? '';
    if (value === undefined) delete node[last];
    else node[last] = value;
    return payload;
  }
  const hostile = '::error::gotcha\n\u001b[31m';

  test.each<[string, Path, unknown, RegExp]>([
    ['pull_request', ['pull_request'], undefined, /pull_request must be a map/],
    ['pull_request', ['pull_request'], 'yes', /pull_request must be a map/],
    [
      'pull_request',
      ['pull_request', 'number'],
      '12',
      /pull_request\.number must be of type number/,
    ],
    ['pull_request', ['pull_request', 'number'], -1, /pull_request\.number is too small/],
    ['pull_request', ['pull_request', 'number'], 1.5, /pull_request\.number must be of type int/],
    ['pull_request', ['pull_request', 'number'], 2 ** 60, /pull_request\.number is too large/],
    [
      'pull_request',
      ['pull_request', 'head', 'sha'],
      'HEAD',
      /pull_request\.head\.sha must be a commit id/,
    ],
    [
      'pull_request',
      ['pull_request', 'head', 'sha'],
      `${HEAD}\n`,
      /pull_request\.head\.sha must be a commit id/,
    ],
    [
      'pull_request',
      ['pull_request', 'head', 'sha'],
      '--upload-pack=id',
      /pull_request\.head\.sha must be a commit id/,
    ],
    [
      'pull_request',
      ['pull_request', 'base', 'sha'],
      HEAD.toUpperCase(),
      /pull_request\.base\.sha must be a commit id/,
    ],
    [
      'pull_request',
      ['pull_request', 'base', 'repo'],
      null,
      /pull_request\.base\.repo must be a map/,
    ],
    [
      'pull_request',
      ['pull_request', 'base', 'repo', 'full_name'],
      'other/place',
      /base\.repo\.full_name is not the repository of this run/,
    ],
    [
      'pull_request',
      ['pull_request', 'head', 'repo', 'full_name'],
      hostile,
      /head\.repo\.full_name must be a repository name/,
    ],
    [
      'pull_request',
      ['pull_request', 'head', 'ref'],
      'x'.repeat(100_000),
      /head\.ref is too large or too long/,
    ],
    [
      'pull_request',
      ['pull_request', 'head', 'ref'],
      { toString: 'x' },
      /head\.ref must be of type string/,
    ],
    ['pull_request', ['action'], hostile, /action must be the name of an activity/],
    [
      'pull_request',
      ['repository', 'full_name'],
      'other/place',
      /repository\.full_name is not the repository of this run/,
    ],
    ['pull_request', ['sender'], 'ada', /sender must be a map/],
    ['push', ['before'], null, /before must be of type string/],
    ['merge_group', ['merge_group'], [], /merge_group must be a map/],
    [
      'merge_group',
      ['merge_group', 'head_sha'],
      42,
      /merge_group\.head_sha must be of type string/,
    ],
    ['workflow_run', ['workflow_run', 'id'], 'x', /workflow_run\.id must be of type number/],
    [
      'workflow_run',
      ['workflow_run', 'event'],
      hostile,
      /workflow_run\.event must be the name of an activity/,
    ],
    [
      'workflow_run',
      ['workflow_run', 'head_repository', 'full_name'],
      '../../../..',
      /head_repository\.full_name must be a repository name/,
    ],
  ])('%s with a changed %j is one line that names the field', (name, path, value, expected) => {
    const message = errorOf(() => readEvent(env(name), mutated(name, path, value)));
    expect(message).toMatch(expected);
    expect(message).not.toMatch(/[\n\r\u001b]|::|gotcha|\bat \S+:\d+/);
    expect(message.length).toBeLessThan(300);
  });

  test.each([null, undefined, 7, 'text', [], true])(
    'a payload that is %j is refused in one line',
    (payload) => {
      expect(errorOf(() => readEvent(env('pull_request'), payload))).toMatch(
        /^The event payload \(GITHUB_EVENT_PATH\) is not a pull_request event of GitHub: it must be a map\.$|must be a map \(and \d more\)\.$/,
      );
    },
  );

  test('several faults are counted behind the first', () => {
    const payload = {
      repository: { full_name: 'acme/prompts' },
      action: 'opened',
      pull_request: { number: 1, base: {}, head: {} },
    };
    expect(errorOf(() => readEvent(env('pull_request'), payload))).toMatch(
      /pull_request\.base\.sha must be of type string \(and \d more\)\.$/,
    );
  });

  test('an event this action does not run on is named, with those it does', () => {
    const list =
      'pull_request, pull_request_target, push, merge_group, workflow_run, schedule, workflow_dispatch and repository_dispatch';
    expect(errorOf(() => readEvent(env('issue_comment'), {}))).toBe(
      `This action runs on ${list}; this is issue_comment.`,
    );
    expect(errorOf(() => readEvent(env('constructor'), {}))).toBe(
      `This action runs on ${list}; this is constructor.`,
    );
    expect(errorOf(() => readEvent(env('command_line'), {}))).toBe(
      `This action runs on ${list}; this is command_line.`,
    );
    expect(errorOf(() => readEvent(env(hostile), {}))).toBe(
      `This action runs on ${list}; this is an unknown event.`,
    );
    expect(errorOf(() => readEvent({}, {}))).toContain('GITHUB_EVENT_NAME is not set');
  });

  test('a broken environment is named', () => {
    expect(
      errorOf(() => readEvent(env('push', { GITHUB_REPOSITORY: 'acme' }), fixture('push'))),
    ).toBe('GITHUB_REPOSITORY must be set to owner/name; the runner does so.');
    expect(errorOf(() => readEvent(env('schedule', { GITHUB_SHA: 'main' }), {}))).toBe(
      'GITHUB_SHA must be a commit id of 40 or 64 hexadecimal digits.',
    );
  });

  test('a file that is not JSON, or too large, is refused without being repeated', () => {
    expect(errorOf(() => parsePayload('{"a": ::error::'))).toBe(
      'The event payload (GITHUB_EVENT_PATH) is not JSON.',
    );
    expect(errorOf(() => parsePayload(' '.repeat(MAX_PAYLOAD_CHARACTERS + 1)))).toBe(
      'The event payload (GITHUB_EVENT_PATH) is larger than 25 MB.',
    );
    expect(parsePayload(`${' '.repeat(MAX_PAYLOAD_CHARACTERS - 2)}{}`)).toEqual({});
  });
});
