import { bytes } from '../sections/document.ts';

/** Rows that stand in the page as they are: enough for most reports, for print and for a search of the browser's. */
const OPEN_ROWS = 100;

/** Rows in one pack: unpacked together, so few enough to be quick and enough to pack well. */
export const PACK_ROWS = 100;

/** The rows of a long list: the first as HTML, the others packed. */
export interface Rows {
  open: string[];
  /** Each `PACK_ROWS` rows, as `packed` writes them. */
  packs: string[];
}

/** Null as soon as they take more than `limit` bytes together. */
export async function rowsWithin(rows: Iterable<string>, limit: number): Promise<Rows | null> {
  const open: string[] = [];
  const packs: string[] = [];
  let size = 0;
  let next: string[] = [];
  const pack = async (): Promise<void> => {
    if (next.length === 0) return;
    const one = await packed(next);
    packs.push(one);
    size += one.length;
    next = [];
  };
  for (const row of rows) {
    if (open.length < OPEN_ROWS) {
      open.push(row);
      size += bytes(row);
    } else if (next.push(row) === PACK_ROWS) await pack();
    if (size > limit) return null;
  }
  await pack();
  return size > limit ? null : { open, packs };
}

/** A value as JSON, deflated, in base64: what the page's script reads with what every browser has. */
export async function packed(value: unknown): Promise<string> {
  const stream = new Blob([JSON.stringify(value)])
    .stream()
    .pipeThrough(new CompressionStream('deflate-raw'));
  return Buffer.from(await new Response(stream).arrayBuffer()).toString('base64');
}
