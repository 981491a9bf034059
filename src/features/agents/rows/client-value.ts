/**
 * A value that a client generates and writes at a fixed place of its requests, as its recording in
 * fixtures/agents/requests shows. Keys of stored replies omit it.
 */
export interface ClientValue {
  /**
   * Keys from the request's root. `*` stands for every item of a list, and `name=run` for a map
   * whose `name` is `run`.
   */
  at: string;
  /** The value within the text at that place. If absent, all of it. */
  text?: RegExp;
}
