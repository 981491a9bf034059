import type { Result } from '../../kernel/result/result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { COMMENT_LEVELS, EVERYTHING } from './detail.ts';
import type { Block } from './document.ts';
import type { Reports } from './feature-report.ts';
import { sectionBlocks, type SectionName } from './index.ts';
import { brokenOf } from './references.ts';

/** What the viewer shows: a result, and the blocks that need the reports of features. */
export interface SavedView {
  result: Result;
  blocks: Record<ViewPart, Block[]>;
  /** What was left out, to limit the size of the file. Null if nothing. */
  left: string | null;
  trend?: Trend | null;
  live?: LiveView;
}

/** Pass rates of several results, oldest first. */
export interface Trend {
  notes: string[];
  series: { name: string; variant: string; latest: string; points: TrendPoint[] }[];
}

export interface TrendPoint {
  sha: string;
  at: string;
  /** Null if the suite did not run, or nothing was judged. */
  rate: number | null;
  low: number | null;
  high: number | null;
  references: number | null;
}

/** What `evaldiff dev` adds to the page. */
export interface LiveView {
  /** The tests that the change does not affect. */
  others: SuiteResult[];
  /** Attributes of `others`, if the result has none. */
  attributes: readonly unknown[];
  prompts: LivePrompt[];
  notes: string[];
  /** Whether the folder has no suites and settings yet. */
  canStart: boolean;
}

export interface LivePrompt {
  /** As `promptKey` makes it. */
  key: string;
  name: string;
  path: string;
  /** The saved text of the file. */
  text: string;
  variables: string[];
  rubrics: { name: string; labels: string[] }[];
  /** Names of metrics that look for `expected` as a part of the answer. */
  spans: string[];
  isEmpty: boolean;
}

/** What `evaldiff dev` is doing. */
export interface LiveState {
  note: string;
  isBad: boolean;
  /** Whether the files have changed since the tests below were run. */
  isOld: boolean;
  isRunning: boolean;
  spend: string;
  /** The last edit that can be undone. */
  undo: string | null;
  /** Errors in the files. The page then shows the last valid state. */
  problems: string[];
  /** The file whose unsaved text is shown instead of the saved one. */
  draft: string | null;
}

const VIEW_PARTS = {
  top: ['verdict', 'problems', 'errors', 'why', 'changedLines', 'reasons', 'next'],
  groups: ['belowReferences'],
  metrics: ['metrics'],
  more: ['changedLines', 'scoringChange', 'deletedTests', 'sureness', 'notices'],
  footer: ['footer'],
} as const satisfies Record<string, readonly SectionName[]>;

type ViewPart = keyof typeof VIEW_PARTS;

export function savedView(result: Result, reports: Reports): SavedView {
  const blocksOf = (part: ViewPart) => {
    if (part !== 'top') return sectionBlocks(result, EVERYTHING, reports, VIEW_PARTS[part]);
    // If no test broke, the first screen shows the test that moved most, as the comment does.
    const isBroken = brokenOf(result, reports).length > 0;
    const sections = [...VIEW_PARTS.top, ...(isBroken ? [] : ['worstReference' as const])];
    return sectionBlocks(result, COMMENT_LEVELS[0], reports, sections);
  };
  const parts = Object.keys(VIEW_PARTS) as ViewPart[];
  const blocks = Object.fromEntries(parts.map((part) => [part, blocksOf(part)]));
  return { result, blocks: blocks as SavedView['blocks'], left: null };
}
