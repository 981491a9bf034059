import { z } from 'zod';
import type { ListMemory } from '../../edges/providers/model-list.ts';
import type { Store } from '../../edges/store/index.ts';
import { DAY_MS } from '../../text/amounts.ts';
import type { ListedEnds } from '../../types/passports.ts';
import type { VendorName } from '../../types/vendors/names.ts';
import { vendorNames } from '../../types/vendors.ts';
import { readNote } from './refusal-memory.ts';

const listSchema = z.strictObject({
  list_version: z.literal(1),
  at: z.number(),
  ends: z.record(z.string(), z.string()),
});

type KeptList = z.infer<typeof listSchema>;

/** After this time, the facts of a newer evaldiff may be better. */
const USED_MS = 30 * DAY_MS;

export interface ModelLists extends ListMemory {
  /** What the vendors' lists say that are known by now. */
  known(): Promise<ListedEnds>;
}

/** Without a store, lists are kept for this run. */
export function modelLists(
  openStores: () => Promise<readonly Store[]>,
  now: () => number,
): ModelLists {
  const ofRun = new Map<VendorName, KeptList>();
  const keptList = async (vendor: VendorName): Promise<KeptList | null> => {
    const stores = await openStores().catch(() => []);
    const notes = stores.map((store) => readNote(listSchema, store.note(listName(vendor))));
    return ofRun.get(vendor) ?? notes.find((note) => note !== null) ?? null;
  };
  return {
    async isFresh(vendor) {
      const kept = await keptList(vendor);
      return kept !== null && now() - kept.at < DAY_MS;
    },
    keep(vendor, ends) {
      const list: KeptList = { list_version: 1, at: now(), ends };
      ofRun.set(vendor, list);
      openStores().then(
        ([store]) => store?.setNote(listName(vendor), JSON.stringify(list)),
        () => undefined,
      );
    },
    async known() {
      const found = vendorNames().map(async (vendor) => {
        const kept = await keptList(vendor);
        if (kept === null || now() - kept.at > USED_MS) return [];
        const on = new Date(kept.at).toISOString().slice(0, 10);
        return [[vendor, { on, ends: kept.ends }] as const];
      });
      return new Map((await Promise.all(found)).flat());
    },
  };
}

function listName(vendor: VendorName): string {
  return `models ${vendor}`;
}
