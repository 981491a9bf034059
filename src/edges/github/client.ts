import { retry } from '@octokit/plugin-retry';
import { throttling, type ThrottlingOptions } from '@octokit/plugin-throttling';
import { Octokit } from '@octokit/rest';
import { z } from 'zod';
import { member } from '../../types/plain.ts';
import { address, type Environment } from './event.ts';

export const RETRIES = 2;

/** How often a request waits for a rate limit, and the longest wait in seconds. */
export const RATE_LIMIT_WAITS = 2;

export const LONGEST_WAIT_S = 120;

const DEADLINE_MS = 30_000;

export interface Client {
  octokit: Octokit;
  graphqlUrl: string;
}

export interface ClientOptions {
  token: string;
  env: Environment;
  secondMs?: number | undefined;
  deadlineMs?: number;
}

export async function connect({
  token,
  env,
  secondMs = 1000,
  deadlineMs = DEADLINE_MS,
}: ClientOptions): Promise<Client> {
  const apiUrl = address(env, 'GITHUB_API_URL') ?? 'https://api.github.com';
  const graphqlUrl =
    address(env, 'GITHUB_GRAPHQL_URL') ?? `${apiUrl.replace(/(\/api)\/v3$/, '$1')}/graphql`;
  // This import throws for an invalid event file, but `readEvent` has already checked the file.
  const toolkit = await import('@actions/github/lib/utils');
  const { fetch: fetchOfProxy = globalThis.fetch } = (toolkit.defaults.request ?? {}) as {
    fetch?: typeof fetch;
  };
  const options = {
    baseUrl: apiUrl,
    userAgent: 'evaldiff',
    log: { debug: ignoreLog, info: ignoreLog, warn: ignoreLog, error: ignoreLog },
    request: { fetch: withDeadline(fetchOfProxy, deadlineMs) },
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

export interface Identity {
  login: string;
  id: number | null;
}

const Viewer = z.object({
  data: z.object({
    viewer: z.object({ login: z.string().min(1), databaseId: z.number().nullish() }),
  }),
});

/** Uses GraphQL, because the workflow's token may not call REST's `GET /user`. */
export async function tokenIdentity({ octokit, graphqlUrl }: Client): Promise<Identity> {
  const reply = await octokit.request({
    method: 'POST',
    url: graphqlUrl,
    query: 'query { viewer { login databaseId } }',
  });
  const { viewer } = Viewer.parse(reply.data).data;
  return { login: viewer.login, id: viewer.databaseId ?? null };
}

const MAX_PAGES = 500;

/** octokit's iterator would treat an empty reply, or one in another format, as an empty list. */
export async function listAll<Item>(
  item: z.ZodType<Item>,
  ask: (page: {
    per_page: number;
    page: number;
  }) => Promise<{ data: unknown; headers: { link?: string | undefined } }>,
  isWanted: (item: Item) => boolean = () => true,
): Promise<Item[]> {
  const list = z.array(item);
  const found: Item[] = [];
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const { data, headers } = await ask({ per_page: 100, page });
    found.push(...list.parse(data).filter(isWanted));
    if (headers.link?.includes('rel="next"') !== true) break;
  }
  return found;
}

/** Unlike Octokit's default, does not wait a second between writes. */
function throttle(secondMs: number): ThrottlingOptions {
  const again = (seconds: number, _request: object, _octokit: object, count: number) =>
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

/** Reads the whole body, because Octokit would treat a truncated body as empty. */
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

function reason(error: unknown): string {
  const cause = member(error, 'cause');
  const words = [member(cause, 'message'), member(cause, 'code'), member(error, 'message')];
  return words.map((text) => String(text ?? '')).find(Boolean) ?? 'unknown failure';
}

function ignoreLog(): void {}
