import type { z } from 'zod';
import { userError, type UserError } from '../../errors.ts';
import { NO_FACTS, type EventFacts } from '../../types/repository.ts';
import { Bare, fullName, MergeGroup, PullRequestEvent, Push, sha, WorkflowRun } from './payload.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export const MAX_PAYLOAD_CHARACTERS = 25 * 1024 * 1024;

export const DEPENDABOT = 'dependabot[bot]';

type Common = z.infer<typeof Bare>;

interface Context {
  event: string;
  repository: string;
  env: Environment;
}

const READERS: Readonly<Record<string, typeof push>> = {
  pull_request: pullRequest,
  pull_request_target: pullRequest,
  push,
  merge_group: mergeGroup,
  workflow_run: workflowRun,
  schedule: readBareEvent,
  workflow_dispatch: readBareEvent,
  repository_dispatch: readBareEvent,
};

export function readEvent(env: Environment, payload: unknown): EventFacts {
  const event = env['GITHUB_EVENT_NAME'] ?? '';
  const read = Object.hasOwn(READERS, event) ? READERS[event] : undefined;
  if (read === undefined) throw userError(null, unsupportedEvent(event));
  const own = fullName.safeParse(env['GITHUB_REPOSITORY']);
  if (!own.success)
    throw userError(
      null,
      'GITHUB_REPOSITORY must be owner/name. The GitHub runner normally sets it.',
    );
  return read({ event, repository: own.data, env }, payload);
}

/** @throws UserError with a one-line message that never quotes the file. */
export function parsePayload(text: string): unknown {
  if (text.length > MAX_PAYLOAD_CHARACTERS)
    throw userError(null, 'The event payload (GITHUB_EVENT_PATH) is larger than 25 MB.');
  try {
    return JSON.parse(text);
  } catch {
    throw userError(null, 'The event payload (GITHUB_EVENT_PATH) is not JSON.');
  }
}

export function resolveMode<Mode extends 'diff' | 'sweep' | 'merge' | 'noise' | 'drift'>(
  mode: 'auto' | Mode,
  facts: EventFacts,
): Mode | 'diff' | 'sweep' {
  if (mode !== 'auto') return mode;
  const event = facts.event === 'workflow_run' ? facts.origin?.event : facts.event;
  const compares =
    ['pull_request', 'pull_request_target', 'merge_group'].includes(event ?? '') ||
    facts.event === 'push';
  return compares ? 'diff' : 'sweep';
}

function pullRequest(context: Context, payload: unknown): EventFacts {
  const { pull_request: pull, ...event } = parse(PullRequestEvent, context, payload);
  const headRepository = pull.head.repo?.full_name ?? null;
  if (!sameName(pull.base.repo.full_name, context.repository)) {
    throw malformed(context, 'pull_request.base.repo.full_name is not the repository of this run');
  }
  return {
    ...commonFacts(context, event),
    baseBranch: pull.base.ref,
    action: event.action,
    pullRequest: pull.number,
    base: pull.base.sha,
    head: pull.head.sha,
    headRepository,
    headBranch: pull.head.ref,
    fork: headRepository === null || !sameName(headRepository, context.repository),
    dependabot: startedByDependabot(context, event.sender?.login) || isDependabot(pull.user?.login),
    addedLabel: event.action === 'labeled' ? (event.label?.name ?? null) : null,
    ...labellerOf(event.sender, pull.user?.login),
  };
}

function push(context: Context, payload: unknown): EventFacts {
  const { before, after, ref, ...event } = parse(Push, context, payload);
  return {
    ...commonFacts(context, event),
    base: isZero(before) ? null : before,
    // If the push has no new commit, it deleted the branch or tag.
    head: isZero(after) ? null : after,
    headBranch: shortRef(ref),
  };
}

function mergeGroup(context: Context, payload: unknown): EventFacts {
  const { merge_group: group, action: activity, ...event } = parse(MergeGroup, context, payload);
  return {
    ...commonFacts(context, event),
    ...(group.base_ref ? { baseBranch: shortRef(group.base_ref) } : {}),
    action: activity ?? null,
    base: group.base_sha,
    head: group.head_sha,
    headBranch: shortRef(group.head_ref),
    headRepository: null,
    fork: true,
  };
}

function workflowRun(context: Context, payload: unknown): EventFacts {
  const { workflow_run: run, action: activity, ...event } = parse(WorkflowRun, context, payload);
  const headRepository = run.head_repository?.full_name ?? null;
  return {
    ...commonFacts(context, event),
    action: activity ?? null,
    head: run.head_sha,
    headRepository,
    headBranch: run.head_branch,
    fork: headRepository === null || !sameName(headRepository, context.repository),
    origin: { event: run.event, runId: run.id },
  };
}

function readBareEvent(context: Context, payload: unknown): EventFacts {
  const event = parse(Bare, context, payload);
  const head = sha.safeParse(context.env['GITHUB_SHA']);
  if (!head.success)
    throw userError(null, `GITHUB_SHA ${head.error.issues[0]?.message ?? 'must be a commit id'}.`);
  return { ...commonFacts(context, event), head: head.data };
}

function commonFacts(context: Context, { repository: of, sender }: Common): EventFacts {
  return {
    ...(of?.default_branch
      ? { baseBranch: of.default_branch, defaultBranch: of.default_branch }
      : {}),
    ...NO_FACTS,
    event: context.event,
    repository: context.repository,
    headRepository: context.repository,
    dependabot: startedByDependabot(context, sender?.login),
  };
}

function parse<T extends z.ZodType<{ repository?: { full_name: string } | null | undefined }>>(
  schema: T,
  context: Context,
  payload: unknown,
): z.infer<T> {
  const result = schema.safeParse(payload);
  if (!result.success) {
    const [first, ...more] = result.error.issues;
    const rest = more.length > 0 ? ` (and ${more.length} more)` : '';
    throw malformed(
      context,
      `${first === undefined ? 'it is unreadable' : describeIssue(first)}${rest}`,
    );
  }
  const named = result.data.repository?.full_name;
  if (named !== undefined && !sameName(named, context.repository)) {
    throw malformed(context, 'repository.full_name is not the repository of this run');
  }
  return result.data;
}

/** Never quotes a value, because strangers can write payloads. */
function describeIssue(issue: z.core.$ZodIssue): string {
  const path = issue.path.length > 0 ? issue.path.join('.') : 'it';
  return `${path} ${issue.code === 'invalid_format' ? issue.message : 'has another type or size'}`;
}

function malformed({ event }: Context, detail: string): UserError {
  const message = `The event payload (GITHUB_EVENT_PATH) is not a ${event} event of GitHub: ${detail}.`;
  return userError(null, message);
}

function unsupportedEvent(event: string): string {
  const names = Object.keys(READERS);
  const list = `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
  return (
    `This action runs on ${list}, but the event (GITHUB_EVENT_NAME) is ` +
    `${/^[a-z_]{1,50}$/.test(event) ? event : 'unknown'}. Outside GitHub Actions, use the ` +
    'evaldiff command.'
  );
}

function startedByDependabot({ env }: Context, sender: string | undefined): boolean {
  return isDependabot(sender) || isDependabot(env['GITHUB_ACTOR']);
}

function labellerOf(
  sender: Common['sender'],
  author: string | undefined,
): Pick<EventFacts, 'labeller'> {
  if (!sender) return {};
  const isAuthor = author !== undefined && sameName(sender.login, author);
  return { labeller: { ...sender, isAuthor } };
}

export function isApp({ login, type }: NonNullable<Common['sender']>): boolean {
  return (type ?? 'User') !== 'User' || login.endsWith('[bot]');
}

function isDependabot(login: string | undefined): boolean {
  return login === DEPENDABOT;
}

function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function isZero(id: string): boolean {
  return /^0+$/.test(id);
}

function shortRef(ref: string): string {
  return ref.replace(/^refs\/(?:heads|tags)\//, '');
}

/** The variable's web address without a final slash; null if it is unset. */
export function address(env: Environment, name: string): string | null {
  const text = env[name] ?? '';
  if (text === '') return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw userError(
      null,
      `${name} must be an http or https address. The GitHub runner normally sets it.`,
    );
  }
  return text.replace(/\/$/, '');
}
