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
 * `refused`: no code runs. `written`: only code that converts to settings is allowed. With a
 * function, `code: host` runs the code.
 */
export type CodeHost = 'refused' | 'written' | HostCall;
