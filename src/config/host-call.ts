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
 * `written` converts the parts that settings can express. A function is allowed only with `code:
 * host`.
 */
export type CodeHost = 'refused' | 'written' | HostCall;
