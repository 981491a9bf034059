import type { Inputs } from '../../config/inputs.ts';
import {
  checkRunsOf,
  type CheckJob,
  type OpenedCheck,
  openCheck,
  publishCheck,
  MAX_TITLE,
} from '../../edges/github/check.ts';
import type { Client } from '../../edges/github/client.ts';
import { type OwnComments, announceRun, publishComment } from '../../edges/github/comment.ts';
import type { PublishResult } from '../../edges/github/published.ts';
import { markdownOf } from '../../report/markdown.ts';
import { NO_LINKS, code, paragraph } from '../../report/sections/document.ts';
import { shorten } from '../../text/visible.ts';
import { withheldFrom } from '../../trust/trust.ts';
import type { EventFacts } from '../../types/repository.ts';
import {
  type RunIdentity,
  targetBranch,
  checkNameFor,
  runUrl,
  namedBase,
  branchLabel,
} from './identity.ts';

const NO_VERDICT = {
  running: ['⏳ Running for ', 'The verdict appears here when the run ends.'],
  superseded: ['⏹️ Superseded: no verdict for ', 'The pull request has a newer commit.'],
  cancelled: ['⏹️ Cancelled: no verdict for ', 'Run the job again to get one.'],
} as const;

type CheckText = Pick<CheckJob, 'conclusion' | 'title' | 'summary' | 'annotations'>;

/**
 * During a job, its check run is in progress and its comment has no verdict. If the job dies, both
 * stay this way, and the check blocks the merge.
 */
export interface Lease {
  identity: RunIdentity;
  about(facts: EventFacts, head: string | null, approved?: boolean): void;
  /** Never throws. If the token may not write checks, the job's own status is the check. */
  open(): Promise<void>;
  writeCheck(check: CheckText): Promise<PublishResult>;
  /** If `wanted` is null, the run was canceled, and no comment is created. */
  writeComment(body: string, wanted: boolean | null): Promise<PublishResult>;
  fail(reasons: readonly string[]): Promise<string[]>;
  hasFailed(): boolean;
  /** When evaldiff first ran for this head commit, if it wrote a check. */
  firstRun(): Promise<string | null>;
}

interface LeaseJob {
  inputs: Inputs;
  env: NodeJS.ProcessEnv;
  now(): Date;
  facts: EventFacts;
  judges: boolean;
}

interface LeaseState extends LeaseJob {
  client: Client;
  identity: RunIdentity;
  startedAt: Date;
  head: string | null;
  approved: boolean;
  opened: { head: string; check: OpenedCheck | null; comment: OwnComments | null } | null;
  opening: Promise<void> | null;
  failed: boolean;
}

export function createLease(client: Client, job: LeaseJob, identity: RunIdentity): Lease {
  const { inputs, facts } = job;
  const state: LeaseState = {
    ...job,
    client,
    identity,
    startedAt: job.now(),
    head: inputs.head === null ? facts.head : null,
    approved: false,
    opened: null,
    opening: null,
    failed: false,
  };
  return {
    identity,
    about(known, head, approved = false) {
      Object.assign(state, { facts: known, head, approved });
    },
    open: () => (state.opening ??= openLease(state)),
    writeCheck: (check) => writeCheck(state, check),
    writeComment: (body, wanted) =>
      wanted === null
        ? writeComment(state, { body: noVerdict(state, 'cancelled'), mode: 'auto', wanted: false })
        : writeComment(state, { body, mode: inputs.comment, wanted }),
    fail: (reasons) => failLease(state, reasons),
    hasFailed: () => state.failed,
    firstRun: () => firstRun(state),
  };
}

async function firstRun(state: LeaseState): Promise<string | null> {
  const head = leaseHead(state);
  if (head === null) return null;
  const place = checkOf(state, head);
  const runs = await checkRunsOf(state.client, place);
  return runs.find((run) => run.pullRequest === place.owner.pullRequest)?.startedAt ?? null;
}

const leaseHead = ({ head, facts }: LeaseState): string | null => head ?? facts.head;

async function openLease(state: LeaseState): Promise<void> {
  const { client, head } = state;
  if (head === null || !state.judges) return;
  const comment = commentOf(state, noVerdict(state, 'running'));
  const [check, announced] = await Promise.all([
    openCheck(client, checkOf(state, head)),
    comment === null ? null : announceRun(client, comment, state.facts.presentHead === head),
  ]);
  state.opened = { head, check, comment: announced };
}

function checkOf({ facts, env, identity, approved, startedAt }: LeaseState, headSha: string) {
  const target = targetBranch(facts);
  return {
    repository: facts.repository,
    headSha,
    name: checkNameFor(identity.checkName, target, facts),
    owner: {
      identity: identity.hash,
      workflowRun: env['GITHUB_RUN_ID'] ?? '0',
      attempt: env['GITHUB_RUN_ATTEMPT'] ?? '1',
      pullRequest: facts.pullRequest,
      base: target,
    },
    approved,
    detailsUrl: runUrl(env),
    startedAt,
  };
}

function commentOf(state: LeaseState, body: string) {
  const { facts, inputs, identity } = state;
  const { repository, pullRequest } = facts;
  const headSha = leaseHead(state);
  const marker = identity.markers.comment;
  return pullRequest === null || headSha === null || inputs.comment === 'never'
    ? null
    : { repository, pullRequest, headSha, marker, body };
}

async function writeCheck(state: LeaseState, check: CheckText): Promise<PublishResult> {
  const { client, facts, inputs, opened, now } = state;
  const head = leaseHead(state);
  if (head === null) return { ok: true, id: null, warnings: [] };
  const base = namedBase(inputs.base, facts);
  const against = base === null ? '' : ` (base ${branchLabel(base)})`;
  return publishCheck(client, {
    ...checkOf(state, head),
    ...check,
    title: `${shorten(check.title, MAX_TITLE - against.length)}${against}`,
    opened: opened?.head === head ? opened.check : null,
    completedAt: now(),
    fork: withheldFrom(facts) !== null,
  });
}

async function writeComment(
  state: LeaseState,
  { body, mode, wanted }: { body: string; mode: Inputs['comment']; wanted: boolean },
): Promise<PublishResult> {
  const comment = commentOf(state, body);
  if (comment === null) return { ok: true, id: null, warnings: [] };
  return publishComment(state.client, {
    ...{ ...comment, mode, wanted },
    fork: withheldFrom(state.facts) !== null,
    announced: state.opened?.comment ?? null,
    superseded: noVerdict(state, 'superseded'),
  });
}

async function failLease(state: LeaseState, reasons: readonly string[]): Promise<string[]> {
  state.failed = true;
  await state.opening;
  if (!state.judges) return [];
  const blocks = reasons.map((reason) => paragraph(reason));
  const summary = markdownOf(blocks, NO_LINKS);
  const title = `No verdict: ${reasons[0] ?? ''}`;
  const body = leaseCommentBody(state, '❌ No verdict for ', summary);
  const written = await Promise.all([
    writeCheck(state, { conclusion: 'error', title, summary, annotations: [] }),
    writeComment(state, { body, mode: 'auto', wanted: false }),
  ]);
  return written.flatMap((each) => (each.ok ? each.warnings : [each.warning]));
}

function noVerdict(state: LeaseState, kind: keyof typeof NO_VERDICT): string {
  const [title, words] = NO_VERDICT[kind];
  return leaseCommentBody(state, title, words);
}

function leaseCommentBody(state: LeaseState, title: string, words: string): string {
  const { markers, about } = state.identity;
  const of = about === '' ? [] : [' – ', code(about)];
  const line = [title, code(leaseHead(state)?.slice(0, 7) ?? ''), ...of];
  return `${markers.comment}\n${markdownOf([paragraph(line, 'verdict')], NO_LINKS)}\n\n${words}\n`;
}
