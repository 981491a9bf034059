import type { ReferenceResult, TryResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import type { Markup } from '../../text/markup.ts';
import type { Side } from '../../types/plain.ts';
import type { ChangedFile } from '../../types/repository.ts';
import type { Detail } from './detail.ts';
import type { Block, DiffLine, Line, Links } from './document.ts';

/** Where features add blocks to the report, from the top. */
export type Slot = 'why' | 'next' | 'handoff' | 'belowReferences' | 'metrics' | 'scoringChange';

/** What a report is made with besides the result. */
export interface ReportContext {
  reports: Reports;
  links: Links;
}

/** A feature's part of reports. Pure; called for each level of detail. */
export interface FeatureReport {
  sections?: Partial<
    Record<Slot, (result: Result, detail: Detail, context: ReportContext) => Block[]>
  >;

  /** Changed lines to explain, in the diff and on the pull request. */
  lines?(result: Result): FoundLines[];

  /**
   * A command that looks for the cause where several changes are suspects; null: no cause is open.
   */
  search?(result: Result): string | null;

  /** Outputs of the action, by name. */
  outputs?(result: Result): Record<string, string>;

  /** A suite for JUnit; `unmet`: what is missing, which is shown and never fails. */
  cases?(result: Result): { name: string; cases: { name: string; unmet: string | null }[] };

  /** Items of the fold "How sure is this?". */
  sureness?(result: Result): Line[];

  /** Whether a comment is worth writing although no suite ran. */
  hasContent?(result: Result): boolean;

  /** What most of a suite's worse references have in common, for the first line. */
  inCommon?(
    result: Result,
    suite: SuiteResult,
    worse: readonly string[],
  ): {
    shared: number;
    places: readonly { name: string; base: number | null; head: number | null }[];
  } | null;

  /** A try with more than one answer, such as a dialogue; null: just one. */
  onTry?(tryResult: TryResult): TryView | null;

  /** For `evaldiff show` and its JSON. */
  onReference?(
    result: Result,
    suite: SuiteResult,
    reference: ReferenceResult,
  ): { blocks: Block[]; json: Record<string, unknown> };

  /** Edits that GitHub applies by one click. */
  suggestions?(
    result: Result,
    changed: readonly ChangedFile[],
    options: { root: string; marker: string; links: Links },
  ): SuggestedEdit[];

  /** A filter over these results. A page shows the first feature's filter only. */
  filter?(results: readonly Result[]): ReferenceFilter;

  page?(result: Result, reports: Reports): Promise<PagePart>;
}

export type Reports = readonly FeatureReport[];

export interface ReportRow {
  report?(): Promise<FeatureReport>;
}

export async function loadReports(rows: readonly ReportRow[]): Promise<Reports> {
  return Promise.all(rows.flatMap(({ report }) => report?.() ?? []));
}

export interface FoundLines {
  suite: Pick<SuiteResult, 'path' | 'name' | 'variant'>;
  /** Their effect, in plain text. */
  sentence: string;
  /** `alone`: each did it; `together`: all did; `likely`: not proven; `untested`: not tried. */
  proof: 'alone' | 'together' | 'likely' | 'untested';
  /** Shown below each line in the diff. */
  remark: string | null;
  lines: {
    side: Side;
    file: string;
    /** The last line on that side. */
    to: number;
    /** The line on head, or where it would be. */
    head: { file: string; line: number };
    /** Empty for binary files. */
    diff: DiffLine[];
  }[];
  /** A fix that was run and passed; null: none. */
  fix: { kind: 'set back' | 'draft'; file: string; line: number; diff: DiffLine[] } | null;
}

/** A suggested replacement of lines. */
export interface SuggestedEdit {
  /** From the root of the repository. */
  path: string;
  startLine: number;
  endLine: number;
  body: string;
}

export interface TryView {
  /** Reading length in UTF-16 units; the shortest of several tries is shown. */
  length: number;
  /** Identifies equal tries, which are shown once. */
  value: unknown;
  /** Lengths of its texts on the page. */
  lengths(): number[];
  /** With how it ended. */
  shortened(characters: number): Line;
  /** Each text cut to `characters`. */
  whole(characters: number): Line;
  html(characters: number): Markup;
  /** Why it failed; may be empty. */
  why(characters: number): Line;
  /** Both sides from the first difference. */
  beside(head: TryResult, characters: number): Block[];
}

export interface ReferenceFilter {
  label: string;
  any: string;
  /** Values are whole numbers. */
  groups: { label: string; choices: { value: string; words: string }[] }[];
  valuesOf(suite: SuiteResult, id: string): string[];
}

/** A reference's element id on the page; null: not shown. */
export type AnchorOf = (suite: SuiteResult, id: string) => string | null;

interface PagePart {
  /** Replaces its blocks on the page. */
  html(anchor: AnchorOf): Markup | null;
  /** Terms and descriptions of a reference, each text cut to `characters`. */
  facts(suite: SuiteResult, id: string, characters: number): Markup[];
  /** Length of the longest text. */
  longest: number;
}

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
