import { overriderOf } from '../../edges/github/approval.ts';
import type { Client } from '../../edges/github/client.ts';
import { pullWords, type PullWords } from '../../edges/github/pull.ts';
import { conclusionOf } from '../../kernel/result/outcome.ts';
import type { Override, Result } from '../../kernel/result/result.ts';
import { outcomeFields } from '../../wording/outcomes.ts';
import type { Job } from './context.ts';

export const LONGEST_REASON = 500;

/**
 * A line of the pull request's description that starts with the label's name and a colon, or else
 * the label's own description. Null if the pull request lacks the label.
 */
export function overrideReason(
  { labels, body }: Pick<PullWords, 'labels' | 'body'>,
  label: string,
): string | null {
  const found = labels.find(({ name }) => name.toLowerCase() === label.toLowerCase());
  if (found === undefined) return null;
  const start = `${label.toLowerCase()}:`;
  const line = (body ?? '')
    .split(/\r?\n/)
    .map((text) => text.trim())
    .find((text) => text.toLowerCase().startsWith(start) && text.slice(start.length).trim() !== '');
  return (line?.slice(start.length) ?? found.description ?? '').trim().slice(0, LONGEST_REASON);
}

/** A result that stays red although it has the label says why. */
export async function overriddenByLabel(
  client: Client,
  { inputs: { overrideLabel: label }, facts, trust, runner, lease }: Job,
  result: Result,
): Promise<Result> {
  const { repository, pullRequest } = facts;
  if (label === null || pullRequest === null || result.conclusion !== 'failure') return result;
  const refuse = (why: string): Result => {
    const message = `The label "${label}" does not override the gate: ${why.replace(/\.$/, '')}.`;
    runner.warning(message);
    return { ...result, notices: [...result.notices, { kind: 'trust', place: null, message }] };
  };
  const words = await pullWords(client, repository, pullRequest);
  if ('warning' in words) return refuse(words.warning);
  const reason = overrideReason(words, label);
  if (reason === null) return result;
  if (reason === '')
    return refuse(
      `it has no reason. Add a line "${label}: the reason" to the pull request's text, or give ` +
        'the label a description',
    );
  const { firstRun } = lease;
  const setter =
    trust.level === 'untrusted' || trust.approved === true
      ? { refused: "it never applies to an outside contributor's pull request" }
      : await overriderOf(client, { repository, pullRequest, label, author: words.user, firstRun });
  return 'refused' in setter
    ? refuse(setter.refused)
    : withOverride(result, { label, by: setter.by, reason });
}

/** Makes a red verdict neutral. Errors remain errors. */
export function withOverride(result: Result, override: Override): Result {
  const { outcome } = result;
  const red = outcome.kind === 'regressed' || outcome.kind === 'failed';
  if (!red || conclusionOf(outcome) !== 'failure') return result;
  const overridden = outcomeFields({ kind: 'overridden', by: outcome }, result);
  return { ...result, ...overridden, override };
}
