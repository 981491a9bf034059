import type { Json, Scalar } from './plain.ts';

export type Script = {
  persona?: string;
  goal?: string;
  values?: { [name: string]: Scalar };
  criteria?: { [name: string]: string };
  turns?: ScriptedTurn[];
};

export type ScriptedTurn = {
  /** If the first turn has none, the prompt's own question is used. */
  user?: string;
  /** Metrics with `every` compare the turn's answer with this value. */
  expected?: Json;
};
