import type { EvaldiffResult } from '../../schemas/result.d.ts';
import type { LiveState, LiveView, SavedView } from '../report/sections/saved-view.ts';
import { visible } from '../text/visible.ts';

export type ResultData = EvaldiffResult;
export type SuiteData = ResultData['suites'][number];
export type ReferenceData = SuiteData['references'][number];
export type SideData = NonNullable<ReferenceData['head']>;
export type TryData = SideData['tries'][number];
export type ScoreData = TryData['scores'][number];
export type CoverageData = NonNullable<ResultData['coverage']>[number];
export type AttributeData = ResultData['attributes'][number];

export interface ViewData extends Omit<SavedView, 'result' | 'live'> {
  result: ResultData;
  live?: Omit<LiveView, 'others' | 'attributes'> & {
    others: SuiteData[];
    attributes: AttributeData[];
  };
}

/** What `evaldiff dev` sends. */
export interface LiveData {
  state: LiveState;
  view: ViewData | null;
}

/** Unpacks what `report/html.ts` packed: JSON, deflated, in base64. */
export async function unpackView(packed: string): Promise<ViewData> {
  const raw = atob(packed.trim());
  const bytes = new Uint8Array(raw.length);
  for (let at = 0; at < raw.length; at += 1) bytes[at] = raw.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return withVisibleText((await new Response(stream).json()) as ViewData);
}

const raws = new WeakMap<object, object>();

/** What was received, where the page shows it with escaped characters. */
export function rawOf<T extends object>(shown: T): T {
  return (raws.get(shown) as T | undefined) ?? shown;
}

/** Escapes hidden and bidirectional characters once, so that no component can forget to. */
export function withVisibleText<T>(value: T): T {
  return escapedValue(value) as T;
}

function escapedValue(value: unknown): unknown {
  if (typeof value === 'string') return visible(value);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value);
  const shown = entries.map(([key, each]) => [visible(key), escapedValue(each)] as const);
  if (shown.every(([key, each], at) => key === entries[at]?.[0] && each === entries[at][1]))
    return value;
  const copy = Array.isArray(value) ? shown.map(([, each]) => each) : Object.fromEntries(shown);
  raws.set(copy, value);
  return copy;
}
