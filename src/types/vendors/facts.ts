/** Each is a file in `providers/vendors`. */
export type Api = 'openai' | 'anthropic';

export type Form = 'schema' | 'tool' | 'plain';

export interface Refusal {
  /** The only accepted value, which is the default. */
  but?: string | number | boolean;
  /** Only these values are refused (`type` of a map); absent: all. */
  values?: readonly string[];
  instead?: string;
  /** Accepted if another parameter has one of these values (null: is absent). */
  unless?: { parameter: string; values: readonly (string | null)[] };
}

/** Known facts of a family of models, only valid at the vendor's own host. */
export interface Passport {
  family: string;
  models: RegExp;
  refuses: Readonly<Record<string, Refusal>>;
  forms: readonly [Form, ...Form[]];
  /** `false`: it refuses a last message of the assistant. Absent: it goes on with it. */
  prefill?: false;
  /** Whether it thinks before it answers, in words. */
  thinks: string;
  /** `responses`: it only has OpenAI's Responses API. */
  api?: 'responses';
  /** Where the vendor says so, and the date it was read, as YYYY-MM-DD. */
  source: string;
  checked: string;
}

export interface VendorFacts {
  label: string;
  speaks: Api;
  /** Base address of the public host, as the vendor's SDK takes it. */
  host: string;
  keyInput: string;
  keyVariable: string;
  /** The header for the key; `authorization` as a bearer token, others unchanged. */
  keyHeader: string;
  headers: Readonly<Record<string, string>>;
  /** The SDK's environment variable for another host, which is ignored. */
  baseUrlVariable: string;
  models: RegExp;
  /** Not retired; matches a passport if there are any; has a list price if `priceId` is set. */
  starterModel: string;
  /** Whether its own host has the Responses API beside chat completions; absent: it does not. */
  hasResponses?: true;
  /**
   * The files that models take; the first that matches applies. Absent: unknown. `imageTokens`: the
   * most input tokens of one image, by the vendor's rule.
   */
  files?: readonly {
    models: RegExp;
    takes: readonly ('image' | 'file')[];
    imageTokens?: number;
  }[];
  /** Most bytes of files in one request, before base64. Absent: unknown. */
  requestBytes?: number;
  /** The first whose name pattern matches applies. */
  passports: readonly Passport[];
  /**
   * Tokens that we send where the prompt sets no limit, because the API requires one, and for the
   * second, streamed request after an answer that it cut. Absent: none is sent.
   */
  ownLimit?: { first: number; second: number };
  /** Minimum cached tokens of a request prefix; the first matching model applies. */
  caches?: { from: readonly { models: RegExp; tokens: number }[]; source: string; checked: string };
  ends: Readonly<Record<string, readonly string[]>>;
  /** Its id in the table of list prices; null: only the settings' prices are known. */
  priceId: string | null;
  embeddings: string | null;
  /** A batched request's share of the direct price; null: no batches. */
  batchShare: number | null;
}
