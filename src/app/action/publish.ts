import { mkdir, copyFile } from 'node:fs/promises';
import { posix, resolve, join } from 'node:path';
import { type Inputs, INPUT_DEFAULTS } from '../../config/inputs.ts';
import type { Client } from '../../edges/github/client.ts';
import type { PublishResult } from '../../edges/github/published.ts';
import { publishSuggestions } from '../../edges/github/suggestions.ts';
import { unreachable, uploadPart, uploadPage } from '../../edges/store/artifact.ts';
import { formatProblem, errorMessage } from '../../errors.ts';
import { countsForVerdict } from '../../kernel/result/counts.ts';
import type { ReferenceStatus } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { rootOf, annotations } from '../../report/annotations.ts';
import {
  renderComment,
  checkTitle,
  renderSummary,
  CHECK_SUMMARY_LIMIT,
  JOB_SUMMARY_LIMIT,
} from '../../report/comment.ts';
import { placeLinks, type Links } from '../../report/sections/document.ts';
import { loadReports, type Reports } from '../../report/sections/feature-report.ts';
import { suggestedEdits } from '../../report/suggestions.ts';
import { endLine, logLine } from '../../text/log.ts';
import { withheldFrom } from '../../trust/trust.ts';
import type { EventFacts, ChangedFile } from '../../types/repository.ts';
import type { UsageTotals } from '../../types/usage-totals.ts';
import { hasFinding } from '../../wording/outcomes.ts';
import { reasonsInWords } from '../../wording/reasons.ts';
import type { OwnFolder } from '../session/safe-writing.ts';
import type { Session } from '../session/session.ts';
import { writeRun, fillFolder } from '../session/write-reports.ts';
import {
  type Job,
  type EvaluatedJob,
  type JobEnding,
  appendSummary,
  artifactLibrary,
} from './context.ts';
import { runUrl, namedBase, runIdentity } from './identity.ts';
import type { Lease } from './lease.ts';

/** Writes the reports of a result, publishes it, and sets the outputs of the step. */
export async function publishResult(
  client: Client,
  job: Job,
  session: Session,
  evaluated: EvaluatedJob,
): Promise<JobEnding> {
  const { inputs, env, runner, lease } = job;
  const { sides, suites, published } = evaluated;
  const result = withSource(session.redact(evaluated.result), job);
  const { comment: marker } = lease.identity.markers;
  const folder = await fillReportFolder(job, session, (to) =>
    writeRun(session, { result, suites }, { folder: to, marker }),
  );
  const uploaded = await uploadReports(job, session, folder);
  if (lease.hasFailed()) return { conclusion: 'error', line: '' };
  const reports = await loadReports(job.features);
  const ids = await publish({
    client,
    lease,
    inputs,
    result,
    reports,
    facts: { ...job.facts, head: sides?.head.commit ?? job.facts.head },
    changed: sides?.changed ?? [],
    summaryPath: env['GITHUB_STEP_SUMMARY'] ?? null,
    links: {
      run: runUrl(env),
      ...uploaded,
      outsider: job.facts.fork,
      base: namedBase(inputs.base, job.facts),
      ...(folder === null ? {} : { reportFile: posix.join(inputs.reportPath, 'report.html') }),
      ...forksPage(job),
      place: placeLinks(result).place,
    },
  });
  for (const warning of ids.warnings) runner.warning(warning);
  await published();
  say(runner, outputsOf(result, ids, folder, reports));
  sayResult(result, job);
  return { conclusion: result.conclusion, line: endLine(result.conclusion, result.title) };
}

function forksPage({ env, facts }: Job): { forks?: string } {
  const { GITHUB_ACTION_REPOSITORY: action, GITHUB_ACTION_REF: ref } = env;
  if (withheldFrom(facts) !== 'fork' || !action || !ref) return {};
  return { forks: `https://github.com/${action}/blob/${ref}/docs/forks.md` };
}

function sayResult(result: Result, { runner, inputs }: Job): void {
  for (const { place, message } of result.problems) {
    const file =
      place === null
        ? null
        : { file: posix.join(inputs.workingDirectory, place.file), line: place.line };
    runner.error(
      formatProblem({ place: file, message }),
      file === null ? {} : { file: file.file, startLine: Math.max(1, file.line) },
    );
  }
  for (const reason of reasonsInWords(result)) runner.info(reason);
}

function withSource(result: Result, { env, facts, inputs }: Job): Result {
  const server = env['GITHUB_SERVER_URL'];
  const of = facts.headRepository ?? facts.repository;
  if (!server || of === '' || !/^[0-9a-f]{40,64}$/.test(result.head.sha)) return result;
  const directory = posix.normalize(inputs.workingDirectory);
  return { ...result, source: { url: `${server}/${of}`, directory } };
}

/** Scripts in the workflow may use these values, so untrusted text in them is escaped. */
export function outputsOf(
  result: Result,
  ids: { commentId: number | null; checkRunId: number | null },
  reportPath: string | null,
  reports: Reports,
): Record<string, string> {
  const { conclusion, title, usage } = result;
  const references = result.suites.flatMap((suite) => suite.references);
  const count = (...statuses: ReferenceStatus[]) =>
    String(references.filter(({ status }) => statuses.includes(status)).length);
  return {
    conclusion,
    title: logLine(title),
    regressed: count('regressed', 'fell'),
    improved: count('improved', 'fixed', 'rose'),
    inconclusive: count('inconclusive'),
    ...(Object.assign({}, ...reports.map(({ outputs }) => outputs?.(result))) as object),
    errors: count('error', 'ungraded'),
    'pass-rate-base': meanPassRate(result, 'base'),
    'pass-rate-head': meanPassRate(result, 'head'),
    ...usageOutputs(usage),
    'report-path': reportPath ?? '',
    'comment-id': String(ids.commentId ?? ''),
    'check-run-id': String(ids.checkRunId ?? ''),
  };
}

export function usageOutputs(
  usage: Pick<UsageTotals, 'calls' | 'reused' | 'replayed' | 'cost_usd'>,
): Record<string, string> {
  return {
    calls: String(usage.calls),
    reused: String(usage.reused),
    replayed: String(usage.replayed ?? 0),
    'cost-usd': usage.cost_usd === null ? '' : usage.cost_usd.toFixed(4),
  };
}

function meanPassRate({ suites }: Result, side: 'base' | 'head'): string {
  const rates = suites.flatMap((suite) => {
    const share = suite.pass_rate[side];
    const weight = suite.compared.references || countJudged(suite, side);
    return share === null ? [] : { share, weight };
  });
  const weights = rates.reduce((sum, { weight }) => sum + weight, 0);
  return weights === 0
    ? ''
    : (rates.reduce((sum, { share, weight }) => sum + share * weight, 0) / weights).toFixed(4);
}

function countJudged({ references }: SuiteResult, side: 'base' | 'head'): number {
  return references.filter(
    (reference) => countsForVerdict(reference) && (reference[side]?.tries_judged ?? 0) > 0,
  ).length;
}

export function fillReportFolder(
  { inputs: { reportPath }, workspace, runner }: Job,
  session: Session,
  write: (folder: OwnFolder) => Promise<void>,
): Promise<string | null> {
  return fillFolder(resolve(workspace, reportPath), session, write, (reason) => {
    runner.warning(
      `report-path ${reportPath}: the report could not be written: ${reason}. The verdict is not affected.`,
    );
  });
}

export interface PublishJob {
  client: Client;
  facts: EventFacts;
  result: Result;
  reports: Reports;
  changed: readonly ChangedFile[];
  inputs: Pick<Inputs, 'workingDirectory' | 'comment'>;
  lease: Lease;
  summaryPath: string | null;
  links: Links;
}

export async function publish(job: PublishJob) {
  const [comment, check, fixes, summary] = await Promise.all([
    postComment(job),
    postCheck(job),
    postSuggestions(job),
    writeSummary(job),
  ]);
  return {
    commentId: idOf(comment),
    checkRunId: idOf(check),
    warnings: [comment, check]
      .flatMap((published) => (published.ok ? published.warnings : [published.warning]))
      .concat(fixes, summary),
  };
}

function idOf(published: PublishResult): number | null {
  return published.ok ? published.id : null;
}

function postComment(job: PublishJob): Promise<PublishResult> {
  const { result, reports, lease, inputs } = job;
  const { about, markers } = lease.identity;
  const links = { ...job.links, about };
  const body = renderComment(result, { marker: markers.comment, reports, links });
  const isWanted = inputs.comment !== 'findings' || hasFinding(result);
  return lease.writeComment(
    body,
    isCancelled(result) ? null : isWanted && hasContent(result, reports),
  );
}

function isCancelled({ outcome }: Result): boolean {
  return outcome.kind === 'cancelled';
}

function hasContent(result: Result, reports: Reports): boolean {
  return (
    result.suites.length > 0 ||
    result.problems.length > 0 ||
    result.reasons.some(({ code }) => code === 'not-run' || code === 'base-unreadable') ||
    reports.some((report) => report.hasContent?.(result) === true)
  );
}

async function postSuggestions(job: PublishJob): Promise<string[]> {
  const { client, facts, result, reports, changed, inputs, lease, links } = job;
  const { pullRequest, head: headSha, repository } = facts;
  const isJudged = result.conclusion !== 'error' && result.trust !== 'untrusted';
  if (pullRequest === null || headSha === null || inputs.comment === 'never' || !isJudged)
    return [];
  const marker = lease.identity.markers.fix;
  const root = rootOf(inputs.workingDirectory);
  return publishSuggestions(client, {
    repository,
    pullRequest,
    headSha,
    marker,
    suggestions: suggestedEdits(result, reports, changed, { root, marker, links }),
    fork: withheldFrom(facts) !== null,
  });
}

function postCheck(job: PublishJob): Promise<PublishResult> {
  const { result, reports, changed, inputs, links } = job;
  return job.lease.writeCheck({
    conclusion: isCancelled(result) ? 'cancelled' : result.conclusion,
    title: checkTitle(result),
    summary: renderSummary(result, reports, CHECK_SUMMARY_LIMIT, links),
    annotations: annotations(result, changed, reports, inputs.workingDirectory),
  });
}

async function writeSummary(job: PublishJob): Promise<string[]> {
  const { result, reports, summaryPath, links } = job;
  const warnings: string[] = [];
  const text = () => renderSummary(result, reports, JOB_SUMMARY_LIMIT, links);
  await appendSummary(summaryPath, text, (line) => warnings.push(line));
  return warnings;
}

const PATIENCE_MS = 60_000;

type UploadedReport = Pick<Links, 'report' | 'artifact'>;

export async function uploadReports(
  job: Job,
  session: Session,
  reports: string | null,
): Promise<UploadedReport> {
  const { inputs, env, runner } = job;
  if (reports === null) return { report: null };
  const file = join(reports, 'report.html');
  const run = runUrl(env);
  const closed = unreachable(env);
  // A canceled job skips uploads, because it needs its last ten seconds for the verdict.
  const interrupted = session.halting.halted()?.code === 'cancelled';
  if (!inputs.uploadReport || run === null || closed !== null || interrupted) {
    runner.info(`The report with every answer: ${file}`);
    return { report: null };
  }
  const [id, artifact] = await Promise.all([
    inTime(uploadHtml(job, session, file)).catch((error: unknown) => {
      runner.warning(`${errorMessage(error)}. The verdict is not affected. The report is ${file}`);
      return null;
    }),
    job.mode === 'diff' ? inTime(uploadResult(job, reports)).catch(() => null) : null,
  ]);
  return {
    report: id === null ? null : `${run}/artifacts/${id}`,
    ...(artifact === null ? {} : { artifact }),
  };
}

async function uploadResult(
  job: Job,
  folder: string,
): Promise<NonNullable<UploadedReport['artifact']>> {
  const name = reportArtifactName('evaldiff-result', job);
  await uploadPart(await artifactLibrary(job), { name, folder, files: ['result.json'] });
  return { name, run: job.env['GITHUB_RUN_ID'] ?? '' };
}

/** GitHub names an unzipped artifact after its file, so this copies the file to a unique name. */
async function uploadHtml(job: Job, session: Session, file: string): Promise<number> {
  const folder = join(session.temporaryFolder, 'evaldiff-upload');
  const name = `${reportArtifactName('evaldiff-report', job)}.html`;
  await mkdir(folder, { recursive: true });
  await copyFile(file, join(folder, name));
  return uploadPage(await artifactLibrary(job), { name, folder });
}

/** Artifact names must differ within a workflow run. */
function reportArtifactName(what: string, { inputs, env }: Job): string {
  const { about, hash } = runIdentity(inputs, env);
  const usual = about === '' && inputs.checkName === INPUT_DEFAULTS['check-name'];
  return `${what}${usual ? '' : `-${hash}`}`;
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`The artifact service took longer than ${PATIENCE_MS / 1000} s`));
    }, PATIENCE_MS);
  });
  return Promise.race([work, late]).finally(() => {
    clearTimeout(timer);
  });
}

export function say(runner: Job['runner'], outputs: Record<string, string>): void {
  for (const [name, value] of Object.entries(outputs)) runner.output(name, value);
}
