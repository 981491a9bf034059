import { z } from 'zod';
import { errorMessage } from '../../errors.ts';
import { logLine } from '../../text/log.ts';
import { shorten } from '../../text/visible.ts';

export type PublishResult =
  { ok: true; id: number | null; warnings: string[] } | { ok: false; warning: string };

export const NOT_WANTED: PublishResult = { ok: true, id: null, warnings: [] };

const FOREIGN_LENGTH = 300;

/** Makes GitHub's message safe to print. `failed`: such as `The comment was not written`. */
export function publishFailureLine(
  failed: string,
  permission: string,
  error: unknown,
  fork = false,
): string {
  return `${failed}: ${cause(error, permission, fork)}`;
}

function cause(error: unknown, permission: string, fork: boolean): string {
  if (error instanceof z.ZodError) return "GitHub's response does not have the documented form.";
  if (!isHttpError(error)) return `${serverText(errorMessage(error))}.`;
  if (error.response === undefined)
    return `GitHub could not be reached (${serverText(error.message)}).`;
  if (isRateLimit(error, error.response))
    return `GitHub's rate limit is reached (${error.status}), and waiting for it takes too long.`;
  const { status } = error;
  const said = detail(error.response.data);
  if (status === 401)
    return 'GitHub does not accept the token (401). Check the input github-token.';
  if (status === 403) return forbidden(said, permission, fork);
  if (status === 404)
    return (
      'GitHub answered "not found" (404). The token may have no access to this repository, ' +
      `or lacks \`${permission}\`.`
    );
  if (status >= 500) return `GitHub failed with an internal error (${status}), also after retries.`;
  const words = said === '' ? '.' : `: ${said}`;
  return status === 422
    ? `GitHub rejects the content (422)${words}`
    : `GitHub answers ${status}${words}`;
}

function forbidden(said: string, permission: string, fork: boolean): string {
  if (/\blocked\b/i.test(said)) return 'the conversation is locked (403).';
  if (said !== '' && !/accessible by integration/i.test(said) && !fork) {
    const ofApps = /personal access token|GitHub App/i.test(said);
    const advice = " Leave the input github-token at its default, which is an app's token.";
    return `GitHub denies it (403): ${said.replace(/\.$/, '')}.${ofApps ? advice : ''}`;
  }
  const advice = fork
    ? 'GitHub gives pull requests from forks and by Dependabot a read-only token. ' +
      `Other runs need \`permissions: ${permission}\` for the job.`
    : `Give the job \`permissions: ${permission}\`.`;
  return `the token is not allowed to do this (403). ${advice}`;
}

/** GitHub uses 403 and 429 for both of its rate limits. */
function isRateLimit({ status, message }: HttpError, { headers }: Response): boolean {
  if (status === 429) return true;
  return (
    status === 403 &&
    (headers['x-ratelimit-remaining'] === '0' ||
      headers['retry-after'] !== undefined ||
      /rate limit/i.test(message))
  );
}

interface Response {
  headers: Record<string, unknown>;
  data: unknown;
}

interface HttpError extends Error {
  status: number;
  response?: Response;
}

/** Does not use `instanceof`, because octokit's class is in a nested package. */
function isHttpError(error: unknown): error is HttpError {
  return (
    error instanceof Error &&
    error.name === 'HttpError' &&
    'status' in error &&
    typeof error.status === 'number'
  );
}

const ErrorBody = z.object({
  message: z.string(),
  errors: z
    .array(
      z.union([
        z.string(),
        z.object({
          field: z.string().optional(),
          message: z.string().optional(),
          code: z.string().optional(),
        }),
      ]),
    )
    .optional()
    .catch(undefined),
});

function detail(data: unknown): string {
  const body = ErrorBody.safeParse(data);
  if (!body.success) return '';
  const errors = (body.data.errors ?? []).map((item) =>
    typeof item === 'string'
      ? item
      : [item.field, item.message ?? item.code].filter((part) => part !== undefined).join(' '),
  );
  return serverText([body.data.message, ...errors].join('; '));
}

function serverText(text: string): string {
  return shorten(logLine(text.trim()), FOREIGN_LENGTH);
}

export function account(login: string): string {
  return /^[A-Za-z0-9][\w-]{0,99}(?:\[bot\])?$/.test(login) ? login : 'another account';
}

export function isTransient(error: unknown): boolean {
  return isHttpError(error) && (error.response === undefined || error.status >= 500);
}

export function hasStatus(error: unknown, status: number): boolean {
  return isHttpError(error) && error.response !== undefined && error.status === status;
}
