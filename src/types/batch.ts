/** Batches of requests that a vendor answers within a day. */

/** A batch that was submitted and whose results nobody has fetched yet. */
export interface BatchRecord {
  /** The vendor's. */
  id: string;
  vendor: 'openai' | 'anthropic';
  /** Of all its requests. */
  model: string;
  /** Milliseconds since 1970. */
  submitted_at: number;
  /** Request keys, and the name of the schema that an answer was asked in. */
  requests: { key: string; schema: string | null }[];
}

/** What a run that ends leaves with vendors, for a later run to pick up. */
export interface WaitingBatches {
  ids: string[];
  requests: number;
}
