import type { ListPrice } from '../../money/price.ts';
import type { CachedTokens } from '../../types/model.ts';
import type { VendorName } from '../../types/vendors/names.ts';
import { factsOf } from '../../types/vendors.ts';

/** In tokens. Below this, no vendor's price per token depends on the input's length. */
const FLAT_BELOW = 100_000;

const LOOK = 1000;

const NO_CACHED_TOKENS: CachedTokens = { read: 0, written: 0 };

export async function loadListPrices(at: Date): Promise<ListPrice> {
  const { calcPrice } = await import('@pydantic/genai-prices');
  const known = new Map<string, ReturnType<ListPrice>>();
  const look = (vendor: VendorName, name: string): ReturnType<ListPrice> => {
    const { priceId: providerId } = factsOf(vendor);
    // Google and AWS put a path before their names.
    const model = vendor === 'vertex' || vendor === 'bedrock' ? name.replace(/^.*\//, '') : name;
    if (providerId === null) return null;
    const of = (
      input_tokens: number,
      output_tokens: number,
      { read, written }: CachedTokens = NO_CACHED_TOKENS,
    ): number | null => {
      const cache = { cache_read_tokens: read, cache_write_tokens: written };
      return (
        calcPrice({ input_tokens, output_tokens, ...cache }, model, {
          providerId,
          timestamp: at,
        })?.total_price ?? null
      );
    };
    const input = of(LOOK, 0);
    const output = of(0, LOOK);
    if (input === null || output === null) return null;
    return (usage, cached) =>
      usage.input_tokens < FLAT_BELOW && cached === undefined
        ? (usage.input_tokens * input + usage.output_tokens * output) / LOOK
        : (of(usage.input_tokens, usage.output_tokens, cached) ?? 0);
  };
  return (vendor, model) => {
    const key = `${vendor} ${model}`;
    const price =
      known.get(key) ??
      look(vendor, model) ??
      (vendor === 'bedrock' ? look(vendor, inAmerica(model)) : null);
    known.set(key, price);
    return price;
  };
}

export async function loadModelNames(vendor: VendorName): Promise<readonly string[]> {
  const { findProvider } = await import('@pydantic/genai-prices');
  const { priceId: providerId } = factsOf(vendor);
  if (providerId === null) return [];
  return findProvider({ providerId })?.models.map(({ id }) => id) ?? [];
}

/** Bedrock's price is the same in all areas, but the list lacks some of their names. */
function inAmerica(model: string): string {
  return model.replace(/^(eu|apac|jp|au|ca|us-gov)\.(?=\w+\.)/, 'us.');
}
