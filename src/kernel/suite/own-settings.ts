import type { z } from 'zod';
import type { GateSettings } from './gate-settings.ts';

export interface OwnSettings {
  key: string;
  schema: z.ZodType;
  /** Members that a line `key.member=value` may set. */
  members: readonly string[];
  /** Whether base's value applies in a pull request: for what spends or can turn red. */
  fromBase(gate: GateSettings): boolean;
  /** Files of the project that a value names; absent: none. */
  files?(value: unknown): string[];
}
