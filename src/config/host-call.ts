import type { Json, Scalar } from '../types/plain.ts';

/** Runs a command of the bundled program and returns its output. */
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
 * `refused`: another tool's code is not run. `written`: it is not run, but converted as far as
 * settings can express it. A function runs it, which only `code: host` allows.
 */
export type CodeHost = 'refused' | 'written' | HostCall;
