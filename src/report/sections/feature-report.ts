import type { ReferenceResult, TryResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import type { Markup } from '../../text/markup.ts';
import type { Side } from '../../types/plain.ts';
import type { ChangedFile } from '../../types/repository.ts';
import type { Detail } from './detail.ts';
import type { Block, DiffLine, Line, Links } from './document.ts';

/**
 * Places of the report for blocks of features, from the top: above the changed lines, right after
 * the worst reference, below it, below the references that broke, and with a changed scoring.
 */
export type Slot = 'why' | 'worst' | 'whyElsewhere' | 'belowReferences' | 'scoringChange';

/** What a feature shows in reports, loaded when one is written. Pure; called for each level. */
export interface FeatureReport {
  sections?: Partial<Record<Slot, (result: Result, detail: Detail) => Block[]>>;

  /** Changed lines that it has something to say about: in the diff, and on the pull request. */
  lines?(result: Result): FoundLines[];

  /** What the action returns of it, by name of the output. */
  outputs?(result: Result): Record<string, string>;

  /** Whether a comment is worth writing for it, though no suite ran. */
  hasContent?(result: Result): boolean;

  /** What most of a suite's references that got worse have in common, for the first line. */
  inCommon?(result: Result, suite: SuiteResult, worse: readonly string[]): InCommon | null;

  /** A try that is more than one answer, such as a dialogue; null: it is not. */
  onTry?(tryResult: TryResult): TryView | null;

  /** What it knows of one reference, for `evaldiff show` and its JSON. */
  onReference?(
    result: Result,
    suite: SuiteResult,
    reference: ReferenceResult,
  ): { blocks: Block[]; json: Record<string, unknown> };

  /** Edits for the lines of a pull request, which GitHub applies by one click. */
  suggestions?(
    result: Result,
    changed: readonly ChangedFile[],
    options: { root: string; marker: string; links: Links },
  ): SuggestedEdit[];

  /**
   * By what references can be filtered, in these results taken together. A page offers the filter
   * of one feature, the first in the table.
   */
  filter?(results: readonly Result[]): ReferenceFilter;

  /** Its part of the page, worked out once. */
  page?(result: Result, reports: Reports): Promise<PagePart>;
}

export type Reports = readonly FeatureReport[];

/** What a feature adds to reports. */
export interface ReportRow {
  /** Loaded when a report is written. */
  report?(): Promise<FeatureReport>;
}

export async function loadReports(rows: readonly ReportRow[]): Promise<Reports> {
  return Promise.all(rows.flatMap(({ report }) => report?.() ?? []));
}

/** Changed lines that made a suite worse. */
export interface FoundLines {
  suite: Pick<SuiteResult, 'path' | 'name' | 'variant'>;
  /** What they did, in plain text. */
  sentence: string;
  /** Whether each did it alone, or all did it together; `untested`: nothing was tried. */
  proof: 'alone' | 'together' | 'untested';
  /** Shown below each of them in the diff; null: nothing is. */
  remark: string | null;
  lines: {
    side: Side;
    file: string;
    /** The last line on that side. */
    to: number;
    /** Where it is on head, or where it would be. */
    head: { file: string; line: number };
    /** What the diff shows of it; empty where it is not text. */
    diff: DiffLine[];
  }[];
}

/** An edit as a remark on the lines that it replaces. */
export interface SuggestedEdit {
  /** From the root of the repository. */
  path: string;
  /** From 1, inclusive. */
  startLine: number;
  endLine: number;
  body: string;
}

interface InCommon {
  name: string;
  /** How many of the references have it. */
  shared: number;
  /** Pass rates of all that have it. */
  base: number | null;
  head: number | null;
}

export interface TryView {
  /** How much there is to read, in UTF-16 units: of several tries the shortest is shown. */
  length: number;
  /** All that is shown; tries that are equal in it are shown once. */
  value: unknown;
  /** Lengths of its texts on the page. */
  lengths(): number[];
  /** All of it in as many characters, with how it ended. */
  shortened(characters: number): Line;
  /** All of it, each text in as many characters. */
  whole(characters: number): Line;
  html(characters: number): Markup;
  /** Why it did not pass; empty where nothing says so. */
  why(characters: number): Line;
  /** Base's beside head's, from where they differ. */
  beside(head: TryResult, characters: number): Block[];
}

export interface ReferenceFilter {
  label: string;
  /** The choice of all. */
  any: string;
  /** Values are whole numbers. */
  groups: { label: string; choices: { value: string; words: string }[] }[];
  valuesOf(suite: SuiteResult, id: string): string[];
}

/** The id of a reference's element on the page; null: the page does not show it. */
export type AnchorOf = (suite: SuiteResult, id: string) => string | null;

interface PagePart {
  /** Shown below the references, instead of its blocks. */
  html(anchor: AnchorOf): Markup | null;
  /** Terms and descriptions of a reference, each text in as many characters. */
  facts(suite: SuiteResult, id: string, characters: number): Markup[];
  /** Length of the longest text in any of them. */
  longest: number;
}

/** The part of the page of each feature that has one. */
export async function pageParts(result: Result, reports: Reports): Promise<PageParts> {
  const parts = reports.map(
    async (report) => [report, (await report.page?.(result, reports)) ?? null] as const,
  );
  return new Map(await Promise.all(parts));
}

export type PageParts = ReadonlyMap<FeatureReport, PagePart | null>;

export function filterOf(reports: Reports, results: readonly Result[]): ReferenceFilter | null {
  return reports.find(({ filter }) => filter !== undefined)?.filter?.(results) ?? null;
}

export function tryView(tryResult: TryResult, reports: Reports): TryView | null {
  for (const { onTry } of reports) {
    const view = onTry?.(tryResult) ?? null;
    if (view !== null) return view;
  }
  return null;
}

export function foundLines(result: Result, reports: Reports): FoundLines[] {
  return reports.flatMap(({ lines }) => lines?.(result) ?? []);
}
