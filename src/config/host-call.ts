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

/** `written`: converts what settings can express. Only `code: host` allows a function. */
export type CodeHost = 'refused' | 'written' | HostCall;
