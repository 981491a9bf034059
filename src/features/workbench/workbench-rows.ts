import type { ReferenceResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { canonicalJson } from '../../kernel/suite/canonical-json.ts';
import { promptKey } from '../../report/sections/order.ts';
import { differingSuites, pairing } from '../../report/sections/pairing.ts';
import { STATUS_ORDER } from '../../report/sections/phrases.ts';
import type { Side } from '../../types/plain.ts';
import { variantWords } from '../../wording/variants.ts';
import { ROW_ORDER, type RowStatus } from './filter.ts';

export interface Cell {
  variant: string;
  suite: SuiteResult;
  reference: ReferenceResult;
}

export interface MatrixColumn extends Pick<Cell, 'variant'> {
  side: Side;
}

export function columnKey({ side, variant }: MatrixColumn): string {
  return `${side} ${variant}`;
}

export interface MatrixRow {
  /** Stays the same when the board is redrawn. */
  key: string;
  status: RowStatus;
  cells: Cell[];
}

export interface Matrix {
  key: string;
  name: string;
  variants: string[];
  verdict: SuiteResult | null;
  apart: string[];
  rows: MatrixRow[];
}

export function cellIn({ cells }: MatrixRow, { variant }: Pick<Cell, 'variant'>): Cell | undefined {
  return cells.find((cell) => cell.variant === variant);
}

/**
 * Makes one matrix per prompt, worst first. `all` also contains references that were not compared.
 */
export function matricesOf(result: Result, all: Result | null): Matrix[] {
  const prompts = new Map<string, PromptSuites>();
  const entry = (suite: SuiteResult): PromptSuites => {
    const key = promptKey(suite);
    const found = prompts.get(key) ?? { key, of: suite, compared: [], stored: [] };
    prompts.set(key, found);
    return found;
  };
  for (const suite of all?.suites ?? []) entry(suite).stored.push(suite);
  for (const suite of result.suites) entry(suite).compared.push(suite);
  return [...prompts.values()].map(matrixOf).sort((a, b) => worstRank(a) - worstRank(b));
}

interface PromptSuites {
  key: string;
  of: SuiteResult;
  compared: SuiteResult[];
  stored: SuiteResult[];
}

function worstRank({ rows: [worst] }: Matrix): number {
  return worst === undefined ? ROW_ORDER.length : statusRank(worst);
}

function matrixOf({ key, of: { path, name }, compared, stored }: PromptSuites): Matrix {
  const labels = variantLabels([...compared, ...stored]);
  const variants = [...new Set(labels.values())];
  const found = new Map<string, Map<string, Cell>>();
  for (const suite of [...stored, ...compared]) {
    const variant = labels.get(canonicalJson(suite.variant)) ?? '';
    for (const reference of suite.references) {
      const cells = found.get(reference.id) ?? new Map<string, Cell>();
      cells.set(variant, { variant, suite, reference });
      found.set(reference.id, cells);
    }
  }
  const rows = [...found].map(([id, all]): MatrixRow => {
    const cells = variants.flatMap((variant) => all.get(variant) ?? []);
    return { key: JSON.stringify([path, name, id]), status: worstStatus(cells), cells };
  });
  return {
    key,
    name,
    variants,
    verdict: compared[0] ?? null,
    apart: rateChangeWords(compared.length > 1 ? compared : stored),
    rows: rows.sort((a, b) => statusRank(a) - statusRank(b)),
  };
}

function variantLabels(suites: readonly SuiteResult[]): Map<string, string> {
  const labels = new Map<string, string>();
  const uses = new Map<string, number>();
  for (const { variant } of suites) {
    const key = canonicalJson(variant);
    if (labels.has(key)) continue;
    const words = variantWords(variant);
    const use = (uses.get(words) ?? 0) + 1;
    uses.set(words, use);
    labels.set(key, use === 1 ? words : `${words} (${use})`);
  }
  return labels;
}

function rateChangeWords([first, ...others]: readonly SuiteResult[]): string[] {
  if (first === undefined) return [];
  const differing = differingSuites(first, others);
  return others.flatMap((other) => {
    const paired = pairing(first, other);
    if (paired === null) return [];
    const word = !differing.has(other)
      ? 'is not distinguishable from'
      : paired.difference < 0
        ? 'is worse than'
        : 'is better than';
    const same = `the same ${paired.references} references`;
    return `${variantWords(other.variant)} ${word} ${variantWords(first.variant)} on ${same}`;
  });
}

function worstStatus(cells: readonly Cell[]): RowStatus {
  if (cells.every(({ reference: { status } }) => status === 'removed')) return 'removed';
  const found = cells
    .filter(({ reference: { base, head } }) =>
      [base, head].some((side) => side !== null && side.tries.length > 0),
    )
    .map(({ reference }) => reference.status);
  return STATUS_ORDER.find((status) => found.includes(status)) ?? 'not-asked';
}

function statusRank({ status }: MatrixRow): number {
  return ROW_ORDER.indexOf(status);
}

export function tagsOf({ cells: [cell] }: MatrixRow): string[] {
  return cell?.reference.tags ?? [];
}
