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
 * For a model that a file defines in code. `refused` reports an error, `written` converts the file
 * without running the code, and a function runs the code.
 */
export type CodeHost = 'refused' | 'written' | HostCall;
