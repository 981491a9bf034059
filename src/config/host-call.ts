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
 * For models that a file defines in code. `refused`: an error. `written`: the file is converted,
 * but the code does not run. A function runs the code.
 */
export type CodeHost = 'refused' | 'written' | HostCall;
