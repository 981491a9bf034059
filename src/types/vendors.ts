/** What is known of a vendor without asking it. How it is asked is `providers/vendors/<name>.ts`. */
export interface VendorFacts {
  /** As people write it. */
  label: string;
  /** Base address of the public host, in the form that the vendor's SDK takes. */
  host: string;
  /** The action's input that holds the key. */
  keyInput: string;
  /** The variable that holds it in a terminal: the vendor's own name. */
  keyVariable: string;
  /** The variable by which the vendor's SDK would let the environment choose another host. Never obeyed. */
  baseUrlVariable: string;
  /** Names of its public models; any other needs an entry under `models:`. */
  models: RegExp;
  /** The model that a new project begins with. */
  starterModel: string;
  /** Its id in the table of list prices. */
  priceId: string;
  /** Whether it has vectors of texts. */
  embeddings: boolean;
  /** What a request in a batch costs, as a share of a call's price; null: it takes no batches. */
  batchShare: number | null;
}

/**
 * One row per vendor. Provider names, inputs, environment variables, model families, prices and
 * batches follow from it; a row here wants a row of the same name in `providers/vendors/index.ts`.
 */
export const VENDORS = {
  openai: {
    label: 'OpenAI',
    host: 'https://api.openai.com/v1',
    keyInput: 'openai-api-key',
    keyVariable: 'OPENAI_API_KEY',
    baseUrlVariable: 'OPENAI_BASE_URL',
    models: /^(gpt-|chatgpt-|o\d|text-embedding-)/,
    starterModel: 'gpt-5-mini',
    priceId: 'openai',
    embeddings: true,
    batchShare: 0.5,
  },
  anthropic: {
    label: 'Anthropic',
    host: 'https://api.anthropic.com',
    keyInput: 'anthropic-api-key',
    keyVariable: 'ANTHROPIC_API_KEY',
    baseUrlVariable: 'ANTHROPIC_BASE_URL',
    models: /^claude-/,
    starterModel: 'claude-sonnet-4-5',
    priceId: 'anthropic',
    embeddings: false,
    batchShare: 0.5,
  },
} as const satisfies Record<string, VendorFacts>;

export type VendorName = keyof typeof VENDORS;

/** Keys by vendor; null: none was given. */
export type VendorKeys = Readonly<Record<VendorName, string | null>>;

/** In the order of the rows. */
export function vendorNames(): [VendorName, ...VendorName[]] {
  return Object.keys(VENDORS) as [VendorName, ...VendorName[]];
}

export function isVendor(provider: string): provider is VendorName {
  return Object.hasOwn(VENDORS, provider);
}

/** The facts of one vendor. */
export function factsOf(vendor: VendorName): VendorFacts {
  return VENDORS[vendor];
}

/** A value for each vendor. */
export function perVendor<T>(value: (vendor: VendorName) => T): Record<VendorName, T> {
  // `fromEntries` forgets the names of the keys, which are all of them.
  return Object.fromEntries(vendorNames().map((vendor) => [vendor, value(vendor)])) as Record<
    VendorName,
    T
  >;
}
