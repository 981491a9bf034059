import type { Json, Scalar } from './plain.ts';

export type Script = {
  persona?: string;
  goal?: string;
  values?: { [name: string]: Scalar };
  criteria?: { [name: string]: string };
  turns?: ScriptedTurn[];
};

export type ScriptedTurn = {
  /** Default for the first turn: the prompt's own question. */
  user?: string;
  /** Metrics with `every` compare the turn's answer with this value. */
  expected?: Json;
};
