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
