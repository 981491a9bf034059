import { z } from 'zod';
import { commentMarker } from '../../app/session/write-reports.ts';
import { addressPath } from '../../report/sections/document.ts';
import type { Conclusion } from '../../types/plain.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Sends a request with the service's token. Throws an error if the service refuses it. */
export type Send = (
  method: 'GET' | 'POST' | 'PUT' | 'PATCH',
  url: string,
  body?: object,
) => Promise<unknown>;

interface OwnComment {
  id: string;
  body: string;
}

/** The pull request of the current job. */
export interface Review {
  /** The commit that the job evaluates, and its newest commit. */
  commit: string;
  head(send: Send): Promise<string>;
  /** Comments by the token's own account. */
  comments(send: Send): Promise<OwnComment[]>;
  create(send: Send, body: string): Promise<unknown>;
  update(send: Send, id: string, body: string): Promise<unknown>;
  status(send: Send, conclusion: Conclusion, title: string): Promise<unknown>;
  /** Page of the job, for the comment's last line. */
  run: string | null;
  /** `path` is encoded. */
  place(path: string, line: number, commit: string): string;
}

export interface Service {
  label: string;
  /** What the service calls a pull request. */
  request: string;
  /** Environment variable of the access token. */
  token: string;
  /** The right that the token needs. */
  right: string;
  headers(token: string): Record<string, string>;
  /** Maximum characters of a comment. */
  limit: number;
  /** Whether comments may have HTML. */
  html: boolean;
  /** An invisible line by which a later job recognizes the comment. */
  marker(name: string): string;
  /** Variables that the service sets in jobs of a pull request. */
  variables: readonly string[];
  review(env: Env): Review;
}

const isGreen = (conclusion: Conclusion) => conclusion === 'success' || conclusion === 'neutral';

const PAGE = 100;

const GitLabUser = z.object({ id: z.number() });
const GitLabRequest = z.object({ sha: z.string() });
const GitLabNotes = z.array(
  z.object({ id: z.number(), body: z.string(), author: z.object({ id: z.number() }) }),
);

/** https://docs.gitlab.com/api/notes and https://docs.gitlab.com/ci/variables/predefined_variables */
const gitlab: Service = {
  label: 'GitLab',
  request: 'merge request',
  token: 'GITLAB_TOKEN',
  right: 'the scope `api`',
  headers: (token) => ({ 'private-token': token }),
  limit: 1_000_000,
  html: true,
  marker: (name) => commentMarker(name),
  variables: ['CI_API_V4_URL', 'CI_PROJECT_ID', 'CI_MERGE_REQUEST_IID', 'CI_COMMIT_SHA'],
  review(env) {
    const project = env['CI_MERGE_REQUEST_PROJECT_ID'] ?? env['CI_PROJECT_ID'] ?? '';
    const own = `${env['CI_API_V4_URL'] ?? ''}/projects/${encodeURIComponent(project)}`;
    const request = `${own}/merge_requests/${env['CI_MERGE_REQUEST_IID'] ?? ''}`;
    // In a pipeline for merged results, CI_COMMIT_SHA is a temporary merge commit.
    const commit = env['CI_MERGE_REQUEST_SOURCE_BRANCH_SHA'] || (env['CI_COMMIT_SHA'] ?? '');
    const safe = (body: string) => ({ body: withoutQuickActions(body) });
    return {
      commit,
      run: env['CI_JOB_URL'] ?? null,
      place: (path, line, at) =>
        `${env['CI_PROJECT_URL'] ?? ''}/-/blob/${at}/${path}${line > 0 ? `#L${line}` : ''}`,
      head: async (send) => GitLabRequest.parse(await send('GET', request)).sha,
      async comments(send) {
        const { id: self } = GitLabUser.parse(
          await send('GET', `${env['CI_API_V4_URL'] ?? ''}/user`),
        );
        const notes: OwnComment[] = [];
        for (let page = 1; ; page += 1) {
          const url = `${request}/notes?per_page=${PAGE}&page=${page}`;
          const found = GitLabNotes.parse(await send('GET', url));
          for (const { id, body, author } of found)
            if (author.id === self) notes.push({ id: String(id), body });
          if (found.length < PAGE) return notes;
        }
      },
      create: (send, body) => send('POST', `${request}/notes`, safe(body)),
      update: (send, id, body) => send('PUT', `${request}/notes/${id}`, safe(body)),
      status: (send, conclusion, description) =>
        send('POST', `${own}/statuses/${commit}`, {
          state: isGreen(conclusion) ? 'success' : 'failed',
          name: 'evaldiff',
          description,
          target_url: env['CI_JOB_URL'],
        }),
    };
  },
};

/** GitLab runs a line of a comment that begins with `/` as a command of the token's account. */
function withoutQuickActions(body: string): string {
  return body.replaceAll(/^(\s*)\//gm, '$1&#47;');
}

const BitbucketRequest = z.object({ source: z.object({ commit: z.object({ hash: z.string() }) }) });
const BitbucketComments = z.object({
  values: z.array(
    z.object({
      id: z.number(),
      deleted: z.boolean().optional(),
      content: z.object({ raw: z.string() }),
    }),
  ),
  next: z.string().optional(),
});

/** https://developer.atlassian.com/cloud/bitbucket/rest/api-group-pullrequests */
const bitbucket: Service = {
  label: 'Bitbucket',
  request: 'pull request',
  token: 'BITBUCKET_TOKEN',
  right: 'the scope `pullrequest:write`',
  headers: (token) => ({ authorization: `Bearer ${token}` }),
  limit: 32_768,
  html: false,
  marker: (name) => `[//]: # (${commentMarker(name).replace(/^<!-- | -->$/g, '')})\n`,
  variables: ['BITBUCKET_REPO_FULL_NAME', 'BITBUCKET_PR_ID', 'BITBUCKET_COMMIT'],
  review(env) {
    const name = addressPath('', env['BITBUCKET_REPO_FULL_NAME'] ?? '');
    const own = `https://api.bitbucket.org/2.0/repositories/${name}`;
    const request = `${own}/pullrequests/${env['BITBUCKET_PR_ID'] ?? ''}`;
    const commit = env['BITBUCKET_COMMIT'] ?? '';
    const pages = `https://bitbucket.org/${name}`;
    const run = `${pages}/pipelines/results/${env['BITBUCKET_BUILD_NUMBER'] ?? ''}`;
    const raw = (body: string) => ({ content: { raw: body } });
    return {
      commit,
      run,
      place: (path, line, at) => `${pages}/src/${at}/${path}${line > 0 ? `#lines-${line}` : ''}`,
      async head(send) {
        const { source } = BitbucketRequest.parse(await send('GET', request));
        // Bitbucket shortens it to twelve digits.
        return commit.startsWith(source.commit.hash) ? commit : source.commit.hash;
      },
      // Only its author can change a comment, so a comment of another account is left alone.
      async comments(send) {
        const found: OwnComment[] = [];
        let url: string | undefined = `${request}/comments?pagelen=${PAGE}`;
        while (url?.startsWith(`${request}/comments?`) === true) {
          const page = BitbucketComments.parse(await send('GET', url));
          for (const { id, content, deleted } of page.values)
            if (deleted !== true) found.push({ id: String(id), body: content.raw });
          url = page.next;
        }
        return found;
      },
      create: (send, body) => send('POST', `${request}/comments`, raw(body)),
      update: (send, id, body) => send('PUT', `${request}/comments/${id}`, raw(body)),
      status: (send, conclusion, description) =>
        send('POST', `${own}/commit/${commit}/statuses/build`, {
          key: 'evaldiff',
          name: 'evaldiff',
          state: isGreen(conclusion) ? 'SUCCESSFUL' : 'FAILED',
          description,
          url: run,
        }),
    };
  },
};

const AzureSelf = z.object({ authenticatedUser: z.object({ id: z.string() }) });
const AzureRequest = z.object({ lastMergeSourceCommit: z.object({ commitId: z.string() }) });
const AzureThreads = z.object({
  value: z.array(
    z.object({
      id: z.number(),
      comments: z.array(
        z.object({
          id: z.number(),
          content: z.string().optional(),
          isDeleted: z.boolean().optional(),
          author: z.object({ id: z.string() }),
        }),
      ),
    }),
  ),
});

/** https://learn.microsoft.com/en-us/rest/api/azure/devops/git/pull-request-threads */
const azure: Service = {
  label: 'Azure DevOps',
  request: 'pull request',
  token: 'SYSTEM_ACCESSTOKEN',
  right: 'the permission "Contribute to pull requests"',
  headers: (token) => ({ authorization: `Bearer ${token}` }),
  limit: 150_000,
  html: true,
  marker: (name) => commentMarker(name),
  variables: [
    'SYSTEM_COLLECTIONURI',
    'SYSTEM_TEAMPROJECT',
    'BUILD_REPOSITORY_ID',
    'SYSTEM_PULLREQUEST_PULLREQUESTID',
    'SYSTEM_PULLREQUEST_SOURCECOMMITID',
  ],
  review(env) {
    const collection = env['SYSTEM_COLLECTIONURI'] ?? '';
    const project = `${collection}${encodeURIComponent(env['SYSTEM_TEAMPROJECT'] ?? '')}`;
    const own = `${project}/_apis/git/repositories/${env['BUILD_REPOSITORY_ID'] ?? ''}`;
    const request = `${own}/pullRequests/${env['SYSTEM_PULLREQUEST_PULLREQUESTID'] ?? ''}`;
    const version = 'api-version=7.1';
    const run = `${project}/_build/results?buildId=${env['BUILD_BUILDID'] ?? ''}`;
    const repository = `${project}/_git/${encodeURIComponent(env['BUILD_REPOSITORY_NAME'] ?? '')}`;
    return {
      commit: env['SYSTEM_PULLREQUEST_SOURCECOMMITID'] ?? '',
      run,
      place: (path, line, at) =>
        `${repository}?path=/${path}&version=GC${at}` +
        (line > 0 ? `&line=${line}&lineEnd=${line + 1}&lineStartColumn=1&lineEndColumn=1` : ''),
      async head(send) {
        const found = AzureRequest.parse(await send('GET', `${request}?${version}`));
        return found.lastMergeSourceCommit.commitId;
      },
      async comments(send) {
        const { authenticatedUser } = AzureSelf.parse(
          await send('GET', `${collection}_apis/connectionData?api-version=7.1-preview.1`),
        );
        const { value } = AzureThreads.parse(await send('GET', `${request}/threads?${version}`));
        return value.flatMap(({ id, comments: [first] }) =>
          first?.isDeleted !== true && first?.author.id === authenticatedUser.id
            ? [{ id: `${id}/comments/${first.id}`, body: first.content ?? '' }]
            : [],
        );
      },
      create: (send, content) =>
        send('POST', `${request}/threads?${version}`, {
          comments: [{ parentCommentId: 0, content, commentType: 'text' }],
          status: 'closed',
        }),
      update: (send, id, content) =>
        send('PATCH', `${request}/threads/${id}?${version}`, { content }),
      status: (send, conclusion, description) =>
        send('POST', `${request}/statuses?${version}`, {
          state:
            conclusion === 'neutral'
              ? 'notApplicable'
              : isGreen(conclusion)
                ? 'succeeded'
                : 'failed',
          description,
          context: { name: 'evaldiff', genre: 'evaldiff' },
          targetUrl: run,
        }),
    };
  },
};

export const REVIEW_SERVICES = { gitlab, bitbucket, azure } as const satisfies Record<
  string,
  Service
>;
