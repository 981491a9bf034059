import { percent, signedBetween } from '../../text/amounts.ts';
import type { AnchoredResult } from './result.ts';

export function fallWords(
  { then, now }: Pick<AnchoredResult, 'then' | 'now'>,
  { name }: { name: string },
): string {
  const before = passRate(then);
  const after = passRate(now);
  return (
    `lost ${signedBetween(before, after).slice(1)} points since ${name} ` +
    `(${percent(before)} → ${percent(after)}); this pull request alone shows no such drop`
  );
}

function passRate({ passes, tries }: AnchoredResult['then']): number {
  return tries === 0 ? 0 : passes / tries;
}
