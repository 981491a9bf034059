import type { ReferenceResult, TryResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import type { Markup } from '../../text/markup.ts';
import type { Side } from '../../types/plain.ts';
import type { ChangedFile } from '../../types/repository.ts';
import type { Detail } from './detail.ts';
import type { Block, DiffLine, Line, Links } from './document.ts';

/** Places at which features add blocks to the report, from the top. */
export type Slot = 'why' | 'next' | 'handoff' | 'belowReferences' | 'metrics' | 'scoringChange';

/** Facts other than the result that a report needs. */
export interface ReportContext {
  reports: Reports;
  links: Links;
}

/** A feature's part of reports. Pure; called for each level of detail. */
export interface FeatureReport {
  sections?: Partial<
    Record<Slot, (result: Result, detail: Detail, context: ReportContext) => Block[]>
  >;

  /** Changed lines to explain in the diff and on the pull request. */
  lines?(result: Result): FoundLines[];

  /**
   * A command that searches for the cause if several changes are suspects. Null if no cause is
   * open.
   */
  search?(result: Result): string | null;

  /** Outputs of the action, by name. */
  outputs?(result: Result): Record<string, string>;

  /** A suite for JUnit. `unmet` says what is missing; it is shown but never fails. */
  cases?(result: Result): { name: string; cases: { name: string; unmet: string | null }[] };

  /** Items of the fold "How sure is this?". */
  sureness?(result: Result): Line[];

  /** Whether a comment is useful although no suite ran. */
  hasContent?(result: Result): boolean;

  /** What most of the references that got worse in a suite have in common. For the first line. */
  inCommon?(
    result: Result,
    suite: SuiteResult,
    worse: readonly string[],
  ): {
    shared: number;
    places: readonly { name: string; base: number | null; head: number | null }[];
  } | null;

  /** A try with more than one answer, such as a dialogue. Null if it has only one. */
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

  /**
   * A filter over these results. A page shows only the filter of the first feature that has one.
   */
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
  /** The effect of the lines, in plain text. */
  sentence: string;
  /**
   * `alone`: each line had the effect. `together`: all lines had it. `likely`: not proven.
   * `untested`: not tried.
   */
  proof: 'alone' | 'together' | 'likely' | 'untested';
  /** Shown below each line in the diff. */
  remark: string | null;
  lines: {
    side: Side;
    file: string;
    /** The last of the lines on that side. */
    to: number;
    /** The line on head. If it is not there, where it would be. */
    head: { file: string; line: number };
    /** Empty if the file is binary. */
    diff: DiffLine[];
  }[];
  /** A fix that was tried and passed. Null if there is none. */
  fix: { kind: 'set back' | 'draft'; file: string; line: number; diff: DiffLine[] } | null;
}

/** A suggested replacement of lines. */
export interface SuggestedEdit {
  /** Path relative to the repository's root. */
  path: string;
  startLine: number;
  endLine: number;
  body: string;
}

export interface TryView {
  /** Length to read in UTF-16 units. Of several tries, the shortest is shown. */
  length: number;
  /** Equal for equal tries, which are shown once. */
  value: unknown;
  /** Lengths of its texts on the page. */
  lengths(): number[];
  /** Includes how the try ended. */
  shortened(characters: number): Line;
  /** Each text is cut to `characters`. */
  whole(characters: number): Line;
  html(characters: number): Markup;
  /** Why the try failed. May be empty. */
  why(characters: number): Line;
  /** Shows both sides from the first difference on. */
  beside(head: TryResult, characters: number): Block[];
}

export interface ReferenceFilter {
  label: string;
  any: string;
  /** Values are whole numbers. */
  groups: { label: string; choices: { value: string; words: string }[] }[];
  valuesOf(suite: SuiteResult, id: string): string[];
}

/** Returns a reference's element id on the page. Null if it is not shown. */
export type AnchorOf = (suite: SuiteResult, id: string) => string | null;

interface PagePart {
  /** Replaces the feature's blocks on the page. */
  html(anchor: AnchorOf): Markup | null;
  /** Returns terms and descriptions of a reference. Each text is cut to `characters`. */
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
