import { readFileSync } from 'node:fs';
import { useOfBase } from '../../src/trust/trust-table.ts';
import { hostRefused, sources, trustLevel } from '../../src/trust/trust.ts';
import type { EventFacts, Origin } from '../../src/types/repository.ts';

const PAGE = readFileSync(new URL('./threats.md', import.meta.url), 'utf8');
const ORIGINS: readonly Origin[] = ['base-branch', 'own-branch', 'fork', 'unknown'];

const facts = (event: string, more: Partial<EventFacts> = {}): EventFacts => ({
  event,
  action: null,
  repository: 'acme/prompts',
  pullRequest: null,
  base: null,
  head: 'b'.repeat(40),
  headRepository: 'acme/prompts',
  headBranch: null,
  fork: false,
  dependabot: false,
  addedLabel: null,
  origin: null,
  ...more,
});
const after = (event: string) => ({ origin: { event } });

const EVENTS: readonly (readonly [string, EventFacts])[] = [
  ['`push`', facts('push')],
  ['`schedule`', facts('schedule')],
  ['`workflow_dispatch`', facts('workflow_dispatch')],
  ['`repository_dispatch`', facts('repository_dispatch')],
  ['`workflow_run` after `push` or `schedule`', facts('workflow_run', after('push'))],
  ['`pull_request` of a branch', facts('pull_request')],
  ['`pull_request_target` of a branch', facts('pull_request_target')],
  ['`merge_group`, pull request of a branch', facts('merge_group')],
  ['`pull_request` of a fork', facts('pull_request', { fork: true })],
  ['`pull_request_target` of a fork', facts('pull_request_target', { fork: true })],
  ['`merge_group`, pull request of a fork', facts('merge_group', { fork: true })],
  ['any of these by Dependabot', facts('push', { dependabot: true })],
  ['`workflow_run` after anything else', facts('workflow_run', after('pull_request'))],
  ['any other event', facts('issue_comment')],
];

/** The effect of `code: host`. */
function hostCode(event: EventFacts, origin: Origin): string {
  const decision = trustLevel(event, origin);
  if (decision.foreign !== undefined) return 'is an error';
  return hostRefused(decision) === null ? 'allowed' : 'sandboxed';
}

function row(name: string, event: EventFacts) {
  const cells = ORIGINS.map((origin) => {
    const { level } = trustLevel(event, origin);
    return `${level}, host ${hostCode(event, origin)}, cache ${sources(level).cache}`;
  });
  return [name, ...cells];
}

const shown = PAGE.split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );

/** The table with this heading has these rows. */
function expectShown(expected: readonly string[][]) {
  const from = shown.findIndex(([first]) => first === expected[0]?.[0]);
  const [heading, , ...rows] = shown.slice(from, from + expected.length + 1);
  expect([heading, ...rows]).toEqual(expected);
}

describe('the tables of threats.md', () => {
  test('match the code for every event and every origin of the head commit', () => {
    const heading = [
      'head is on',
      'the base branch',
      'another branch or a tag',
      'a fork',
      'unknown',
    ];
    const expected = [heading, ...EVENTS.map(([name, event]) => row(name, event))];
    expectShown(expected);
  });

  test('match the code for every origin of the base commit', () => {
    const heading = ['base is', 'on a branch or tag', 'a fork', 'unknown'];
    const of = (event: string, isInput: boolean): string[] =>
      (['own-branch', 'fork', 'unknown'] as const).map((origin) =>
        useOfBase(event, origin, isInput),
      );
    const expected = [
      heading,
      ['named by the input `base`', ...of('workflow_dispatch', true)],
      ["the event's: `pull_request`, `merge_group`, `workflow_run`", ...of('merge_group', false)],
      ['the commits that a `push` replaced', ...of('push', false)],
    ];
    expectShown(expected);
  });
});
