import { z } from 'zod';

export const sha = z
  .string()
  .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'must be a commit id of 40 or 64 hexadecimal digits');

const positive = z.number().int().positive();

export const fullName = z
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

export const PullRequestEvent = z.object({
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

export const Push = z.object({ ...common, before: sha, after: sha, ref: branch });

export const MergeGroup = z.object({
  ...common,
  action: action.nullish(),
  merge_group: z.object({
    base_sha: sha,
    base_ref: branch.nullish(),
    head_sha: sha,
    head_ref: branch,
  }),
});

export const WorkflowRun = z.object({
  ...common,
  action: action.nullish(),
  workflow_run: z.object({
    id: positive,
    event: action,
    head_sha: sha,
    head_branch: branch.nullable(),
    head_repository: repository.nullable(),
  }),
});

/** A schedule's payload may contain just its cron line. */
export const Bare = z.object({ repository: repository.nullish(), sender: actor.nullish() });
