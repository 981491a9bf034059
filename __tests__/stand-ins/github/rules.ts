/**
 * Requests that GitHub rejects although its description allows them. Each rule returns the reason
 * of the 422, or null.
 */
import { isAbsolute } from 'node:path';
import type { CheckAnnotation, Pull } from './state.ts';

const KILOBYTES_64 = 65_536;
const bytes = (text: unknown) => (typeof text === 'string' ? Buffer.byteLength(text) : 0);

export function commentRule(body: { body?: unknown }): string | null {
  if (typeof body.body !== 'string' || body.body.trim() === '') return 'Body cannot be blank';
  if (body.body.length > KILOBYTES_64) return 'Body is too long (maximum is 65536 characters)';
  return null;
}

export interface ReviewBody {
  body?: unknown;
  commit_id?: string;
  path?: string;
  line?: number;
  side?: string;
  start_line?: number;
  start_side?: string;
}

/** A comment must be on lines that the diff shows, within one hunk. */
export function reviewCommentRule(body: ReviewBody, { head, diff = {} }: Pull): string | null {
  const { line, start_line: start, path = '' } = body;
  if (body.commit_id !== head.sha) return 'commit_id is not part of the pull request';
  const hunks = diff[path];
  if (hunks === undefined) return 'pull_request_review_thread.path diff too large or not changed';
  if (line === undefined) return 'pull_request_review_thread.line is missing';
  const hunk = hunks.find(([from, to]) => from <= line && line <= to);
  if (hunk === undefined) return 'pull_request_review_thread.line must be part of the diff';
  if (start !== undefined && start >= line)
    return 'pull_request_review_thread.start_line must precede the end line.';
  if (start !== undefined && (start < hunk[0] || body.start_side !== (body.side ?? 'RIGHT')))
    return 'pull_request_review_thread.start_line must be part of the same hunk as the line.';
  return commentRule(body);
}

interface CheckBody {
  status?: string;
  conclusion?: string;
  name?: string;
  head_sha?: string;
  output?: { title?: string; summary?: string; text?: string; annotations?: CheckAnnotation[] };
}

export function checkRule(body: CheckBody, { creates }: { creates: boolean }): string | null {
  if (body.status === 'completed' && body.conclusion === undefined)
    return 'conclusion is missing for a completed check run';
  if (creates && !/^[0-9a-f]{40}$/.test(body.head_sha ?? '')) return 'No commit found for SHA';
  if (creates && (body.name ?? '').trim() === '') return 'name cannot be blank';
  if (bytes(body.output?.summary) > 65_535 || bytes(body.output?.text) > 65_535)
    return 'output exceeds 65535 characters';
  for (const annotation of body.output?.annotations ?? []) {
    const fault = annotationRule(annotation);
    if (fault !== null) return fault;
  }
  return null;
}

function annotationRule(annotation: CheckAnnotation): string | null {
  const { path, start_line: start, end_line: end, start_column: from, end_column: to } = annotation;
  if (path === '' || isAbsolute(path) || path.split('/').includes('..'))
    return 'annotations.path must be relative to the repository';
  if (start < 1 || end < start) return 'annotations lines are not a range';
  if ((from !== undefined || to !== undefined) && start !== end)
    return 'annotations columns need equal start_line and end_line';
  if ((from ?? 1) < 1 || (to ?? from ?? 1) < (from ?? 1))
    return 'annotations columns are not a range';
  if ((annotation.title ?? '').length > 255) return 'annotations.title is too long';
  if (bytes(annotation.message) > KILOBYTES_64 || bytes(annotation.raw_details) > KILOBYTES_64)
    return 'annotations text is larger than 64 KB';
  return annotation.message === '' ? 'annotations.message cannot be blank' : null;
}
