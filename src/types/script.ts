import type { Json, Scalar } from './plain.ts';

/** What a reference sets for its own dialogue. */
export type Script = {
  persona?: string;
  goal?: string;
  /** Fills the evaluators' instructions, by name. */
  values?: { [name: string]: Scalar };
  /** Further criteria, by name, with their meaning. */
  criteria?: { [name: string]: string };
  turns?: ScriptedTurn[];
};

export type ScriptedTurn = {
  /** What the user says; absent in the first turn: the prompt's own question. */
  user?: string;
  /** What metrics with `every` compare the turn's answer with. */
  expected?: Json;
};
