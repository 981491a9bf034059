import { member, parsedJson } from '../../types/plain.ts';
import type { VendorName } from '../../types/vendors/names.ts';
import { factsOf } from '../../types/vendors.ts';
import type { BoundedFetch } from './http.ts';

/** Keeps what the vendors' lists of models say. */
export interface ListMemory {
  isFresh(vendor: VendorName): Promise<boolean>;
  /** `ends`: the day on which a model ends, by its name. */
  keep(vendor: VendorName, ends: Readonly<Record<string, string>>): void;
}

const DAY = /^\d{4}-\d\d-\d\d(?!\d)/;

/** Only the vendor itself is asked. @throws Error if it does not answer. */
export async function readModelList(
  vendor: VendorName,
  base: URL,
  { fetch }: BoundedFetch,
  memory: ListMemory,
): Promise<void> {
  const { host, list } = factsOf(vendor);
  if (list === undefined || base.href !== new URL(host).href || (await memory.isFresh(vendor)))
    return;
  const response = await fetch(`${host}${list.path}`, { method: 'GET' });
  const models = member(parsedJson(await response.text()), 'data');
  if (!response.ok || !Array.isArray(models)) return;
  const ends = models.flatMap((model: unknown): [string, string][] => {
    const id = String(member(model, 'id'));
    const [day] = DAY.exec(String(member(model, list.ends))) ?? [];
    // Anthropic's list has no names without a date.
    return day === undefined
      ? []
      : [
          [id.replace(/-\d{8}$/, ''), day],
          [id, day],
        ];
  });
  memory.keep(vendor, Object.fromEntries(ends));
}
