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
 * What to do with a model that a file defines in code. `refused`: report an error. `written`:
 * accept it for conversion, but do not run it. A function: run it.
 */
export type CodeHost = 'refused' | 'written' | HostCall;
