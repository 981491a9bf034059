import { appendFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { publishCheck } from '../github/check.ts';
import type { Client } from '../github/client.ts';
import { publishComment, type CommentMode } from '../github/comment.ts';
import type { Published } from '../github/published.ts';
import { annotations } from '../report/annotations.ts';
import { checkSummary, checkTitle, renderComment, renderSummary } from '../report/comment.ts';
import type { Links } from '../report/sections/document.ts';
import { countsForVerdict } from '../result/counts.ts';
import type { Result } from '../result/result.ts';
import type { ReferenceStatus, SuiteResult } from '../result/suite-result.ts';
import { withheldFrom } from '../select/trust.ts';
import { openFolder, reasonOf, type Ground, type OwnFolder } from '../session/safe-writing.ts';
import { commentMarker } from '../session/write-reports.ts';
import { logLine } from '../text/log.ts';
import type { ChangedFile, EventFacts } from '../types/repository.ts';
import type { Job } from './context.ts';

/**
 * The action's outputs: numbers, words from a closed set and paths of our own; `title` is one
 * filtered line.
 */
export function outputsOf(
  result: Result,
  ids: { commentId: number | null; checkRunId: number | null },
  reportPath: string | null,
): Record<string, string> {
  const references = result.suites.flatMap((suite) => suite.references);
  const count = (...statuses: ReferenceStatus[]): string =>
    String(references.filter(({ status }) => statuses.includes(status)).length);
  return {
    conclusion: result.conclusion,
    title: logLine(result.title),
    regressed: count('regressed', 'fell'),
    improved: count('improved'),
    inconclusive: count('inconclusive'),
    'regressed-attributes': String(
      result.attributes.filter(({ verdict }) => verdict === 'regressed').length,
    ),
    errors: count('error', 'ungraded'),
    'pass-rate-base': rate(result, 'base'),
    'pass-rate-head': rate(result, 'head'),
    calls: String(result.usage.calls),
    reused: String(result.usage.reused),
    replayed: String(result.usage.replayed ?? 0),
    'cost-usd': result.usage.cost_usd === null ? '' : result.usage.cost_usd.toFixed(4),
    'report-path': reportPath ?? '',
    'comment-id': ids.commentId === null ? '' : String(ids.commentId),
    'check-run-id': ids.checkRunId === null ? '' : String(ids.checkRunId),
  };
}

/**
 * Mean of the suites' pass rates by how many references each stands on, four decimals; empty when
 * nothing was judged.
 */
function rate({ suites }: Result, side: 'base' | 'head'): string {
  const rates = suites.flatMap((suite) => {
    const share = suite.pass_rate[side];
    return share === null
      ? []
      : [
          {
            share,
            weight: suite.compared.references > 0 ? suite.compared.references : judged(suite, side),
          },
        ];
  });
  const weights = rates.reduce((sum, { weight }) => sum + weight, 0);
  return weights === 0
    ? ''
    : (rates.reduce((sum, { share, weight }) => sum + share * weight, 0) / weights).toFixed(4);
}

function judged({ references }: SuiteResult, side: 'base' | 'head'): number {
  return references.filter((one) => countsForVerdict(one) && (one[side]?.tries_judged ?? 0) > 0)
    .length;
}

/**
 * Has `write` fill the report folder. Its path; null where it must not or cannot be written, which
 * is a warning: the verdict is published all the same.
 */
export async function fillReportFolder(
  { inputs, workspace, runner }: Pick<Job, 'inputs' | 'workspace' | 'runner'>,
  { tracked }: Pick<Ground, 'tracked'>,
  write: (folder: OwnFolder) => Promise<void>,
): Promise<string | null> {
  const path = resolve(workspace, inputs.reportPath);
  try {
    await write(await openFolder(path, { root: workspace, tracked }));
    return path;
  } catch (error) {
    runner.warning(
      `report-path ${inputs.reportPath}: the report could not be written: ${reasonOf(error)}. The verdict stands.`,
    );
    return null;
  }
}

export interface PublishJob {
  client: Client;
  facts: EventFacts;
  result: Result;
  changed: readonly ChangedFile[];
  /** The project's folder below the repository's root, POSIX, '' for the root itself. */
  workingDirectory: string;
  comment: CommentMode;
  checkName: string;
  /** Where the job summary goes; null: nowhere. */
  summaryPath: string | null;
  links: Links;
  runId: string;
  startedAt: Date;
  completedAt: Date;
}

export interface PublishedIds {
  commentId: number | null;
  checkRunId: number | null;
  warnings: string[];
}

/** Puts a result everywhere it belongs. A surface that fails is a warning; the verdict stands. */
export async function publish(job: PublishJob): Promise<PublishedIds> {
  const [comment, check, summary] = await Promise.all([
    postComment(job),
    postCheck(job),
    writeSummary(job),
  ]);
  return {
    commentId: idOf(comment),
    checkRunId: idOf(check),
    warnings: [comment, check]
      .flatMap((published) => (published.ok ? published.warnings : [published.warning]))
      .concat(summary),
  };
}

function idOf(published: Published): number | null {
  return published.ok ? published.id : null;
}

async function postComment({
  client,
  facts,
  result,
  comment,
  checkName,
  links,
}: PublishJob): Promise<Published> {
  if (facts.pullRequest === null || facts.head === null)
    return { ok: true, id: null, warnings: [] };
  const marker = commentMarker(checkName);
  return publishComment(client, {
    repository: facts.repository,
    pullRequest: facts.pullRequest,
    headSha: facts.head,
    marker,
    mode: comment,
    fork: withheldFrom(facts) !== null,
    body: renderComment(result, { marker, links }),
    ran: result.suites.length > 0 || result.graders.length > 0 || result.problems.length > 0,
  });
}

async function postCheck({
  client,
  facts,
  result,
  changed,
  workingDirectory,
  checkName,
  links,
  runId,
  startedAt,
  completedAt,
}: PublishJob): Promise<Published> {
  if (facts.head === null) return { ok: true, id: null, warnings: [] };
  return publishCheck(client, {
    repository: facts.repository,
    headSha: facts.head,
    name: checkName,
    conclusion: result.conclusion,
    title: checkTitle(result),
    summary: checkSummary(result, undefined, links),
    annotations: annotations(result, changed, workingDirectory),
    externalId: `evaldiff-${runId}`,
    detailsUrl: links.run,
    startedAt,
    completedAt,
    fork: withheldFrom(facts) !== null,
  });
}

async function writeSummary({ result, summaryPath, links }: PublishJob): Promise<string[]> {
  if (summaryPath === null) return [];
  try {
    await appendFile(summaryPath, renderSummary(result, undefined, links));
    return [];
  } catch (error) {
    return [
      `The job summary could not be written: ${error instanceof Error ? error.message : String(error)}`,
    ];
  }
}
