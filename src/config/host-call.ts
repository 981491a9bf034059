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
 * What to do if a file defines a model in code. `refused`: report an error. `written`: accept the
 * file in order to convert it, but do not run the code. A function: run the code with it.
 */
export type CodeHost = 'refused' | 'written' | HostCall;
