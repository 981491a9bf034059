import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { placeLinks, type Links } from '../report/sections/document.ts';
import type { LiveState } from '../report/sections/saved-view.ts';
import type { Side } from '../types/plain.ts';
import type { ViewData } from './data.ts';
import { viewerRows, type Filter, type TestRow } from './tests.ts';

/** What all parts of the page read. */
interface PageData extends Omit<ViewData, 'live'> {
  tests: TestRow[];
  links: Links;
  live: Live | null;
  /** The names of what is compared. */
  sides: Record<Side, string>;
  /** Shows the list with this filter. */
  showTests(chosen: Filter['chosen']): void;
}

/** Set in the page of `evaldiff dev`. */
export interface Live extends Pick<
  NonNullable<ViewData['live']>,
  'prompts' | 'notes' | 'canStart'
> {
  state: LiveState;
  /** What the last action did. */
  reply: string;
  /** Resolves to whether it was done. */
  act(action: { kind: string; [part: string]: unknown }): Promise<boolean>;
}

export const ViewerContext = createContext<PageData | null>(null);

export function useReport(): PageData {
  const report = useContext(ViewerContext);
  if (report === null) throw new Error('There is no report');
  return report;
}

export function reportOf(view: ViewData): Pick<PageData, 'tests' | 'links'> {
  return { tests: viewerRows(view), links: placeLinks(view.result) };
}
