import type { Json, Scalar } from './plain.ts';

/** What a reference sets for its own dialogue. */
export type Script = {
  persona?: string;
  goal?: string;
  /** Values for the evaluators' instructions, by name. */
  values?: { [name: string]: Scalar };
  /** More criteria, by name, with their meaning. */
  criteria?: { [name: string]: string };
  turns?: ScriptedTurn[];
};

export type ScriptedTurn = {
  /** What the user says. If absent in the first turn, the prompt's own question is used. */
  user?: string;
  /** The value with which metrics with `every` compare the turn's answer. */
  expected?: Json;
};
