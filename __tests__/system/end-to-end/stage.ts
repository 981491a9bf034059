import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { afterThisTest, untilTestEnds } from '../../stand-ins/after-test.ts';
import {
  addPull,
  startValidatingGitHub,
  workflowToken,
  type GitHubStandIn,
  type Token,
} from '../../stand-ins/github/index.ts';
import {
  startModelServer,
  type ModelServer,
  type Script,
  type ServerOptions,
} from '../../stand-ins/models/server.ts';
import {
  createRepository,
  shallowCheckout,
  temporaryFolder,
  type FixtureFiles,
} from '../../stand-ins/repository.ts';
import { changeOf, obedient, quiz, type Change, type History } from './projects.ts';
import {
  REPOSITORY,
  ROOT,
  TOKEN,
  bareEnvironment,
  runAction,
  startCommand,
  type Ended,
  type Event,
  type Step,
  type StepResult,
} from './runner.ts';

/** A step is a second on an idle machine; a test has a few, on a busy one. */
jest.setTimeout(120_000);

/** The key of the model server, in the environment variable that the endpoint line names. */
export const MODEL_KEY = 'local-key-4f0c8a61d2b97e35';
export const PULL = 12;
export const FORK = 'bo-example/prompts';
/** What GitHub gives to a pull request from a fork: nothing can be written. */
export const READ_ONLY = workflowToken({ pull_requests: 'read', checks: 'read' });
export const NO_KEY =
  'No model key is available to pull requests from forks. Changes were checked, nothing was sent to a model.';

/** A GitHub and a model server for one test; both end with it. */
export interface Stage {
  github: GitHubStandIn;
  models: ModelServer;
}

export async function stage(
  answer: Script,
  token: Token = workflowToken({ pull_requests: 'write', checks: 'write' }),
): Promise<Stage> {
  const github = await startValidatingGitHub({
    repository: REPOSITORY,
    tokens: { [TOKEN]: token },
  });
  github.state.statusUpdates = true;
  afterThisTest(github.close);
  return { github, models: await modelServer({ answer, key: MODEL_KEY }) };
}

/** A further model server, for what one is not enough for. */
export async function modelServer(options: ServerOptions): Promise<ModelServer> {
  return untilTestEnds(startModelServer(options));
}

export interface StepOptions extends Pick<Step, 'shipped' | 'needsCheckout' | 'start'> {
  inputs?: Record<string, string>;
  env?: Record<string, string>;
}

/**
 * The action on the pull request of a change, at `head` if that is not the change's last commit, as
 * the example workflow runs it.
 */
export async function onPullRequest(
  at: Stage,
  change: Change,
  options: StepOptions & { event?: Event } = {},
): Promise<StepResult> {
  if (!at.github.state.pulls.has(PULL))
    addPull(at.github.state, { number: PULL, base: { ref: 'main', sha: change.base } });
  const pull = at.github.state.pulls.get(PULL)!;
  Object.assign(pull, { head: { ref: 'topic', sha: change.head, repository: REPOSITORY } });
  const checkout = shallowCheckout(
    change.origin,
    change.merge === null ? 'refs/heads/topic' : `refs/pull/${String(PULL)}/merge`,
  );
  return runOn(at, { checkout, event: options.event ?? pullRequestEvent(change) }, options);
}

/** The action on a pull request that puts `head` over the files of `base`, on a stage of its own. */
export async function pullRequest(
  base: FixtureFiles,
  head: FixtureFiles,
  { answer = obedient, token, history, ...options }: PullRequestOptions = {},
): Promise<{ at: Stage; change: Change; run: StepResult }> {
  const at = await stage(answer, token);
  const change = changeOf(base, head, history);
  return { at, change, run: await onPullRequest(at, change, options) };
}

interface PullRequestOptions extends StepOptions {
  answer?: Script;
  token?: Token;
  history?: History;
  event?: Event;
}

/** What a command line is given that asks this model server. */
export const commandEnvironment = (models: ModelServer): NodeJS.ProcessEnv => ({
  ...bareEnvironment(),
  TMPDIR: temporaryFolder('tmp'),
  LOCAL_KEY: MODEL_KEY,
  EVALDIFF_ENDPOINTS: endpointLines(models),
});

/** A project on branch `main`, without a remote, and a model server that its commands know. */
export async function desk(files: FixtureFiles = quiz(), answer: Script = obedient) {
  const models = await modelServer({ answer, key: MODEL_KEY });
  const repository = createRepository();
  repository.commit('Base', files);
  const evaldiff = (...args: string[]): Promise<Ended> =>
    startCommand(args, commandEnvironment(models), repository.directory);
  return { models, repository, evaldiff };
}

/** The action on any event, in a given checkout. */
export async function runOn(
  { github, models }: Stage,
  step: Pick<Step, 'checkout' | 'origin' | 'event'>,
  { inputs = {}, env = {}, shipped = false, ...rest }: StepOptions = {},
): Promise<StepResult> {
  const result = await runAction({
    ...rest,
    ...step,
    github,
    inputs: { endpoints: endpointLines(models), ...inputs },
    env: { LOCAL_KEY: MODEL_KEY, ...env },
    shipped,
  });
  if (models.refused.length > 0)
    throw new Error(`the vendor would have refused: ${models.refused.join('; ')}`);
  return result;
}

/** One server by two names, one for each vendor's way to write its address. */
export function endpointLines({ url, openaiUrl }: ModelServer): string {
  return `local=${openaiUrl} key=LOCAL_KEY\nclaude=${url} key=LOCAL_KEY`;
}

export function eventPayload(name: string): Record<string, unknown> {
  return JSON.parse(
    readFileSync(join(ROOT, 'fixtures', 'events', `${name}.json`), 'utf8'),
  ) as Record<string, unknown>;
}

/** `pull_request.json` (or another payload of its kind) about this change. */
export function pullRequestEvent({ base, head }: Change, fixture = 'pull_request'): Event {
  const payload = eventPayload(fixture) as {
    number: number;
    pull_request: { number: number; base: { sha: string }; head: { sha: string } };
  };
  payload.number = PULL;
  payload.pull_request.number = PULL;
  payload.pull_request.base.sha = base;
  payload.pull_request.head.sha = head;
  return { name: fixture.split('.')[0]!, payload };
}

/** Makes the head of a change one of a fork: the origin has it under `refs/pull` alone. */
export function fromFork(at: Stage, change: Change): Change {
  change.origin.git('update-ref', '-d', 'refs/heads/topic');
  const head = { ref: 'friendlier', sha: change.head, repository: FORK };
  addPull(at.github.state, { number: PULL, base: { ref: 'main', sha: change.base }, head });
  return change;
}

/** Makes the head of a change one of a branch of the repository. */
export function fromBranch(at: Stage, { base, head: sha }: Omit<Change, 'merge'>, ref = 'main') {
  const head = { ref: 'topic', sha, repository: REPOSITORY };
  return addPull(at.github.state, { number: PULL, base: { ref, sha: base }, head });
}

/** The event of a merge queue whose branch holds `after`, to be merged into `before`. */
export function queueEvent({ origin }: Pick<Change, 'origin'>, before: string, after: string) {
  const ref = `refs/heads/gh-readonly-queue/main/pr-${String(PULL)}-${before}`;
  origin.git('update-ref', ref, after);
  const payload = eventPayload('merge_group');
  const sides = { base_sha: before, head_sha: after, head_ref: ref };
  const merge_group = { ...(payload['merge_group'] as object), ...sides };
  const event: Event = { name: 'merge_group', payload: { ...payload, merge_group } };
  return { checkout: shallowCheckout(origin, ref), event };
}

/** The one comment that there is on the pull request. */
export function onlyComment({ github }: Stage): string {
  const { comments } = github.state;
  if (comments.length !== 1) throw new Error(`there are ${String(comments.length)} comments`);
  return comments[0]!.body;
}
