import {
  publishSuggestions,
  type ReviewSuggestion,
  type SuggestionJob,
} from '../../../../src/edges/github/suggestions.ts';
import {
  ACTIONS_BOT,
  SECONDARY_LIMIT,
  addReviewComment,
  workflowToken,
  type GitHubStandIn,
} from '../../../stand-ins/github/index.ts';
import { HEAD, REPOSITORY, setup, type Setup } from './setup.ts';

const MARKER = '<!-- evaldiff fix test -->';
const PATH = 'prompts/p.yaml';
const ada = { login: 'ada-example', id: 2001, type: 'User' } as const;

function suggestion(
  line: number,
  words: string,
  more: Partial<ReviewSuggestion> = {},
): ReviewSuggestion {
  const body = `${MARKER}\n${words}\n\n\`\`\`suggestion\n${words}\n\`\`\`\n`;
  return { path: PATH, startLine: line, endLine: line, body, ...more };
}

function job(suggestions: ReviewSuggestion[], more: Partial<SuggestionJob> = {}): SuggestionJob {
  const where = { repository: REPOSITORY, pullRequest: 12, headSha: HEAD };
  return { ...where, marker: MARKER, suggestions, fork: false, ...more };
}

/** A pull request whose diff shows lines 4 to 12 and 30 to 36 of one file. */
async function withDiff(...given: Parameters<typeof setup>) {
  const ready = await setup(...given);
  const [first, second] = [[4, 12] as const, [30, 36] as const];
  ready.github.state.pulls.get(12)!.diff = { [PATH]: [first, second] };
  return ready;
}

const places = ({ state }: GitHubStandIn) =>
  state.reviewComments.map(({ startLine, line, body }) => [startLine, line, body.split('\n')[1]]);

const writes = ({ requests }: Setup) =>
  requests().filter((line) => !line.startsWith('GET') && !line.includes('graphql'));

describe('a suggested fix', () => {
  test('is posted once at its line, updated there, and withdrawn when obsolete', async () => {
    const ready = await withDiff();
    const { github, client } = ready;
    const several = { startLine: 5, endLine: 7 };
    const two = suggestion(7, 'two', several);
    for (const words of ['one', 'better']) {
      expect(await publishSuggestions(client, job([suggestion(31, words), two]))).toEqual([]);
      const [first, second, ...others] = places(github);
      expect([first, second, others]).toEqual([[null, 31, words], [5, 7, 'two'], []]);
    }
    await publishSuggestions(client, job([two]));
    expect(places(github)).toEqual([[5, 7, 'two']]);
    const methods = writes(ready).map((request) => request.split(' ')[0]);
    expect(methods).toEqual(['POST', 'POST', 'PATCH', 'DELETE']);
    expect(github.state.violations).toEqual([]);
  });

  test('is replaced once its line has changed', async () => {
    const { github, client } = await withDiff();
    await publishSuggestions(client, job([suggestion(6, 'one')]));
    for (const comment of github.state.reviewComments) comment.line = null;
    await publishSuggestions(client, job([suggestion(8, 'two')]));
    expect(places(github)).toEqual([[null, 8, 'two']]);
    expect(github.state.violations).toEqual([]);
  });

  test('with a reply is marked as withdrawn instead of deleted', async () => {
    const ready = await withDiff();
    const { github, client } = ready;
    await publishSuggestions(client, job([suggestion(6, 'one')]));
    const [first] = github.state.reviewComments;
    const reply = { user: ada, body: 'I would rather not.', inReplyTo: first?.id ?? 0 };
    addReviewComment(github.state, { pull: 12, path: PATH, line: 6, ...reply });
    await publishSuggestions(client, job([]));
    await publishSuggestions(client, job([]));
    expect(github.state.reviewComments.map(({ body }) => body)).toEqual([
      `${MARKER}\nWithdrawn: this fix no longer applies to the pull request's head.\n`,
      'I would rather not.',
    ]);
    expect(writes(ready).map((request) => request.split(' ')[0])).toEqual(['POST', 'PATCH']);
  });

  test('is reported and not posted on lines outside the diff', async () => {
    const { github, client } = await withDiff();
    const across = suggestion(31, 'across', { startLine: 10, endLine: 31 });
    const [one, other, ...none] = await publishSuggestions(
      client,
      job([suggestion(20, 'outside'), across, suggestion(6, 'inside')]),
    );
    expect(one).toMatch(/^A suggested fix is only in the comment, not on line 20 .*422/);
    expect(other).toMatch(/same hunk/);
    expect(none).toEqual([]);
    expect(places(github)).toEqual([[null, 6, 'inside']]);
  });
});

describe('review comments of others', () => {
  test('are not touched if another account wrote them or if they do not start with the marker', async () => {
    const { github, client } = await withDiff();
    const at = { pull: 12, path: PATH, line: 6 };
    addReviewComment(github.state, { ...at, user: ada, body: `${MARKER}\nspoof` });
    addReviewComment(github.state, { ...at, user: ACTIONS_BOT, body: `See ${MARKER}` });
    const before = structuredClone(github.state.reviewComments);
    await publishSuggestions(client, job([]));
    expect(github.state.reviewComments).toEqual(before);
    await publishSuggestions(client, job([suggestion(6, 'one')]));
    expect(github.state.reviewComments.slice(0, 2)).toEqual(before);
    expect(github.state.reviewComments).toHaveLength(3);
  });

  test("on earlier pages do not hide evaldiff's", async () => {
    const { github, client } = await withDiff();
    await publishSuggestions(client, job([suggestion(6, 'one')]));
    const [own] = github.state.reviewComments;
    for (let count = 0; count < 120; count += 1)
      addReviewComment(github.state, { pull: 12, user: ada, body: 'x', path: PATH, line: 6 });
    github.state.reviewComments.push(github.state.reviewComments.shift()!);
    await publishSuggestions(client, job([suggestion(6, 'two')]));
    expect(own?.body).toContain('two');
    expect(github.state.reviewComments).toHaveLength(121);
  });
});

describe("GitHub's limits for suggestions", () => {
  test("prevent comments on a commit that is no longer the pull request's head", async () => {
    const ready = await withDiff();
    const left = job([suggestion(6, 'one')], { headSha: 'd'.repeat(40) });
    await publishSuggestions(ready.client, left);
    expect(writes(ready)).toEqual([]);
  });

  test('give one warning about a missing permission, and none if there is nothing to post', async () => {
    const { github, client } = await withDiff(workflowToken({ pull_requests: 'read' }));
    expect(
      await publishSuggestions(client, job([suggestion(6, 'one'), suggestion(7, 'two')])),
    ).toEqual([
      'Suggested fixes were not posted on their lines: the token is not allowed to do this (403). Give the job `permissions: pull-requests: write`.',
    ]);
    github.state.private = true;
    github.state.tokens.set('token-1', workflowToken());
    expect(await publishSuggestions(client, job([]))).toEqual([]);
  });

  test('include the secondary rate limit, which evaldiff waits out if it is short', async () => {
    const ready = await withDiff();
    ready.github.intercept('POST', /\/pulls\/12\/comments$/, ({ count }) =>
      count === 1 ? SECONDARY_LIMIT(1) : undefined,
    );
    expect(await publishSuggestions(ready.client, job([suggestion(6, 'one')]))).toEqual([]);
    expect(ready.github.state.reviewComments).toHaveLength(1);
    ready.github.intercept('POST', /\/pulls\/12\/comments$/, () => SECONDARY_LIMIT(3600));
    expect(await publishSuggestions(ready.client, job([suggestion(7, 'two')]))).toEqual([
      expect.stringContaining("GitHub's rate limit is reached"),
    ]);
  });
});
