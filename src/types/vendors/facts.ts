export type Api = 'openai' | 'anthropic';

export type Form = 'schema' | 'tool' | 'plain';

export interface Refusal {
  /** The only accepted value, which is the default. */
  but?: string | number | boolean;
  /** Only these values are refused (`type` of a map). Absent: all. */
  values?: readonly string[];
  instead?: string;
  /** Accepted if another parameter has one of these values (null: is absent). */
  unless?: { parameter: string; values: readonly (string | null)[] };
}

/** Known facts about a family of models. Valid only at the vendor's own host. */
export interface Passport {
  family: string;
  models: RegExp;
  refuses: Readonly<Record<string, Refusal>>;
  forms: readonly [Form, ...Form[]];
  /** False: refuses a last message of the assistant. Absent: continues it. */
  prefill?: false;
  /** Whether it thinks before it answers, in words. */
  thinks: string;
  /** `responses`: only available in OpenAI's Responses API. */
  api?: 'responses';
  /** The vendor's page, and the date it was read, as YYYY-MM-DD. */
  source: string;
  checked: string;
}

export interface VendorFacts {
  label: string;
  speaks: Api;
  /** Base address of the public host, as the vendor's SDK expects it. */
  host: string;
  keyInput: string;
  keyVariable: string;
  /** The header for the key. `authorization` gets a bearer token, others the plain key. */
  keyHeader: string;
  headers: Readonly<Record<string, string>>;
  /** The SDK's environment variable for another host. It is ignored. */
  baseUrlVariable: string;
  models: RegExp;
  starterModel: string;
  /** The vendor's own host has the Responses API besides chat completions. */
  hasResponses?: true;
  /**
   * Files that models accept; the first match applies. Absent: unknown. `imageTokens`: maximum
   * input tokens of one image, by the vendor's rule.
   */
  files?: readonly {
    models: RegExp;
    takes: readonly ('image' | 'file')[];
    imageTokens?: number;
  }[];
  /** Maximum bytes of files in one request, before base64. Absent: unknown. */
  requestBytes?: number;
  /** The first whose name pattern matches applies. */
  passports: readonly Passport[];
  /**
   * Token limits to send if the prompt sets none, because the API requires one. `second` is for a
   * repeated, streamed request after `first` cut the answer. Absent: no limit is sent.
   */
  ownLimit?: { first: number; second: number };
  /** Minimum tokens of a request prefix for the cache. The first matching model applies. */
  caches?: { from: readonly { models: RegExp; tokens: number }[]; source: string; checked: string };
  ends: Readonly<Record<string, readonly string[]>>;
  /** Its id in the table of list prices. Null: only prices in the settings are known. */
  priceId: string | null;
  embeddings: string | null;
  /** A batched request's share of the direct price. Null: no batches. */
  batchShare: number | null;
}
