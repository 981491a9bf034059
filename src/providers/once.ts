import type { Complete, Completion, Request } from '../types.ts';

export interface OnceOptions {
  /** Equal for requests that may share one completion. */
  keyOf(request: Request): string;
  /**
   * What is kept of answers that came: `keep` all of them, or `forget` them because a store below
   * gives them again. Errors are kept in both cases, so that what was refused is not asked for
   * again.
   */
  answers: 'keep' | 'forget';
}

/**
 * One completion per distinct request within a run: whoever asks while or after another did gets
 * the same, marked as reused. A call that was only stopped is no answer to anybody who asks later.
 */
export function createOnce(complete: Complete, { keyOf, answers }: OnceOptions): Complete {
  const known = new Map<string, Promise<Completion>>();
  const first = async (key: string, request: Request): Promise<Completion> => {
    try {
      const completion = await complete(request);
      if (completion.status === 'error' ? completion.kind === 'aborted' : answers === 'forget')
        known.delete(key);
      return completion;
    } catch (error) {
      known.delete(key);
      throw error;
    }
  };
  return (request) => {
    const key = keyOf(request);
    const shared = known.get(key);
    if (shared !== undefined) return shared.then(asReused);
    const completion = first(key, request);
    known.set(key, completion);
    return completion;
  };
}

function asReused(completion: Completion): Completion {
  return completion.status === 'ok' ? { ...completion, reused: true } : completion;
}
