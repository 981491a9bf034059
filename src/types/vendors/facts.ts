/** Each is a file in `providers/vendors`. */
export type Api = 'openai' | 'anthropic';

/** Ways to request an answer of a schema. */
export type Form = 'schema' | 'tool' | 'plain';

/** A parameter refused by a family of models. */
export interface Refusal {
  /** The only accepted value, which is the default. */
  but?: string | number | boolean;
  /** Only these values are refused (`type` of a map); absent: all. */
  values?: readonly string[];
  /** The parameter to use instead. */
  instead?: string;
  /** Accepted if another parameter has one of these values (null: is absent). */
  unless?: { parameter: string; values: readonly (string | null)[] };
}

/** Known facts of a family of models, only valid at the vendor's own host. */
export interface Passport {
  family: string;
  /** The names it applies to. */
  models: RegExp;
  refuses: Readonly<Record<string, Refusal>>;
  /** Ways to request a schema, in order of preference. */
  forms: readonly [Form, ...Form[]];
  /** Whether it thinks before it answers, in words. */
  thinks: string;
  /** `responses`: it only has OpenAI's Responses API. */
  api?: 'responses';
  /** Where the vendor says so, and the date it was read, as YYYY-MM-DD. */
  source: string;
  checked: string;
}

/** Static facts about a vendor. `providers/vendors/<api>.ts` implements its API. */
export interface VendorFacts {
  label: string;
  /** The API of its servers: its own or a shared one. */
  speaks: Api;
  /** Base address of the public host, as the vendor's SDK takes it. */
  host: string;
  /** The action's input for the key. */
  keyInput: string;
  /** The environment variable for the key: the vendor's own name. */
  keyVariable: string;
  /** The header for the key; `authorization` as a bearer token, others unchanged. */
  keyHeader: string;
  /** Headers of every request; they override the SDK's API version. */
  headers: Readonly<Record<string, string>>;
  /** The SDK's environment variable for another host, which is ignored. */
  baseUrlVariable: string;
  /** Names of its public models; any other needs an entry under `models:`. */
  models: RegExp;
  /**
   * The model for new projects, docs and examples. It is not retired, matches a passport if there
   * are any, and has a list price if `priceId` is set.
   */
  starterModel: string;
  /** The first whose name pattern matches applies. */
  passports: readonly Passport[];
  /** Minimum cached tokens of a request prefix; the first matching model applies. */
  caches?: {
    from: readonly { models: RegExp; tokens: number }[];
    source: string;
    checked: string;
  };
  /** The announced retirement dates and their models. */
  ends: Readonly<Record<string, readonly string[]>>;
  /** Its id in the table of list prices; null: only the settings' prices are known. */
  priceId: string | null;
  /** An embedding model to suggest in messages, called like OpenAI's; null: none. */
  embeddings: string | null;
  /** A batched request's share of the direct price; null: no batches. */
  batchShare: number | null;
}
