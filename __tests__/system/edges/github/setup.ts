import { connect, type Client, type ClientOptions } from '../../../../src/edges/github/client.ts';
import { addPull, startValidatingGitHub, workflowToken } from '../../../stand-ins/github/index.ts';
import type { GitHubStandIn, Token } from '../../../stand-ins/github/index.ts';

export const REPOSITORY = 'acme/prompts';
export const HEAD = 'a'.repeat(40);
export const NOW = new Date('2026-11-02T10:00:00Z');

const open: GitHubStandIn[] = [];
afterEach(() => Promise.all(open.splice(0).map((github) => github.close())));

export interface Setup {
  github: GitHubStandIn;
  client: Client;
  requests: () => string[];
}

/** A simulated GitHub with pull request 12 at `HEAD`, and a client. Both close after the test. */
export async function setup(
  token: Token = workflowToken({ pull_requests: 'write', checks: 'write' }),
  options: Partial<ClientOptions> = {},
): Promise<Setup> {
  const github = await startValidatingGitHub({
    repository: REPOSITORY,
    tokens: { 'token-1': token },
    now: () => NOW,
  });
  open.push(github);
  addPull(github.state, { number: 12, head: { ref: 'topic', sha: HEAD, repository: REPOSITORY } });
  const env = { GITHUB_API_URL: github.apiUrl, GITHUB_GRAPHQL_URL: github.graphqlUrl };
  const client = await connect({ token: 'token-1', env, secondMs: 1, ...options });
  /** `POST /repos/…` of every request so far, without owner and name. */
  const requests = () =>
    github.state.exchanges.map(
      ({ method, path }) => `${method} ${path.replace(`/repos/${REPOSITORY}`, '')}`,
    );
  return { github, client, requests };
}
