import {
  LONGEST_WAIT_S,
  RATE_LIMIT_WAITS,
  RETRIES,
  connect,
  tokenIdentity,
} from '../../../../src/edges/github/client.ts';
import { publishFailureLine } from '../../../../src/edges/github/published.ts';
import { currentHead } from '../../../../src/edges/github/pull.ts';
import { UserError } from '../../../../src/errors.ts';
import { PRIMARY_LIMIT, SECONDARY_LIMIT, type Instead } from '../../../stand-ins/github/index.ts';
import { HEAD, REPOSITORY, setup, type Setup } from './setup.ts';

const PULL = /\/pulls\/12$/;

/**
 * Reads the head of pull request 12. If that fails, returns the message that evaldiff would report.
 */
async function readHead({ client }: Setup) {
  try {
    return await currentHead(client, REPOSITORY, 12);
  } catch (error) {
    return publishFailureLine('It failed', 'pull-requests: read', error);
  }
}

/** Answers the first `times` requests with `instead`. */
function fail({ github }: Setup, times: number, instead: Instead) {
  github.intercept('GET', PULL, ({ count }) => (count <= times ? instead : undefined));
}

describe('temporary failures', () => {
  const refusal = (status: number, message: string): Instead => {
    return { status, body: { message, documentation_url: 'x' } };
  };
  const serverError = refusal(502, 'Bad Gateway');
  test.each<[string, Instead]>([
    ['a 502', serverError],
    ['a connection that is reset', 'reset'],
    ['an answer that breaks off', 'cut'],
  ])('are retried: %s', async (_what, instead) => {
    const run = await setup();
    fail(run, RETRIES, instead);
    expect(await readHead(run)).toBe(HEAD);
    expect(run.requests()).toHaveLength(RETRIES + 1);
  });

  test('cause an error if every retry ends with status 502', async () => {
    const run = await setup();
    fail(run, Infinity, serverError);
    expect(await readHead(run)).toBe(
      'It failed: GitHub failed with an internal error (502), also after retries.',
    );
    expect(run.requests()).toHaveLength(RETRIES + 1);
  });

  test.each([400, 401, 403, 404, 409, 410, 422])(
    'do not include status %i, which is not retried',
    async (status) => {
      const run = await setup();
      fail(run, Infinity, refusal(status, 'No.'));
      expect(await readHead(run)).toMatch(new RegExp(`^It failed: .*${status}`));
      expect(run.requests()).toHaveLength(1);
    },
  );

  test("include GitHub's secondary rate limit, which the client waits out", async () => {
    const run = await setup();
    fail(run, RATE_LIMIT_WAITS, SECONDARY_LIMIT(30));
    expect(await readHead(run)).toBe(HEAD);
    expect(run.requests()).toHaveLength(RATE_LIMIT_WAITS + 1);
  });

  test('include the hourly limit if it ends soon', async () => {
    const run = await setup();
    fail(run, 1, PRIMARY_LIMIT(-1, new Date()));
    expect(await readHead(run)).toBe(HEAD);
    expect(run.requests()).toHaveLength(2);
  });

  test.each<[string, Instead, number]>([
    ['a secondary limit that stays', SECONDARY_LIMIT(1), RATE_LIMIT_WAITS + 1],
    ['a secondary limit longer than we wait', SECONDARY_LIMIT(LONGEST_WAIT_S + 1), 1],
    ['an hourly limit longer than we wait', PRIMARY_LIMIT(3600, new Date(Date.now())), 1],
    ['a 429 in unknown words', refusal(429, 'Slow down'), 1],
  ])('cause an error if they last too long: %s', async (_what, instead, requests) => {
    const run = await setup();
    fail(run, Infinity, instead);
    expect(await readHead(run)).toMatch(
      /^It failed: GitHub's rate limit is reached \(4(03|29)\), and waiting for it takes too long\.$/,
    );
    expect(run.requests()).toHaveLength(requests);
  });

  test('include a server that does not answer before the deadline', async () => {
    const run = await setup(undefined, { deadlineMs: 30 });
    fail(run, Infinity, 'hang');
    expect(await readHead(run)).toBe(
      'It failed: GitHub could not be reached (no complete answer within 0.03 s).',
    );
    expect(run.requests()).toHaveLength(RETRIES + 1);
  });

  test('include a server that refuses the connection', async () => {
    const run = await setup();
    await run.github.close();
    expect(await readHead(run)).toMatch(
      /^It failed: GitHub could not be reached \(.*ECONNREFUSED.*\)\.$/,
    );
  });
});

describe('addresses', () => {
  test('of API and GraphQL come from the environment', async () => {
    const { client, requests } = await setup();
    expect(await tokenIdentity(client)).toEqual({ login: 'github-actions[bot]', id: 41898282 });
    expect(requests()).toEqual(['POST /graphql']);
  });

  test("of GraphQL are derived from the API's if the environment has none", async () => {
    const { github } = await setup();
    const env = { GITHUB_API_URL: `${github.apiUrl}/` };
    const derived = await connect({ token: 'token-1', env });
    expect(derived.graphqlUrl).toBe(github.graphqlUrl);
    expect((await tokenIdentity(derived)).login).toBe('github-actions[bot]');
    const { graphqlUrl } = await connect({ token: 'x', env: {} });
    expect(graphqlUrl).toBe('https://api.github.com/graphql');
  });

  test.each(['api.github.example', 'file:///etc/passwd', 'not an address'])(
    'such as %s are rejected',
    async (url) => {
      const message =
        'GITHUB_API_URL must be an http or https address. The GitHub runner normally sets it.';
      await expect(connect({ token: 'x', env: { GITHUB_API_URL: url } })).rejects.toThrow(
        new UserError([{ place: null, message }]),
      );
    },
  );

  test("are by default reached through GitHub's toolkit, with the runner's proxy", async () => {
    const { github } = await setup();
    const env = { GITHUB_API_URL: github.apiUrl, GITHUB_GRAPHQL_URL: github.graphqlUrl };
    const client = await connect({ token: 'token-1', env });
    expect(await currentHead(client, REPOSITORY, 12)).toBe(HEAD);
    expect(github.state.violations).toEqual([]);
  });

  test('that reject GraphQL or cannot be reached cause an error without hanging', async () => {
    const { client, github } = await setup();
    github.intercept('POST', /\/graphql$/, ({ count }) =>
      count === 1 ? { status: 200, body: { errors: [{ message: 'no' }] } } : 'reset',
    );
    await expect(tokenIdentity(client)).rejects.toThrow();
    await expect(tokenIdentity(client)).rejects.toThrow();
  });
});
