import type { ListPrice } from '../../money/price.ts';
import type { CachedTokens } from '../../types/model.ts';
import { factsOf, type VendorName } from '../../types/vendors.ts';

/**
 * Below this many input tokens no vendor's price depends on the length, so that one look is enough
 * for all such calls.
 */
const FLAT_BELOW = 100_000;

const LOOK = 1000;

const NO_CACHED_TOKENS: CachedTokens = { read: 0, written: 0 };

/**
 * The vendors' public prices by model, as bundled: nothing is looked up over the network. The table
 * is large, and so only loaded when something is to be priced. `at` matters where a price depends
 * on the date.
 */
export async function loadListPrices(at: Date): Promise<ListPrice> {
  const { calcPrice } = await import('@pydantic/genai-prices');
  const known = new Map<string, ReturnType<ListPrice>>();
  const look = (vendor: VendorName, model: string): ReturnType<ListPrice> => {
    const { priceId: providerId } = factsOf(vendor);
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
    const [input, output] = [of(LOOK, 0), of(0, LOOK)];
    if (input === null || output === null) return null;
    return (usage, cached) =>
      usage.input_tokens < FLAT_BELOW && cached === undefined
        ? (usage.input_tokens * input + usage.output_tokens * output) / LOOK
        : (of(usage.input_tokens, usage.output_tokens, cached) ?? 0);
  };
  return (vendor, model) => {
    const key = `${vendor} ${model}`;
    const found = known.get(key) ?? look(vendor, model);
    known.set(key, found);
    return found;
  };
}
