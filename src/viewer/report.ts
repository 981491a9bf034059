import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { placeLinks, type Links } from '../report/sections/document.ts';
import type { ViewData } from './data.ts';
import { rowsOfResult, type Filter, type TestRow } from './tests.ts';

/** What all parts of the page read. */
interface PageData extends ViewData {
  tests: TestRow[];
  links: Links;
  /** Shows the list with this filter. */
  showTests(chosen: Filter['chosen']): void;
}

export const ViewerContext = createContext<PageData | null>(null);

export function useReport(): PageData {
  const report = useContext(ViewerContext);
  if (report === null) throw new Error('There is no report');
  return report;
}

export function reportOf(view: ViewData): Omit<PageData, 'showTests'> {
  const { result } = view;
  return { ...view, tests: rowsOfResult(result), links: placeLinks(result) };
}
