import { Option } from 'commander';
import { z } from 'zod';
import { savedResult } from '../../app/commands/files.ts';
import type { AddCommand, Terminal } from '../../app/commands/terminal.ts';
import { webRequest } from '../../edges/github/web-request.ts';
import { errorMessage } from '../../errors.ts';
import { exitCode } from '../../kernel/result/outcome.ts';
import type { Result } from '../../kernel/result/result.ts';
import { checkTitle, renderComment } from '../../report/comment.ts';
import { addressPath, NO_LINKS, type Links } from '../../report/sections/document.ts';
import { loadReports, type Reports } from '../../report/sections/feature-report.ts';
import { logLine } from '../../text/log.ts';
import { shorten } from '../../text/visible.ts';
import { REVIEW_SERVICES, type Review, type Send, type Service } from './services.ts';

type ServiceName = keyof typeof REVIEW_SERVICES;

interface PublishOptions {
  to: ServiceName;
  name: string;
}

export const publishCommand: AddCommand = (program, terminal, done) => {
  program
    .command('publish')
    .description("write a saved result into the CI job's pull request")
    .argument('[path]', 'a result.json, or its folder (default: the newest run)')
    .addOption(
      new Option('--to <service>', 'the service of the pull request')
        .choices(Object.keys(REVIEW_SERVICES))
        .makeOptionMandatory(),
    )
    .option('--name <name>', 'tells several comments in one pull request apart', 'evaldiff')
    .addHelpText(
      'after',
      `
The exit code is that of the run. Each service needs an access token in a variable:
${Object.values(REVIEW_SERVICES)
  .map(({ label, token, right }) => `  ${label}: ${token}, with ${right}`)
  .join('\n')}

Example: evaldiff publish --to gitlab evaldiff-report`,
    )
    .action(async (path: string | undefined, options: PublishOptions) => {
      const result = await savedResult(path, terminal);
      const lines = await publishTo(
        REVIEW_SERVICES[options.to],
        { result, name: options.name },
        terminal,
      );
      for (const line of lines) terminal.out(`${logLine(line)}\n`);
      done(exitCode(result.conclusion));
    });
};

/** What was written, or why not, as sentences. Nothing here changes the verdict. */
export async function publishTo(
  service: Service,
  { result, name }: { result: Result; name: string },
  { env, features }: Pick<Terminal, 'env' | 'features'>,
  request = webRequest,
): Promise<string[]> {
  const missing = service.variables.filter((variable) => !env[variable]);
  if (missing.length > 0)
    return [
      `Nothing was published: ${missing.join(', ')} is not set, so this is not a job of a ` +
        `${service.request} on ${service.label}.`,
    ];
  const token = env[service.token];
  if (!token)
    return [
      `Nothing was published: set ${service.token} to an access token with ${service.right}. ` +
        `Jobs of a fork do not get it.`,
    ];
  const review = service.review(env);
  const send = sender(service, token, request);
  const title = checkTitle(result);
  const reports = await loadReports(features);
  const tasks = {
    comment: upsertComment(service, review, send, { result, name, reports }),
    status: review.status(send, result.conclusion, title).then(() => null),
  };
  return Promise.all(
    Object.entries(tasks).map(async ([what, task]) => {
      const why = await task.catch((error: unknown) => failureWords(service, error));
      return why === null ? `The ${what} was written.` : `The ${what} was not written: ${why}`;
    }),
  );
}

async function upsertComment(
  service: Service,
  review: Review,
  send: Send,
  { result, name, reports }: { result: Result; name: string; reports: Reports },
): Promise<string | null> {
  const head = await review.head(send);
  if (head !== review.commit)
    return `the ${service.request} is at ${head.slice(0, 12)} by now, which has its own job.`;
  const marker = service.marker(name);
  const own = (await review.comments(send)).filter(({ body }) => body.includes(marker));
  const body = renderComment(result, {
    marker,
    reports,
    limit: service.limit,
    links: linksOf(review, result),
    html: service.html,
  });
  const newest = own.at(-1);
  if (newest === undefined) await review.create(send, body);
  else
    await review.update(send, newest.id, body).catch(async (error: unknown) => {
      if (!isRefused(error)) throw error;
      await review.create(send, body);
    });
  return null;
}

function linksOf(review: Review, { base, head, source }: Result): Links {
  const directory = source?.directory ?? '.';
  return {
    ...NO_LINKS,
    run: review.run,
    place: (file, line, side) =>
      review.place(
        addressPath(directory, file),
        line,
        side === 'base' ? (base ?? head).sha : review.commit,
      ),
  };
}

class RefusedRequest extends Error {
  readonly status: number;

  constructor(status: number, said: string) {
    super(said);
    this.status = status;
  }
}

const isRefused = (error: unknown) =>
  error instanceof RefusedRequest && [403, 404].includes(error.status);

const SAID_CHARS = 200;

/** Redirects are errors, because they could take the token to another host. */
function sender(service: Service, token: string, request: typeof webRequest): Send {
  return async (method, url, body) => {
    const { status, bytes } = await request(url, {
      method,
      headers: {
        ...service.headers(token),
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = bytes.toString();
    if (status < 200 || status >= 300)
      throw new RefusedRequest(status, shorten(text.replaceAll(token, '***'), SAID_CHARS));
    return text === '' ? null : (JSON.parse(text) as unknown);
  };
}

function failureWords({ label, token, right }: Service, error: unknown): string {
  if (error instanceof z.ZodError || error instanceof SyntaxError)
    return `${label}'s reply does not have the documented form.`;
  if (!(error instanceof RefusedRequest))
    return `${label} could not be reached (${errorMessage(error)}).`;
  const { status, message } = error;
  if (status === 401) return `${label} does not accept the token in ${token} (401).`;
  if (status === 403 || status === 404)
    return `${label} refuses it (${status}). The token in ${token} needs ${right}.`;
  return `${label} answers ${status}: ${message}`;
}
