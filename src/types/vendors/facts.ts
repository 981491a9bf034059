export type Api = 'openai' | 'anthropic';

export type Form = 'schema' | 'tool' | 'plain';

export interface Refusal {
  /** The only value that is accepted. It is the default. */
  but?: string | number | boolean;
  /**
   * Only these values are refused (for a map, these values of `type`). If absent, all values are.
   */
  values?: readonly string[];
  instead?: string;
  /**
   * The parameter is accepted if another one has one of these values. Null means that the other is
   * absent.
   */
  unless?: { parameter: string; values: readonly (string | null)[] };
}

/** Known facts about a family of models. They are valid only at the vendor's own host. */
export interface Passport {
  family: string;
  models: RegExp;
  refuses: Readonly<Record<string, Refusal>>;
  forms: readonly [Form, ...Form[]];
  /**
   * If false, the model refuses a last message of the assistant. If absent, it continues the
   * message.
   */
  prefill?: false;
  /** Says in words whether the model thinks before it answers. */
  thinks: string;
  /** `responses` if the model is only available in OpenAI's Responses API. */
  api?: 'responses';
  /** The vendor's page, and the date on which it was read, as YYYY-MM-DD. */
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
  /** The environment variable with which the SDK sets another host. evaldiff ignores it. */
  baseUrlVariable: string;
  models: RegExp;
  starterModel: string;
  /** True if the vendor's own host has the Responses API as well as chat completions. */
  hasResponses?: true;
  /**
   * Files that models accept. The first match applies. Absent if unknown. `imageTokens` is the
   * maximum of input tokens of one image, by the vendor's rule.
   */
  files?: readonly {
    models: RegExp;
    takes: readonly ('image' | 'file')[];
    imageTokens?: number;
  }[];
  /** Maximum bytes of files in one request, before base64. Absent if unknown. */
  requestBytes?: number;
  /** The first passport whose pattern matches the model's name applies. */
  passports: readonly Passport[];
  /**
   * Token limits to send if the prompt sets none, because the API requires one. If `first` cuts the
   * answer, the request is repeated as a stream with `second`. If absent, no limit is sent.
   */
  ownLimit?: { first: number; second: number };
  /**
   * The cache works from this number of tokens of a request prefix. The first matching model
   * applies.
   */
  caches?: { from: readonly { models: RegExp; tokens: number }[]; source: string; checked: string };
  ends: Readonly<Record<string, readonly string[]>>;
  /**
   * The vendor's id in the table of list prices. If null, only prices in the settings are known.
   */
  priceId: string | null;
  embeddings: string | null;
  /**
   * The share of the direct price that a batched request costs. Null if the vendor has no batches.
   */
  batchShare: number | null;
}
