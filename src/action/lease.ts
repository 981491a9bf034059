import { openCheck, publishCheck } from '../github/check.ts';
import type { CheckPlace } from '../github/check-run.ts';
import type { Client } from '../github/client.ts';
import { announceRun, publishComment, type Announced } from '../github/comment.ts';
import { markdownOf } from '../report/markdown.ts';
import { NO_LINKS, code, paragraph, text, type Line } from '../report/sections/document.ts';
import { withheldFrom } from '../select/trust.ts';
import type { EventFacts } from '../types/repository.ts';
import type { Job } from './context.ts';
import type { RunIdentity } from './identity.ts';
import { runUrl } from './report-link.ts';

/** What a run showed on GitHub when it began. */
export interface Opened {
  /** The commit that it was opened for. */
  head: string | null;
  check: number | null;
  comment: Announced | null;
}

/**
 * Marks a run on GitHub before its first model call: a check run in progress, and a comment of ours
 * that no longer shows the verdict before. Whatever ends the run writes over both; a run that is
 * lost leaves them, which blocks.
 */
export interface Lease {
  identity: RunIdentity;
  opened(): Opened;
  /** What the run is about, once it is known better. */
  about(facts: EventFacts, head: string | null): void;
  /** Opens it once. Never throws: where a token may not write, the job itself is the check. */
  open(): Promise<void>;
  /** Shows why there is no verdict. The answer is warnings. Never throws. */
  fail(reasons: readonly string[]): Promise<string[]>;
  /** Whether `fail` was called: no verdict may follow. */
  hasFailed(): boolean;
}

type LeaseJob = Pick<Job, 'inputs' | 'env' | 'now' | 'facts'>;

/** A whole run judges a commit; a shard and a measurement do not. */
const judges = ({ mode, shard }: Job['inputs']): boolean => mode !== 'noise' && shard === null;

export function createLease(client: Client, job: LeaseJob, identity: RunIdentity): Lease {
  const { inputs, env, now } = job;
  const startedAt = now();
  let { facts } = job;
  let head = inputs.head === null ? facts.head : null;
  let opened: Opened = { head: null, check: null, comment: null };
  let opening: Promise<void> | null = null;
  let failed = false;
  const open = async (sha: string): Promise<void> => {
    const { named } = identity;
    const detailsUrl = runUrl(env);
    const { pullRequest, repository } = facts;
    const place = checkPlace({ env, facts, identity }, sha);
    const [check, comment] = await Promise.all([
      openCheck(client, { ...place, named, detailsUrl, startedAt }),
      pullRequest === null || inputs.comment === 'never'
        ? null
        : announceRun(client, {
            repository,
            pullRequest,
            headSha: sha,
            marker: identity.markers.comment,
            body: runningBody(identity, sha),
          }),
    ]);
    opened = { head: sha, check, comment };
  };
  return {
    identity,
    opened: () => opened,
    hasFailed: () => failed,
    about(known, sha) {
      facts = known;
      head = sha;
    },
    open: () => (opening ??= head === null || !judges(inputs) ? Promise.resolve() : open(head)),
    async fail(reasons) {
      failed = true;
      await opening;
      if (head === null || !judges(inputs)) return [];
      return writeFailure(client, { ...job, facts, startedAt, opened, identity }, head, reasons);
    },
  };
}

interface FailedRun extends LeaseJob {
  startedAt: Date;
  opened: Opened;
  identity: RunIdentity;
}

async function writeFailure(
  client: Client,
  { inputs, env, facts, now, startedAt, opened, identity }: FailedRun,
  head: string,
  reasons: readonly string[],
): Promise<string[]> {
  const { repository, pullRequest } = facts;
  const fork = withheldFrom(facts) !== null;
  const shown = markdownOf(
    reasons.map((reason) => paragraph([text(reason)])),
    NO_LINKS,
  );
  const title = `No verdict: ${reasons[0] ?? ''}`;
  const check = publishCheck(client, {
    ...checkPlace({ env, facts, identity }, head),
    conclusion: 'error',
    title,
    summary: shown,
    annotations: [],
    opened: opened.check,
    detailsUrl: runUrl(env),
    startedAt,
    completedAt: now(),
    fork,
  });
  const marker = identity.markers.comment;
  const start = [text('❌ No verdict for '), code(head.slice(0, 7))];
  const comment =
    pullRequest === null
      ? null
      : publishComment(client, {
          repository,
          pullRequest,
          headSha: head,
          marker,
          body: `${titled(identity, start)}\n${shown}\n`,
          mode: inputs.comment === 'never' ? 'never' : 'auto',
          ran: false,
          fork,
          announced: opened.comment,
          superseded: supersededBody(identity, head),
        });
  const written = (await Promise.all([check, comment])).filter((each) => each !== null);
  return written.flatMap((each) => (each.ok ? each.warnings : [each.warning]));
}

interface CheckOrigin extends Pick<Job, 'env' | 'facts'> {
  identity: RunIdentity;
  approved?: boolean;
}

/** Where this run's check goes. */
export function checkPlace(
  { env, facts, identity, approved = false }: CheckOrigin,
  headSha: string,
): CheckPlace {
  return {
    repository: facts.repository,
    headSha,
    name: identity.checkName,
    sharedName: identity.sharedName,
    approved,
    owner: {
      identity: identity.hash,
      workflowRun: env['GITHUB_RUN_ID'] ?? '0',
      attempt: env['GITHUB_RUN_ATTEMPT'] ?? '1',
      pullRequest: facts.pullRequest,
    },
  };
}

/** The marker, and a title that says which project it is about. */
function titled({ markers, about }: RunIdentity, line: Line): string {
  const whole = about === '' ? line : [...line, text(' – '), code(about)];
  return `${markers.comment}\n${markdownOf([paragraph(whole, 'verdict')], NO_LINKS)}\n`;
}

function runningBody(identity: RunIdentity, sha: string): string {
  const line = [text('⏳ Running for '), code(sha.slice(0, 7))];
  return `${titled(identity, line)}\nThe verdict appears here when the run ends.\n`;
}

/** A run that another commit made needless. */
export function supersededBody(identity: RunIdentity, sha: string): string {
  const line = [text('⏹️ Superseded: no verdict for '), code(sha.slice(0, 7))];
  return `${titled(identity, line)}\nThe pull request has a newer commit.\n`;
}

/** A run that was cancelled while the pull request is still at its commit. */
export function cancelledBody(identity: RunIdentity, sha: string): string {
  const line = [text('⏹️ Cancelled: no verdict for '), code(sha.slice(0, 7))];
  return `${titled(identity, line)}\nRun the job again to get one.\n`;
}

/** Events that bring a commit that no earlier run has judged, unless the run is started again. */
const NEW_COMMIT = new Set(['push', 'merge_group', 'opened', 'synchronize']);

/** Whether an earlier verdict on the same commit may stand, which a lost run must not leave. */
export function isRevisit({ env, facts: { event, action } }: Pick<Job, 'env' | 'facts'>): boolean {
  return (
    Number(env['GITHUB_RUN_ATTEMPT'] ?? '1') > 1 ||
    !(NEW_COMMIT.has(event) || NEW_COMMIT.has(action ?? ''))
  );
}
