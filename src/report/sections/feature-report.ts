import type { ReferenceResult, TryResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import type { Side } from '../../types/plain.ts';
import type { Detail } from './detail.ts';
import type { Block, DiffLine, Line, Links } from './document.ts';

/** Places in the report where a feature can add blocks, from top to bottom. */
export type Slot = 'why' | 'next' | 'handoff' | 'belowReferences' | 'metrics' | 'scoringChange';

export interface ReportContext {
  reports: Reports;
  links: Links;
}

/** All functions must be pure, because they are called for each level of detail. */
export interface FeatureReport {
  sections?: Partial<
    Record<Slot, (result: Result, detail: Detail, context: ReportContext) => Block[]>
  >;

  /** Lines in the pull request's diff that the report explains. */
  lines?(result: Result): FoundLines[];

  /** The lines that fixed tests. */
  healingLines?(result: Result): FoundLines[];

  /** Edits that were run before they are shown, each of one place. */
  proposals?(result: Result): TestedProposal[];

  /** Columns of a sweep's ranking. Variants of a prompt have the same ones. */
  ranked?(suite: SuiteResult): { name: string; value: string }[];

  /** Returns a command that searches for the cause. Null if there is nothing to search. */
  search?(result: Result): string | null;

  outputs?(result: Result): Record<string, string>;

  /** JUnit cases that never fail. `unmet`: why the case's condition is not met, or null. */
  cases?(result: Result): { name: string; cases: { name: string; unmet: string | null }[] };

  sureness?(result: Result): Line[];

  /** True if a comment is useful although no suite ran. */
  hasContent?(result: Result): boolean;

  /**
   * Finds what most of the worse references have in common, for the report's first line. `shared`:
   * how many of them, or null if values got worse instead.
   */
  inCommon?(
    result: Result,
    suite: SuiteResult,
    worse: readonly string[],
  ): {
    shared: number | null;
    places: readonly { name: string; words: string }[];
  } | null;

  /** Null if the try is a single answer and not a dialogue. */
  onTry?(tryResult: TryResult): TryView | null;

  onReference?(
    result: Result,
    suite: SuiteResult,
    reference: ReferenceResult,
  ): { blocks: Block[]; json: Record<string, unknown> };
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
  sentence: string;
  /**
   * `alone`: each line caused the difference by itself. `together`: only all lines together did.
   * `likely`: not proven.
   */
  proof: 'alone' | 'together' | 'likely' | 'untested';
  remark: string | null;
  lines: {
    side: Side;
    file: string;
    to: number;
    /** The line on head. For a removed line, the place on head where it was. */
    head: { file: string; line: number };
    /** Empty if the file is binary. */
    diff: DiffLine[];
  }[];
}

/** An edit of a file, with what its tries showed. */
export interface ProvenFix {
  kind: 'set back' | 'draft' | 'test' | 'shorter';
  file: string;
  lines: { from: number; to: number };
  replaced: string;
  replacement: string;
  restores: { references: number; of: number };
  costs: { references: number; of: number };
  tries: number;
  withheld?: true;
  /** Of `shorter`, 0–1. */
  loss?: number;
}

export interface TestedProposal extends Pick<FoundLines, 'suite'> {
  fix: ProvenFix;
  /** Small print, such as the cause. */
  why: Line;
}

export interface TryView {
  length: number;
  /** A short form that includes how the try ended. */
  shortened(characters: number): Line;
  whole(characters: number): Line;
  /** The metric whose score `beside` shows, together with the input. */
  metric?: string;
  why(characters: number): Line;
  beside(head: TryResult, characters: number): Block[];
}

export function tryView<View>(
  tryResult: TryResult,
  reports: readonly { onTry?(made: TryResult): View | null }[],
): View | null {
  for (const { onTry } of reports) {
    const view = onTry?.(tryResult) ?? null;
    if (view !== null) return view;
  }
  return null;
}

export function healingLines(result: Result, reports: Reports): FoundLines[] {
  return reports.flatMap((report) => report.healingLines?.(result) ?? []);
}

export function proposalsIn(result: Result, reports: Reports): TestedProposal[] {
  return reports.flatMap(({ proposals }) => proposals?.(result) ?? []);
}

export function foundLines(result: Result, reports: Reports): FoundLines[] {
  return reports.flatMap(({ lines }) => lines?.(result) ?? []);
}
