import { conclusionOf } from '../../kernel/result/outcome.ts';
import type { Override, Result } from '../../kernel/result/result.ts';
import { outcomeFields } from '../../wording/outcomes.ts';

export const LONGEST_REASON = 500;

interface PullWords {
  labels: readonly { name: string; description: string | null }[];
  body: string;
}

type FoundOverride =
  | { status: 'none' }
  | { status: 'no-reason'; message: string }
  | { status: 'found'; override: Override };

/**
 * The override's reason is a line of the pull request's description that starts with the label's
 * name and a colon, or else the label's own description.
 */
export function findOverride({ labels, body }: PullWords, label: string): FoundOverride {
  const found = labels.find(({ name }) => name.toLowerCase() === label.toLowerCase());
  if (found === undefined) return { status: 'none' };
  const start = `${label.toLowerCase()}:`;
  const line = body
    .split(/\r?\n/)
    .map((text) => text.trim())
    .find((text) => text.toLowerCase().startsWith(start) && text.slice(start.length).trim() !== '');
  const reason = (line?.slice(start.length) ?? found.description ?? '')
    .trim()
    .slice(0, LONGEST_REASON);
  if (reason !== '') return { status: 'found', override: { label: found.name, reason } };
  return {
    status: 'no-reason',
    message:
      `The label "${label}" does not override the gate without a reason: ` +
      `add a line "${label}: the reason" to the pull request's text, or give the label a ` +
      'description.',
  };
}

/** Makes a red verdict neutral. Errors remain errors. */
export function withOverride(result: Result, override: Override): Result {
  const { outcome } = result;
  const red = outcome.kind === 'regressed' || outcome.kind === 'failed';
  if (!red || conclusionOf(outcome) !== 'failure') return result;
  const overridden = outcomeFields({ kind: 'overridden', by: outcome }, result);
  return { ...result, ...overridden, override };
}
