import type { Json, Scalar } from '../types/plain.ts';

export type HostCall = (
  command: string[],
  setup: string[],
  variables: Readonly<Record<string, Scalar>>,
) => Promise<{ ok: true; value: Json } | { ok: false; why: string }>;

export interface HostSettings {
  setup: string[];
  files: string[];
}

/**
 * For models that a file defines in code. `refused`: report an error. `written`: convert the file
 * without running the code. `verified`: the same as refused, but for answers that the file's own
 * transforms have changed. A function: run the code with it.
 */
export type CodeHost = 'refused' | 'written' | 'verified' | HostCall;
