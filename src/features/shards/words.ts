import { recordedWords } from '../../money/plan.ts';
import { markdownOf } from '../../report/markdown.ts';
import { NO_LINKS, paragraph, strong, text, type Block } from '../../report/sections/document.ts';
import { counted, cost, count } from '../../text/amounts.ts';
import { HALT_WORDS } from '../../wording/reasons.ts';
import { totalOf, type Manifest } from './manifest.ts';
import { shardName } from './part.ts';

export function shardTitle({ shard, counts, halted }: Manifest): string {
  const done =
    counts.references === 0
      ? `nothing to do: the sweep has ${counted(counts.of, 'reference')}`
      : `${count(counts.references)} of ${counted(counts.of, 'reference')} evaluated`;
  const early = halted && `, ended early (${HALT_WORDS[halted.code].toLowerCase()}: ${halted.why})`;
  return `Shard ${shardName(shard)}: ${done}${early ?? ''}`;
}

export function shardWords(manifest: Manifest): string {
  const { usage, counts } = manifest;
  return (
    `${counted(usage.calls, 'model call')} made, ${count(usage.reused)} reused` +
    `${recordedWords(usage.replayed ?? 0)}` +
    `${fromCaches(usage.input_tokens, usage.cached_tokens ?? 0)}, ${cost(usage.cost_usd)}; ` +
    `${counted(counts.answers, 'stored answer')} and ${counted(counts.others, 'other')} for the merge.`
  );
}

function fromCaches(input: number, cached: number): string {
  return cached === 0
    ? ''
    : `, ${count(cached)} of ${counted(input, 'token')} in from the vendors' caches`;
}

export function renderShardSummary(manifest: Manifest): string {
  return markdown([
    paragraph([strong(shardTitle(manifest))], 'verdict'),
    paragraph([text(`${shardWords(manifest)} The merge judges the result.`)]),
  ]);
}

export function mergeWords(parts: readonly Manifest[]): string {
  const { calls, reused, replayed, input, cached, cost: dollars } = totalOf(parts);
  return (
    `${counted(parts.length, 'shard')} made ${counted(calls, 'model call')}, reused ` +
    `${count(reused)}${recordedWords(replayed)}${fromCaches(input, cached)}, ` +
    `${cost(dollars)}; the result's usage covers only the merge.`
  );
}

export function renderMergeSummary(parts: readonly Manifest[]): string {
  return markdown([paragraph([text(mergeWords(parts))], 'small')]);
}

function markdown(blocks: Block[]): string {
  return `${markdownOf(blocks, NO_LINKS)}\n`;
}
