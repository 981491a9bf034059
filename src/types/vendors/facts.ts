/** The APIs that are spoken here; each is a file in `providers/vendors`. */
export type Api = 'openai' | 'anthropic';

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
  /** The variable by which the vendor's SDK would let the environment choose another host. Never obeyed. */
  baseUrlVariable: string;
  /** Names of its public models; any other needs an entry under `models:`. */
  models: RegExp;
  /** The model that a new project begins with. */
  starterModel: string;
  /** Its id in the table of list prices. */
  priceId: string;
  /** A model of vectors to name in messages, asked as OpenAI's are; null: the vendor has none. */
  embeddings: string | null;
  /** What a request in a batch costs, as a share of a call's price; null: it takes no batches. */
  batchShare: number | null;
}
