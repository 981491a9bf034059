import { posix } from 'node:path';
import { INPUT_DEFAULTS, type Inputs } from '../../config/inputs.ts';
import { projectMark } from '../../edges/store/artifact.ts';
import { shorten, visibleLine } from '../../text/visible.ts';
import type { EventFacts } from '../../types/repository.ts';
import { commentMarker, suggestionMarker } from '../session/write-reports.ts';

export interface RunIdentity {
  hash: string;
  /** Text that names the project folder, settings file and overrides. Empty for the defaults. */
  about: string;
  /** If empty, no check run is created. */
  checkName: string;
  markers: { comment: string; fix: string };
}

const MAX_NAME = 100;

export function runIdentity(
  { checkName, workingDirectory, read: { config, overrides } }: Inputs,
  env: NodeJS.ProcessEnv,
): RunIdentity {
  const job = env['GITHUB_JOB'] ?? '';
  const folder = posix.normalize(workingDirectory || '.');
  const parts = [
    ...(folder === '.' ? [] : [folder]),
    ...(config === INPUT_DEFAULTS.config ? [] : [config]),
    ...selectionOverrides(overrides),
  ];
  const whole = visibleLine(parts.join(', '));
  const hash = projectMark(JSON.stringify([workflowOf(env), job, ...parts, checkName]));
  const about = bounded(whole, hash);
  const name = checkName ?? '';
  const visible = name === INPUT_DEFAULTS['check-name'] ? suffixed(name, about) : name;
  return {
    hash,
    about,
    checkName: visible,
    markers: {
      comment: commentMarker(visible, hash),
      fix: suggestionMarker(visible, hash),
    },
  };
}

function suffixed(name: string, suffix: string): string {
  return suffix === '' ? name : `${name} (${suffix})`;
}

function bounded(text: string, mark: string): string {
  return text.length > MAX_NAME ? `${shorten(text, MAX_NAME)} ${mark}` : text;
}

/** The branch that the pull request or merge queue merges into; null for other events. */
export function targetBranch({ event, pullRequest, baseBranch }: EventFacts): string | null {
  return pullRequest === null && event !== 'merge_group' ? null : (baseBranch ?? null);
}

/**
 * The branch or commit that a verdict names as its base; null for the default branch, which every
 * verdict means that names none.
 */
export function namedBase(base: string | null, facts: EventFacts): string | null {
  const compared = base ?? targetBranch(facts);
  return compared === facts.defaultBranch ? null : compared;
}

/**
 * GitHub shows the checks of a commit in all its pull requests. Only a verdict for the default
 * branch has the plain name, so that no verdict counts for another branch.
 */
export function checkNameFor(name: string, target: string | null, facts: EventFacts): string {
  if (name === '' || target === null || target === facts.defaultBranch) return name;
  return suffixed(name, `base ${branchLabel(target)}`);
}

export const branchLabel = (branch: string): string =>
  bounded(visibleLine(branch), projectMark(branch));

/** Removes the ref from the workflow's path, because the ref differs between events. */
function workflowOf({ GITHUB_WORKFLOW_REF: ref, GITHUB_WORKFLOW: name = '' }: NodeJS.ProcessEnv) {
  return ref?.split('@', 1)[0] ?? name;
}

function selectionOverrides(overrides: Inputs['read']['overrides']): string[] {
  const { prompts, references, tags, sample, parameters, settings } = overrides;
  const drawn = sample && [sample.count, sample.seed];
  const lists = { prompts, references, tags, sample: drawn, ...Object.fromEntries(parameters) };
  return [
    ...Object.entries(lists).flatMap(([key, values]) =>
      values === null ? [] : [`${key}=${values.join(',')}`],
    ),
    ...settings.filter(({ path }) => path[0] === 'grader').map(({ line }) => line),
  ];
}

export function runUrl({
  GITHUB_SERVER_URL: server,
  GITHUB_REPOSITORY: repository,
  GITHUB_RUN_ID: run,
}: NodeJS.ProcessEnv): string | null {
  return server && repository && run ? `${server}/${repository}/actions/runs/${run}` : null;
}
