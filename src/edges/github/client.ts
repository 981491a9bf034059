import { retry } from '@octokit/plugin-retry';
import { throttling, type ThrottlingOptions } from '@octokit/plugin-throttling';
import { Octokit } from '@octokit/rest';
import { z } from 'zod';
import { UserError, problem } from '../../errors.ts';
import type { Environment } from './event.ts';

/** How often one request is sent again after a failure of the server or the network. */
export const RETRIES = 2;

/**
 * How often one request waits for a rate limit to pass, and how long it waits at most, in seconds.
 */
export const RATE_LIMIT_WAITS = 2;

export const LONGEST_WAIT_S = 120;

/** Milliseconds for one attempt, its body included. */
const DEADLINE_MS = 30_000;

export interface Client {
  octokit: Octokit;
  graphqlUrl: string;
}

export interface ClientOptions {
  /**
   * May be empty: every request is then refused by GitHub, and the refusal is what the user reads.
   */
  token: string;
  /** Read for `GITHUB_API_URL` and `GITHUB_GRAPHQL_URL`. */
  env: Environment;
  /** Milliseconds in a second of waiting; tests give 1. */
  secondMs?: number | undefined;
  deadlineMs?: number;
}

/**
 * Connects to the API that the environment names (GitHub Enterprise Server included). Requests obey
 * `retry-after` and the rate limits, within the bounds above. Sends nothing yet. Throws a
 * `UserError` for an address that is none.
 */
export async function connect({
  token,
  env,
  secondMs = 1000,
  deadlineMs = DEADLINE_MS,
}: ClientOptions): Promise<Client> {
  const apiUrl = address(env, 'GITHUB_API_URL') ?? 'https://api.github.com';
  const graphqlUrl = address(env, 'GITHUB_GRAPHQL_URL') ?? graphqlOf(apiUrl);
  // The toolkit reads the event file while it is imported and throws on a broken one; by now
  // `readEvent` has seen the file.
  const toolkit = await import('@actions/github/lib/utils');
  const options = {
    baseUrl: apiUrl,
    userAgent: 'evaldiff',
    log: { debug: ignoreLog, info: ignoreLog, warn: ignoreLog, error: ignoreLog },
    request: { fetch: withDeadline(throughProxy(toolkit.defaults.request), deadlineMs) },
    retry: {
      retries: RETRIES,
      retryAfterBaseValue: secondMs,
      doNotRetry: [400, 401, 403, 404, 409, 410, 422, 429, 451],
    },
    throttle: throttle(secondMs),
  };
  const Client = Octokit.plugin(retry, throttling);
  return {
    octokit: new Client(token === '' ? options : toolkit.getOctokitOptions(token, options)),
    graphqlUrl,
  };
}

/** The account behind the token: what "our own comment" means. */
export interface Identity {
  login: string;
  id: number | null;
}

const Viewer = z.object({
  data: z.object({
    viewer: z.object({ login: z.string().min(1), databaseId: z.number().nullish() }),
  }),
});

/**
 * Asks by GraphQL, because REST's `GET /user` is closed to the workflow's own token. Rejects when
 * GitHub does.
 */
export async function tokenIdentity({ octokit, graphqlUrl }: Client): Promise<Identity> {
  const reply = await octokit.request({
    method: 'POST',
    url: graphqlUrl,
    query: 'query { viewer { login databaseId } }',
  });
  const { viewer } = Viewer.parse(reply.data).data;
  return { login: viewer.login, id: viewer.databaseId ?? null };
}

/** The longest list that is read: 50,000 items. */
const MAX_PAGES = 500;

/**
 * The items of a list, page after page of 100. Octokit's own iterator takes an empty or foreign
 * answer for an empty list, so the pages are read here: every one has to be a list of `item`.
 * Rejects when one is not, and when GitHub refuses.
 */
export async function* listAll<Item>(
  item: z.ZodType<Item>,
  ask: (page: {
    per_page: number;
    page: number;
  }) => Promise<{ data: unknown; headers: { link?: string | undefined } }>,
): AsyncGenerator<Item> {
  const list = z.array(item);
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const { data, headers } = await ask({ per_page: 100, page });
    yield* list.parse(data);
    if (headers.link?.includes('rel="next"') !== true) return;
  }
}

/**
 * Waits for rate limits alone. The second between writes that GitHub recommends is for programs
 * that write a lot; a run writes a few times, far below what GitHub allows in a minute.
 */
function throttle(secondMs: number): ThrottlingOptions {
  const again = (seconds: number, _request: object, _octokit: object, count: number): boolean =>
    count < RATE_LIMIT_WAITS && seconds <= LONGEST_WAIT_S;
  return {
    onRateLimit: again,
    onSecondaryRateLimit: again,
    retryAfterBaseValue: secondMs,
    write: noSpacing,
    notifications: noSpacing,
  };
}

const noSpacing = {
  key: () => ({ schedule: (_options: object, job: () => Promise<unknown>) => job() }),
} as unknown as NonNullable<ThrottlingOptions['write']>;

/**
 * Two things that octokit leaves open. A server that has gone quiet is given up after the deadline.
 * And a body that breaks off counts as a failed request: octokit would take it for an empty answer,
 * and an empty list of comments for "none yet".
 */
function withDeadline(send: typeof fetch, deadlineMs: number): typeof fetch {
  return async (url, init) => {
    const deadline = AbortSignal.timeout(deadlineMs);
    const signal = init?.signal ? AbortSignal.any([init.signal, deadline]) : deadline;
    try {
      const response = await send(url, { ...init, signal });
      const body = await response.arrayBuffer();
      return new Response(body.byteLength === 0 ? null : body, {
        status: response.status,
        headers: Object.fromEntries(response.headers),
      });
    } catch (error) {
      throw new Error(
        deadline.aborted ? `no complete answer within ${deadlineMs / 1000} s` : reason(error),
        { cause: error },
      );
    }
  };
}

const FailedRequest = z.object({
  message: z.string(),
  cause: z
    .object({ message: z.string().optional(), code: z.string().optional() })
    .optional()
    .catch(undefined),
});

/**
 * `fetch failed` says nothing; what failed is in the cause, for several addresses in its code
 * alone.
 */
function reason(error: unknown): string {
  const { message, cause } = FailedRequest.catch({ message: 'unknown failure' }).parse(error);
  return (
    [cause?.message, cause?.code, message].find((text) => text !== undefined && text !== '') ??
    'unknown failure'
  );
}

/** The toolkit's fetch goes through the proxy that the runner is configured with. */
function throughProxy(request: unknown): typeof fetch {
  const own =
    typeof request === 'object' && request !== null && 'fetch' in request
      ? request.fetch
      : undefined;
  return typeof own === 'function' ? (own as typeof fetch) : globalThis.fetch;
}

function address(env: Environment, name: string): string | null {
  const text = env[name] ?? '';
  if (text === '') return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new UserError([
      problem(null, `${name} must be an http or https address; the runner sets it.`),
    ]);
  }
  return text.replace(/\/$/, '');
}

function graphqlOf(apiUrl: string): string {
  return apiUrl.endsWith('/api/v3')
    ? `${apiUrl.slice(0, -'/v3'.length)}/graphql`
    : `${apiUrl}/graphql`;
}

function ignoreLog(): void {}
