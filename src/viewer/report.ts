import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { placeLinks, type Links } from '../report/sections/document.ts';
import type { View } from './data.ts';
import { testsOf, type Filter, type Test } from './tests.ts';

/** What all parts of the page read. */
export interface Report extends View {
  tests: Test[];
  links: Links;
  /** Shows the list with this filter. */
  showTests(filter: Partial<Filter>): void;
}

export const ReportContext = createContext<Report | null>(null);

export function useReport(): Report {
  const report = useContext(ReportContext);
  if (report === null) throw new Error('There is no report');
  return report;
}

export function reportOf(view: View): Omit<Report, 'showTests'> {
  const { result } = view;
  return { ...view, tests: testsOf(result), links: placeLinks(result) };
}
