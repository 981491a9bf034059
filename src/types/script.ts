import type { Json, Scalar } from './plain.ts';

export type Script = {
  persona?: string;
  goal?: string;
  values?: { [name: string]: Scalar };
  criteria?: { [name: string]: string };
  turns?: ScriptedTurn[];
};

export type ScriptedTurn = {
  /** If absent in the first turn, the prompt's own question is used. */
  user?: string;
  /** Metrics with `every` compare the turn's answer with it. */
  expected?: Json;
};
