import { visibleLine } from '../../text/visible.ts';
import { isHeld } from './report.ts';
import type { SuiteCoverage } from './result.ts';

function settledLines(coverage: readonly SuiteCoverage[]) {
  return coverage.flatMap(({ lines }) => lines.filter(({ status }) => status !== 'unsettled'));
}

/** The JSON of an "endpoint" badge of shields.io. */
export function badgeOf(coverage: readonly SuiteCoverage[]): object {
  const lines = settledLines(coverage);
  const held = lines.filter(isHeld).length;
  return {
    schemaVersion: 1,
    label: 'prompt lines held',
    message: lines.length === 0 ? 'unknown' : `${held} of ${lines.length}`,
    color: 'blue',
  };
}

/**
 * LCOV: a line counts as run if all its sentences are held. Lines that are not settled, or whose
 * place is unknown, are left out.
 */
export function lcovOf(coverage: readonly SuiteCoverage[]): string {
  const placed = settledLines(coverage).filter(({ unit }) => unit.lines.from > 0);
  const files = Map.groupBy(placed, ({ unit }) => unit.file);
  return [...files]
    .map(([file, lines]) => {
      const held = new Map<number, boolean>();
      for (const line of lines)
        for (let at = line.unit.lines.from; at <= line.unit.lines.to; at += 1)
          held.set(at, isHeld(line) && held.get(at) !== false);
      const rows = [...held].map(([at, own]) => `DA:${at},${Number(own)}\n`).join('');
      return `TN:\nSF:${visibleLine(file)}\n${rows}end_of_record\n`;
    })
    .join('');
}
