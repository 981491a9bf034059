import { z } from 'zod';
import { userError, type UserError } from '../../errors.ts';
import { NO_FACTS, type EventFacts } from '../../types/repository.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export const MAX_PAYLOAD_CHARACTERS = 25 * 1024 * 1024;

export const DEPENDABOT = 'dependabot[bot]';

const sha = z
  .string()
  .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'must be a commit id of 40 or 64 hexadecimal digits');

const positive = z.number().int().positive();

const fullName = z
  .string()
  .regex(
    /^[A-Za-z0-9][\w-]{0,99}\/(?!\.{1,2}$)[\w.-]{1,100}$/,
    'must be a repository name like owner/name',
  );

const branch = z.string().min(1).max(1000);

const action = z.string().regex(/^[a-z_]{1,50}$/, 'must be a name such as opened');

const actor = z.object({
  login: z.string().min(1).max(100),
  type: z.string().max(100).nullish(),
});

const repository = z.object({ full_name: fullName, default_branch: branch.nullish() });

const common = { repository, sender: actor.nullish() };

const PullRequestEvent = z.object({
  ...common,
  action,
  label: z.object({ name: z.string().max(1000) }).nullish(),
  pull_request: z.object({
    number: positive,
    user: actor.nullish(),
    base: z.object({ sha, ref: branch, repo: repository }),
    head: z.object({ sha, ref: branch, repo: repository.nullable() }),
  }),
});

const Push = z.object({ ...common, before: sha, after: sha, ref: branch });

const MergeGroup = z.object({
  ...common,
  action: action.nullish(),
  merge_group: z.object({
    base_sha: sha,
    base_ref: branch.nullish(),
    head_sha: sha,
    head_ref: branch,
  }),
});

const WorkflowRun = z.object({
  ...common,
  action: action.nullish(),
  workflow_run: z.object({
    event: action,
    head_sha: sha,
    head_branch: branch.nullable(),
    head_repository: repository.nullable(),
  }),
});

/** A schedule's payload may contain just its cron line. */
const Bare = z.object({ repository: repository.nullish(), sender: actor.nullish() });

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
  if (read === undefined) {
    const names = Object.keys(READERS);
    throw userError(
      null,
      `This action runs on ${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}, but the ` +
        `event (GITHUB_EVENT_NAME) is ${/^[a-z_]{1,50}$/.test(event) ? event : 'unknown'}. ` +
        'Outside GitHub Actions, use the evaldiff command.',
    );
  }
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
  const common = commonFacts(context, event);
  const author = pull.user?.login ?? '';
  return {
    ...common,
    baseBranch: pull.base.ref,
    action: event.action,
    pullRequest: pull.number,
    base: pull.base.sha,
    head: pull.head.sha,
    headRepository,
    headBranch: pull.head.ref,
    fork: headRepository === null || !sameName(headRepository, context.repository),
    dependabot: common.dependabot || author === DEPENDABOT,
    addedLabel: event.action === 'labeled' ? (event.label?.name ?? null) : null,
    ...(event.sender && {
      labeller: {
        ...event.sender,
        isAuthor: sameName(event.sender.login, author),
      },
    }),
  };
}

function push(context: Context, payload: unknown): EventFacts {
  const { before, after, ref, ...event } = parse(Push, context, payload);
  return {
    ...commonFacts(context, event),
    base: NO_COMMIT.test(before) ? null : before,
    // If the push has no new commit, it deleted the branch or tag.
    head: NO_COMMIT.test(after) ? null : after,
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
    origin: { event: run.event },
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
    dependabot: [sender?.login, context.env['GITHUB_ACTOR']].includes(DEPENDABOT),
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
    const path = first?.path.join('.') || 'it';
    // Never quotes a value, because strangers can write payloads.
    const flaw = first?.code === 'invalid_format' ? first.message : 'has another type or size';
    throw malformed(context, `${path} ${flaw}${rest}`);
  }
  const named = result.data.repository?.full_name;
  if (named !== undefined && !sameName(named, context.repository)) {
    throw malformed(context, 'repository.full_name is not the repository of this run');
  }
  return result.data;
}

function malformed({ event }: Context, detail: string): UserError {
  const message = `The event payload (GITHUB_EVENT_PATH) is not a ${event} event of GitHub: ${detail}.`;
  return userError(null, message);
}

export function isApp({ login, type }: NonNullable<Common['sender']>): boolean {
  return (type ?? 'User') !== 'User' || login.endsWith('[bot]');
}

function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

const NO_COMMIT = /^0+$/;

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
