import type { EvaldiffResult } from '../../schemas/result.d.ts';
import type { SavedView } from '../report/sections/saved-view.ts';
import { visible } from '../text/visible.ts';

export type ResultData = EvaldiffResult;
export type SuiteData = ResultData['suites'][number];
export type ReferenceData = SuiteData['references'][number];
export type SideData = NonNullable<ReferenceData['head']>;
export type TryData = SideData['tries'][number];
export type ScoreData = TryData['scores'][number];
export type AttributeData = ResultData['attributes'][number];

export interface ViewData extends Omit<SavedView, 'result'> {
  result: ResultData;
}

/** Unpacks what `report/html.ts` packed: JSON, deflated, in base64. */
export async function unpackView(packed: string): Promise<ViewData> {
  const raw = atob(packed.trim());
  const bytes = new Uint8Array(raw.length);
  for (let at = 0; at < raw.length; at += 1) bytes[at] = raw.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return withVisibleText(await new Response(stream).json()) as ViewData;
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
