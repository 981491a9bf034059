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
 * `refused` rejects models in code. `written` accepts them to convert files, but does not run code.
 * A function runs the code.
 */
export type CodeHost = 'refused' | 'written' | HostCall;
