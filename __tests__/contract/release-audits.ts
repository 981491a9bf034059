import { parse } from 'yaml';
import { when } from './workflow-audits.ts';

/**
 * Audits of jobs that publish. A tag alone must not be enough: a reviewer approves the job, its
 * commit is on main, and it publishes exactly what it attested. As in workflow-audits.ts, each
 * finding starts with the audit's name.
 */

interface Step {
  uses?: string;
  run?: string;
  if?: unknown;
  with?: Record<string, unknown>;
  'continue-on-error'?: unknown;
}
interface Job {
  permissions?: Record<string, string>;
  environment?: unknown;
  if?: unknown;
  needs?: string | string[];
  steps?: Step[];
}
type Jobs = Record<string, Job>;

const PUBLISHES = /\bnpm (?:publish|dist-tag)\b|\bgh release (?:create|edit|upload)\b|\bgit push\b/;
/** Scopes that let a job change what users receive. */
const PUBLISHING_SCOPES = ['contents', 'packages', 'attestations'];
const ON_MAIN = 'git merge-base --is-ancestor "$GITHUB_SHA" origin/main';
const ATTEST = 'actions/attest-build-provenance@';
const ATTESTED = ['dist/**', '*.tgz'];

export function auditRelease(text: string): string[] {
  const { jobs } = parse(text) as { jobs: Jobs };
  return Object.entries(jobs).flatMap(([name, job]) => [
    ...attestationRights(name, job),
    ...(publishes(job) ? publishingFindings(name, job, jobs) : []),
  ]);
}

function publishes({ permissions = {}, steps = [] }: Job) {
  return (
    PUBLISHING_SCOPES.some((scope) => permissions[scope] === 'write') ||
    steps.some(({ run = '' }) => PUBLISHES.test(run))
  );
}

function publishingFindings(name: string, job: Job, jobs: Jobs) {
  return [
    ...when(
      job.environment !== 'release',
      `release-environment: job ${name} publishes without the reviewers of "release"`,
    ),
    ...when(
      !isProven(name, jobs),
      `release-branch: job ${name} starts before its commit is known to be on main`,
    ),
    ...attestation(name, job.steps ?? []),
  ];
}

/** Whether the job, or one that it needs, first proves that the commit is on main. */
function isProven(name: string, jobs: Jobs): boolean {
  const { if: condition, needs = [], steps = [] } = jobs[name] ?? {};
  const [checkout, proof] = steps;
  const own =
    checkout?.uses?.startsWith('actions/checkout@') === true &&
    checkout.with?.['fetch-depth'] === 0 &&
    checkout.with['ref'] === undefined &&
    proof?.run?.trim() === ON_MAIN &&
    proof.if === undefined &&
    proof['continue-on-error'] === undefined;
  // A job with a condition such as always() would start after a failed proof.
  return own || (condition === undefined && [needs].flat().some((other) => isProven(other, jobs)));
}

/** The package is packed, attested with dist/ and published without a change in between. */
function attestation(name: string, steps: readonly Step[]) {
  const published = steps.findIndex(({ run = '' }) => /\bnpm publish\b/.test(run));
  if (published < 0) return [];
  const attested = steps[published - 1];
  const subjects = String(attested?.with?.['subject-path'] ?? '').split('\n');
  const packed = steps.findIndex(({ run = '' }) => /^npm pack\b/.test(run));
  const isAttested =
    attested?.uses?.startsWith(ATTEST) === true &&
    attested.if === undefined &&
    attested['continue-on-error'] === undefined &&
    ATTESTED.every((subject) => subjects.includes(subject));
  const isOnce = packed >= 0 && packed < published - 1;
  const isPacked = isOnce && steps[published]?.run?.includes('./*.tgz') === true;
  const found = `release-attestation: job ${name}`;
  return [
    ...when(!isAttested, `${found} publishes what the step before did not attest`),
    ...when(!isPacked, `${found} packs again what it publishes`),
  ];
}

/** Only an attesting job may write attestations, and it needs both scopes. */
function attestationRights(name: string, { permissions = {}, steps = [] }: Job) {
  const attests = steps.some(({ uses }) => uses?.startsWith(ATTEST) === true);
  const may = (scope: string) => permissions[scope] === 'write';
  if (attests && !(may('attestations') && may('id-token')))
    return [`release-attestation: job ${name} lacks the permissions to attest`];
  const idle = !attests && may('attestations');
  return when(idle, `excessive-permissions: job ${name} may write attestations`);
}
