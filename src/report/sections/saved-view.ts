import type { Result } from '../../kernel/result/result.ts';
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
}

const VIEW_PARTS = {
  top: ['verdict', 'problems', 'errors', 'why', 'changedLines', 'reasons', 'next'],
  groups: ['belowReferences'],
  metrics: ['metrics'],
  more: ['changedLines', 'scoringChange', 'allChanges', 'deletedTests', 'sureness', 'notices'],
  footer: ['footer'],
} as const satisfies Record<string, readonly SectionName[]>;

type ViewPart = keyof typeof VIEW_PARTS;

export function savedView(result: Result, reports: Reports): SavedView {
  const blocksOf = (part: ViewPart) => {
    const [first] = COMMENT_LEVELS;
    const detail = part === 'top' && first !== undefined ? first : EVERYTHING;
    return sectionBlocks(result, detail, reports, sectionsIn(part, result, reports));
  };
  const parts = Object.keys(VIEW_PARTS) as ViewPart[];
  const blocks = Object.fromEntries(parts.map((part) => [part, blocksOf(part)]));
  return { result, blocks: blocks as SavedView['blocks'], left: null };
}

/** If no test broke, the first screen shows the test that moved most, as the comment does. */
function sectionsIn(part: ViewPart, result: Result, reports: Reports): readonly SectionName[] {
  return part === 'top' && brokenOf(result, reports).length === 0
    ? [...VIEW_PARTS.top, 'worstReference']
    : VIEW_PARTS[part];
}
