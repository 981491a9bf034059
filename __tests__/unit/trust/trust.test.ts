import { useOfBase, weakest } from '../../../src/trust/trust-table.ts';
import {
  isApproval,
  SOURCE_LABELS,
  sources,
  trustLevel,
  type TrustRequest,
} from '../../../src/trust/trust.ts';
import type { TrustLevel } from '../../../src/types/plain.ts';
import type { EventFacts, Origin } from '../../../src/types/repository.ts';

const HEAD = 'b'.repeat(40);

function facts(event: string, more: Partial<EventFacts> = {}): EventFacts {
  return {
    event,
    action: null,
    repository: 'acme/prompts',
    pullRequest: null,
    base: 'a'.repeat(40),
    head: HEAD,
    headRepository: 'acme/prompts',
    headBranch: 'topic',
    fork: false,
    dependabot: false,
    addedLabel: null,
    origin: null,
    ...more,
  };
}

const fork = { fork: true, headRepository: 'stranger/prompts' };
const deleted = { fork: true, headRepository: null };
const after = (event: string) => ({ origin: { event } });

const PROVED: readonly Origin[] = ['base-branch', 'own-branch'];
const UNPROVED: readonly Origin[] = ['fork', 'unknown'];

describe('trust level of an event', () => {
  const bot = { dependabot: true };
  const target = 'pull_request_target';
  const following = (event: string, more: Partial<EventFacts> = {}) =>
    facts('workflow_run', { ...after(event), ...more });
  const table: [string, EventFacts, TrustLevel][] = [
    ['push', facts('push'), 'trusted'],
    ['schedule', facts('schedule'), 'trusted'],
    ['workflow_dispatch', facts('workflow_dispatch'), 'trusted'],
    ['repository_dispatch', facts('repository_dispatch'), 'trusted'],
    ['a queue with a pull request of the repository', facts('merge_group'), 'member'],
    ['a queue with a pull request from a fork', facts('merge_group', fork), 'untrusted'],
    ['a queue with a pull request of unknown origin', facts('merge_group', deleted), 'untrusted'],
    ['a queue with a pull request by Dependabot', facts('merge_group', bot), 'untrusted'],
    ['pull_request from a branch of the repository', facts('pull_request'), 'member'],
    ['pull_request_target from a branch of the repository', facts(target), 'member'],
    ['pull_request by Dependabot', facts('pull_request', bot), 'untrusted'],
    ['pull_request_target by Dependabot', facts(target, bot), 'untrusted'],
    ['push by Dependabot', facts('push', bot), 'untrusted'],
    ['pull_request from a fork', facts('pull_request', fork), 'untrusted'],
    ['pull_request whose head repository is gone', facts('pull_request', deleted), 'untrusted'],
    ['pull_request_target from a fork', facts(target, fork), 'untrusted'],
    ['pull_request_target whose head repository is gone', facts(target, deleted), 'untrusted'],
    ['workflow_run after pull_request', following('pull_request'), 'untrusted'],
    ['workflow_run after pull_request_target', following(target), 'untrusted'],
    ['workflow_run after issue_comment', following('issue_comment'), 'untrusted'],
    ['workflow_run after workflow_dispatch', following('workflow_dispatch'), 'untrusted'],
    ['workflow_run after an unknown event', facts('workflow_run'), 'untrusted'],
    ['workflow_run after a push in another repository', following('push', fork), 'untrusted'],
    ['workflow_run after push', following('push'), 'trusted'],
    ['workflow_run after schedule', following('schedule'), 'trusted'],
    ['issue_comment', facts('issue_comment'), 'untrusted'],
    ['an event of the future', facts('solar_eclipse'), 'untrusted'],
    ['an empty event name', facts(''), 'untrusted'],
    ['the command line', facts('command_line', { headRepository: null }), 'member'],
  ];
  test.each(table)('is correct for %s', (_name, event, level) => {
    for (const head of PROVED) {
      const decision = trustLevel(event, head);
      expect(decision.level).toBe(level);
      expect(decision.foreign).toBeUndefined();
      expect(decision.reason).toMatch(/^[A-Za-z].{10,}$/);
    }
  });

  test.each(table)("of %s is untrusted if head's origin is unproven", (_name, event, level) => {
    for (const head of UNPROVED) {
      const decision = trustLevel(event, head);
      const isLocal = event.event === 'command_line';
      expect(decision.level).toBe(isLocal ? level : 'untrusted');
      // `foreign` is the origin of head if its level was lowered; `code: host` is then rejected.
      expect(decision.foreign).toBe(isLocal || level === 'untrusted' ? undefined : head);
      if (decision.foreign !== undefined)
        expect(decision.notice).toMatch(/the run is judged like an outside contributor's/);
    }
  });

  test.each([
    ['push', 'used'],
    ['pull_request', 'replaced'],
    ['merge_group', 'replaced'],
    ['workflow_dispatch', 'replaced'],
    ['workflow_run', 'replaced'],
  ])('on %s accepts a base that is on a branch or tag; any other base is %s', (event, unproved) => {
    for (const origin of PROVED)
      for (const input of [true, false]) expect(useOfBase(event, origin, input)).toBe('used');
    for (const origin of UNPROVED) {
      expect(useOfBase(event, origin, false)).toBe(unproved);
      // The base comes from an action input.
      expect(useOfBase(event, origin, true)).toBe('refused');
    }
  });

  test('is, for a commit merged from several commits, the least trusted of their origins', () => {
    expect(weakest(['base-branch', 'fork', 'own-branch'])).toBe('fork');
    expect(weakest(['unknown', 'fork'])).toBe('unknown');
    expect(weakest(['own-branch', 'base-branch'])).toBe('own-branch');
  });

  test('can be lowered by an input for every event', () => {
    for (const [, event, level] of table) {
      const asked = trustLevel(event, 'own-branch', { untrusted: true });
      expect(asked.level).toBe('untrusted');
      if (level !== 'untrusted') expect(asked.reason).toContain(`would be ${level}`);
    }
  });

  test.each<[string, EventFacts, TrustRequest, TrustLevel]>([
    ['raises the level of the command line', facts('command_line'), {}, 'trusted'],
    ['does not raise the level of a fork', facts('pull_request', fork), {}, 'untrusted'],
    ['does not raise the level of a pull request', facts('pull_request'), {}, 'member'],
    ['does not override a lower level', facts('command_line'), { untrusted: true }, 'untrusted'],
  ])('follows --trust as expected: it %s', (_, event, request, level) => {
    expect(trustLevel(event, 'own-branch', { trust: true, ...request }).level).toBe(level);
  });
});

describe('approval by label', () => {
  const LABEL = 'evaldiff: approved';
  const labeled = { action: 'labeled', addedLabel: LABEL };
  const approved: TrustRequest = { approval: { by: 'ada (write)' } };
  const target = facts('pull_request_target', { ...fork, ...labeled });

  test('raises the labelled head commit to member, and the reason names the approver', () => {
    const reason = `ada (write) approved commit ${HEAD.slice(0, 7)} with a label`;
    expect(trustLevel(target, 'fork', approved)).toEqual({
      level: 'member',
      reason,
      approved: true,
      notice: `${reason}: the pull request is judged like a member's.`,
    });
  });

  test('does not change the level if it is invalid, and the reason is reported', () => {
    const why = 'bo, who added the label, opened the pull request';
    expect(trustLevel(target, 'fork', { approval: { refused: why } })).toEqual({
      level: 'untrusted',
      reason: `head is in a fork, or in a repository that was deleted, and the job can read secrets; ${why}`,
      notice: `The approval by label does not count: ${why}.`,
    });
  });

  const onFork = (action: string, addedLabel: string | null) =>
    facts('pull_request_target', { ...fork, action, addedLabel });
  test.each<[string, EventFacts, string | null, boolean]>([
    ['the label', target, LABEL, true],
    ['a push after the label', onFork('synchronize', null), LABEL, false],
    ['another label', onFork('labeled', 'bug'), LABEL, false],
    ['the label is removed', onFork('unlabeled', LABEL), LABEL, false],
    ['no approval in the workflow', target, null, false],
    ['an empty approval label', onFork('labeled', ''), '', false],
    ['a labelled issue', facts('issues', labeled), LABEL, false],
  ])('requires the event that adds the label: %s', (_name, event, label, is) => {
    expect(isApproval(event, label)).toBe(is);
  });

  test('leaves the level untrusted if there is no head commit', () => {
    expect(trustLevel({ ...target, head: null }, 'fork', approved).level).toBe('untrusted');
  });

  test('leaves a member a member, and an input can lower an approved run', () => {
    expect(trustLevel(facts('pull_request', labeled), 'own-branch', approved).level).toBe('member');
    expect(trustLevel(target, 'fork', { ...approved, untrusted: true }).level).toBe('untrusted');
  });
});

describe('sources by trust level', () => {
  test("let an outside contributor provide only prompt text and references; everything else is base's", () => {
    const { prompt, references, ...rest } = sources('untrusted');
    expect([prompt, references]).toEqual(['head', 'head']);
    expect(rest).toEqual({
      settings: 'base-else-defaults',
      gate: 'base-else-defaults',
      budget: 'base-else-defaults',
      model: 'base',
      metrics: 'base',
      rubrics: 'base',
      expected: 'base',
      droppedReferences: 'run',
      attributes: 'base',
      otherScoring: 'not-used',
      cache: 'read',
      promptCode: 'never',
    });
  });

  test('let a member provide metrics and rubrics, but not the gate or the budget', () => {
    const scoring = { metrics: 'head', rubrics: 'head', expected: 'head', model: 'head' };
    const base = { gate: 'base-else-head', budget: 'base-else-head' };
    const cache = { otherScoring: 'scored', cache: 'read-write-own-scope' };
    expect(sources('member')).toMatchObject({ ...scoring, settings: 'head', ...base, ...cache });
  });

  test('let a trusted commit provide everything', () => {
    const head = { gate: 'head', budget: 'head', metrics: 'head', model: 'head' };
    const own = { ...head, cache: 'read-write', promptCode: 'host-only' };
    expect(sources('trusted')).toMatchObject(own);
  });

  test('have a label for every source', () => {
    expect(Object.keys(SOURCE_LABELS).sort()).toEqual(Object.keys(sources('member')).sort());
  });
});
