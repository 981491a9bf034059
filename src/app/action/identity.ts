import { posix } from 'node:path';
import { INPUT_DEFAULTS, type Inputs } from '../../config/inputs.ts';
import { projectMark } from '../../edges/store/artifact.ts';
import { shorten, visibleLine } from '../../text/visible.ts';
import { commentMarker, suggestionMarker } from '../session/write-reports.ts';

export interface RunIdentity {
  hash: string;
  /** Text that names the project folder, settings file and overrides. Empty for the defaults. */
  about: string;
  /** If empty, no check run is created. */
  checkName: string;
  /** True if the workflow chose `checkName`. Other jobs may have chosen it, too. */
  named: boolean;
  /** Used if another job of the workflow run already uses `checkName`. */
  sharedName: string;
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
  const about = whole.length > MAX_NAME ? `${shorten(whole, MAX_NAME)} ${hash}` : whole;
  const name = checkName ?? '';
  const named = name !== INPUT_DEFAULTS['check-name'];
  const visible = named ? name : suffixed(name, about);
  return {
    hash,
    about,
    checkName: visible,
    named,
    sharedName: suffixed(visible, (named && about) || job || hash),
    markers: {
      comment: commentMarker(visible, hash),
      fix: suggestionMarker(visible, hash),
    },
  };
}

function suffixed(name: string, suffix: string): string {
  return suffix === '' ? name : `${name} (${suffix})`;
}

/** Removes the ref from the workflow's path, because the ref differs between events. */
function workflowOf({ GITHUB_WORKFLOW_REF: ref, GITHUB_WORKFLOW: name = '' }: NodeJS.ProcessEnv) {
  return ref?.split('@', 1)[0] ?? name;
}

function selectionOverrides(overrides: Inputs['read']['overrides']): string[] {
  const { prompts, references, tags, parameters, settings } = overrides;
  const lists = { prompts, references, tags, ...Object.fromEntries(parameters) };
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
