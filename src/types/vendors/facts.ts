export type Api = 'openai' | 'anthropic' | 'bedrock';

export type Form = 'schema' | 'tool' | 'plain';

export interface Refusal {
  /** The only accepted value, which is the default. */
  but?: string | number | boolean;
  /** Values that are refused (for a map, values of its `type`). Default: all. */
  values?: readonly string[];
  instead?: string;
  /**
   * The parameter is accepted if another `parameter` has one of these `values`. Null: it is absent.
   */
  unless?: { parameter: string; values: readonly (string | null)[] };
}

/** Facts about a family of models, valid only at the vendor's own host. */
export interface Passport {
  family: string;
  models: RegExp;
  refuses: Readonly<Record<string, Refusal>>;
  forms: readonly [Form, ...Form[]];
  /** False if the model rejects requests that end with a message of the assistant. */
  prefill?: false;
  thinks: string;
  api?: 'responses';
  source: string;
  checked: string;
}

/** How a job without a key gets a token: it exchanges the runner's identity token. */
export interface Federation {
  /** Unless the workflow names another. `{id}` is the line's id. */
  audience: string;
  /** Options of a line in the input `keys`. */
  required: readonly string[];
  optional: readonly string[];
  /** Sent with every request that has such a token. */
  headers: Readonly<Record<string, string>>;
}

/** What the workflow or the environment must name to reach a cloud. */
interface Cloud {
  /** Parts `{name}` of `host`: options of the line in `keys`, or else one of these variables. */
  parts: Readonly<Record<string, { variables: readonly string[]; fallback?: string }>>;
  /** Variables that the cloud's own tools leave. Each list suffices. */
  logins: readonly (readonly string[])[];
  /** Variables whose values are secrets. */
  secrets: readonly string[];
}

export interface VendorFacts {
  label: string;
  speaks: Api;
  /** Base address, as the vendor's SDK expects it. Of a cloud: with `{parts}`. */
  host: string;
  /** Null: only lines of the input `keys` give the key. */
  keyInput: string | null;
  keyVariable: string;
  keyHeader: string;
  headers: Readonly<Record<string, string>>;
  /** The SDK's environment variable for another host. evaldiff ignores it. */
  baseUrlVariable: string;
  federation?: Federation;
  cloud?: Cloud;
  models: RegExp;
  starterModel: string;
  hasResponses?: true;
  /** The first match applies. `imageTokens`: the most input tokens of one image. */
  files?: readonly {
    models: RegExp;
    takes: readonly ('image' | 'file')[];
    imageTokens?: number;
  }[];
  /** The first match applies. */
  passports: readonly Passport[];
  /**
   * Token limits for an API that requires one. An answer that `first` cuts off is requested again
   * as a stream, with `second`.
   */
  ownLimit?: { first: number; second: number };
  /** The longest output, in tokens. The first match applies. */
  outputs?: readonly { models: RegExp; tokens: number }[];
  /** The shortest prefix, in tokens, that the prompt cache stores. The first match applies. */
  caches?: { from: readonly { models: RegExp; tokens: number }[]; source: string; checked: string };
  ends: Readonly<Record<string, readonly string[]>>;
  /** The vendor's own list of models, and the member of a model that has the day of its end. */
  list?: { path: string; ends: string };
  /** Id in the table of list prices. If null, only prices in the settings are known. */
  priceId: string | null;
  embeddings: string | null;
  /** Price of a batched request as a share of the direct price. Null without batches. */
  batchShare: number | null;
}
