export type Api = 'openai' | 'anthropic';

export type Form = 'schema' | 'tool' | 'plain';

export interface Refusal {
  /** The only accepted value, which is the default. */
  but?: string | number | boolean;
  /** Refused values (for a map, of its `type`). Default: all. */
  values?: readonly string[];
  instead?: string;
  /**
   * The parameter is accepted if another one has one of these values. Null means that it is absent.
   */
  unless?: { parameter: string; values: readonly (string | null)[] };
}

/** Facts about a family of models, valid only at the vendor's own host. */
export interface Passport {
  family: string;
  models: RegExp;
  refuses: Readonly<Record<string, Refusal>>;
  forms: readonly [Form, ...Form[]];
  /** False if the model refuses a last message of the assistant. */
  prefill?: false;
  thinks: string;
  api?: 'responses';
  /** The vendor's page, and when it was read (YYYY-MM-DD). */
  source: string;
  checked: string;
}

export interface VendorFacts {
  label: string;
  speaks: Api;
  /** Base address, as the vendor's SDK expects it. */
  host: string;
  keyInput: string;
  keyVariable: string;
  /** `authorization` gets a bearer token, other headers the plain key. */
  keyHeader: string;
  headers: Readonly<Record<string, string>>;
  /** The SDK's variable for another host, which evaldiff ignores. */
  baseUrlVariable: string;
  models: RegExp;
  starterModel: string;
  hasResponses?: true;
  /** The first match applies. `imageTokens`: the most input tokens of one image. */
  files?: readonly {
    models: RegExp;
    takes: readonly ('image' | 'file')[];
    imageTokens?: number;
  }[];
  /** Maximum bytes of files in one request, before base64. */
  requestBytes?: number;
  /** The first match applies. */
  passports: readonly Passport[];
  /**
   * For an API that requires a token limit. If `first` cuts the answer, the request is repeated as
   * a stream with `second`.
   */
  ownLimit?: { first: number; second: number };
  /** Least tokens of a cached request prefix. The first match applies. */
  caches?: { from: readonly { models: RegExp; tokens: number }[]; source: string; checked: string };
  ends: Readonly<Record<string, readonly string[]>>;
  /** Id in the table of list prices. If null, only prices in the settings are known. */
  priceId: string | null;
  embeddings: string | null;
  /** A batched request's share of the direct price. Null if there are no batches. */
  batchShare: number | null;
}
