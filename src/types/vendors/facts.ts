/** The APIs that are spoken here; each is a file in `providers/vendors`. */
export type Api = 'openai' | 'anthropic';

/** The forms in which an answer of a schema can be asked for. */
export type Form = 'schema' | 'tool' | 'plain';

/** A parameter that models of a family refuse. */
export interface Refusal {
  /** The one value that is still accepted: the default, written out. */
  but?: string | number | boolean;
  /** It is these values alone that are refused; of a map its `type` is meant. Absent: all are. */
  values?: readonly string[];
  /** What is written in its place. */
  instead?: string;
  /** Accepted where another parameter has one of these values; null: where it is absent. */
  unless?: { parameter: string; values: readonly (string | null)[] };
}

/**
 * What is known of a family of models, so that nobody has to find out by a refused request. It
 * holds at the vendor's own host alone: other servers have other rules.
 */
export interface Passport {
  /** As people write it. */
  family: string;
  /** The names that it holds for. */
  models: RegExp;
  refuses: Readonly<Record<string, Refusal>>;
  /** In which forms an answer of a schema is asked for, in this order. */
  forms: readonly [Form, ...Form[]];
  /** Whether it thinks before it answers, in words. */
  thinks: string;
  /** `responses`: it has no chat completions, and is asked by OpenAI's other API. */
  api?: 'responses';
  /** Where the vendor says so, and when that was read, as YYYY-MM-DD. */
  source: string;
  checked: string;
}

/** What is known of a vendor without asking it. How its API is spoken is `providers/vendors/<api>.ts`. */
export interface VendorFacts {
  /** As people write it. */
  label: string;
  /** The API that its servers speak: its own, or one that many have. */
  speaks: Api;
  /** Base address of the public host, in the form that the vendor's SDK takes. */
  host: string;
  /** The action's input that holds the key. */
  keyInput: string;
  /** The variable that holds it in a terminal: the vendor's own name. */
  keyVariable: string;
  /** The header that carries it; `authorization` as a bearer token, any other as it is. */
  keyHeader: string;
  /** Headers of every request, whatever the SDK would send: the API's version is ours to choose. */
  headers: Readonly<Record<string, string>>;
  /** The variable by which the vendor's SDK would let the environment choose another host. Never obeyed. */
  baseUrlVariable: string;
  /** Names of its public models; any other needs an entry under `models:`. */
  models: RegExp;
  /**
   * The model that a new project begins with, and that documents and examples name. It has not
   * ended; one of the passports fits it, where there are any, and the table of prices has it, where
   * `priceId` names one.
   */
  starterModel: string;
  /** What is known of its models; the first that fits a name holds. */
  passports: readonly Passport[];
  /**
   * From how many tokens on it keeps a marked beginning of a request in its cache, by model; the
   * first that fits a name holds. Absent: nothing is marked.
   */
  caches?: {
    from: readonly { models: RegExp; tokens: number }[];
    source: string;
    checked: string;
  };
  /** The vendor's announced ends: the day from which on these models answer no more. */
  ends: Readonly<Record<string, readonly string[]>>;
  /**
   * Its id in the table of list prices; null: the table does not have it, so its prices are unknown
   * but where the settings give them.
   */
  priceId: string | null;
  /** A model of vectors to name in messages, asked as OpenAI's are; null: the vendor has none. */
  embeddings: string | null;
  /** What a request in a batch costs, as a share of a call's price; null: it takes no batches. */
  batchShare: number | null;
}
