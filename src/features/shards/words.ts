import { recordedWords } from '../../money/plan.ts';
import { markdownOf } from '../../report/markdown.ts';
import { NO_LINKS, paragraph, strong, type Block } from '../../report/sections/document.ts';
import { counted, cost, count } from '../../text/amounts.ts';
import { totalUsage } from '../../types/usage-totals.ts';
import { HALT_WORDS } from '../../wording/reasons.ts';
import type { Manifest } from './manifest.ts';
import { shardName } from './part.ts';

export function shardTitle({ shard, counts, halted }: Manifest): string {
  const done =
    counts.references === 0
      ? `nothing to do: the sweep has ${counted(counts.of, 'reference')}`
      : `${count(counts.references)} of ${counted(counts.of, 'reference')} evaluated`;
  const early = halted && `, ended early (${HALT_WORDS[halted.code].toLowerCase()}: ${halted.why})`;
  return `Shard ${shardName(shard)}: ${done}${early ?? ''}`;
}

export function shardWords({ usage, counts }: Manifest): string {
  return (
    `${counted(usage.calls, 'model call')} made, ${reuseWords(usage)}; ` +
    `${counted(counts.answers, 'stored answer')} and ${counted(counts.others, 'other')} for the merge.`
  );
}

function reuseWords(usage: Manifest['usage']): string {
  const { reused, replayed = 0, input_tokens, cached_tokens: cached = 0, cost_usd } = usage;
  const fromCaches =
    cached === 0
      ? ''
      : `, ${count(cached)} of ${counted(input_tokens, 'token')} in from the vendors' caches`;
  return `${count(reused)} reused${recordedWords(replayed)}${fromCaches}, ${cost(cost_usd)}`;
}

export function renderShardSummary(manifest: Manifest): string {
  return markdown([
    paragraph(strong(shardTitle(manifest)), 'verdict'),
    paragraph(`${shardWords(manifest)} The merge judges the result.`),
  ]);
}

export function mergeWords(parts: readonly Manifest[]): string {
  const usage = totalUsage(parts.map((part) => part.usage));
  return (
    `${counted(parts.length, 'shard')} made ${counted(usage.calls, 'model call')}, ` +
    `${reuseWords(usage)}; the result's usage covers only the merge.`
  );
}

export function renderMergeSummary(parts: readonly Manifest[]): string {
  return markdown([paragraph(mergeWords(parts), 'small')]);
}

function markdown(blocks: Block[]): string {
  return `${markdownOf(blocks, NO_LINKS)}\n`;
}
