import type { Notice, Problem } from '../types.ts';

/** Without repeats: what several prompts or tests share is read for each of them. */
export function distinct<T extends Problem | Notice>(entries: readonly T[]): T[] {
  const seen = new Map<string, T>();
  for (const entry of entries) {
    const key = `${entry.place?.file ?? ''}\n${entry.place?.line ?? ''}\n${entry.message}`;
    if (!seen.has(key)) seen.set(key, entry);
  }
  return [...seen.values()];
}
