import type { EvaldiffResult } from '../../schemas/result.d.ts';
import type { SavedView } from '../report/sections/saved-view.ts';
import { visible } from '../text/visible.ts';

export type Result = EvaldiffResult;
export type Suite = Result['suites'][number];
export type Reference = Suite['references'][number];
export type Side = NonNullable<Reference['head']>;
export type Try = Side['tries'][number];
export type Score = Try['scores'][number];
export type Attribute = Result['attributes'][number];

export interface View extends Omit<SavedView, 'result'> {
  result: Result;
}

/** Unpacks what `report/html.ts` packed: JSON, deflated, in base64. */
export async function unpackView(packed: string): Promise<View> {
  const raw = atob(packed.trim());
  const bytes = new Uint8Array(raw.length);
  for (let at = 0; at < raw.length; at += 1) bytes[at] = raw.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return withVisibleText(await new Response(stream).json()) as View;
}

/** Escapes hidden and bidirectional characters once, so that no component can forget to. */
function withVisibleText(value: unknown): unknown {
  if (typeof value === 'string') return visible(value);
  if (Array.isArray(value)) return value.map(withVisibleText);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [visible(key), withVisibleText(each)]),
  );
}
