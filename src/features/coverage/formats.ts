import { byCodeUnits } from '../../text/order.ts';
import { countStatus } from './lines-report.ts';
import type { CoveredLineResult, SuiteCoverage } from './result.ts';

const isSettled = ({ status }: CoveredLineResult): boolean => status !== 'unsettled';

const isHeld = ({ status }: CoveredLineResult): boolean =>
  status === 'held' || status === 'held_together';

/** The JSON of an "endpoint" badge of shields.io. */
export function badgeOf(coverage: readonly SuiteCoverage[]): object {
  const lines = coverage.flatMap((own) => own.lines).filter(isSettled);
  const held = countStatus(lines, 'held', 'held_together');
  const share = lines.length === 0 ? null : held / lines.length;
  return {
    schemaVersion: 1,
    label: 'prompt lines held',
    message: share === null ? 'unknown' : `${held} of ${lines.length}`,
    color:
      share === null
        ? 'lightgrey'
        : share >= 0.8
          ? 'brightgreen'
          : share >= 0.5
            ? 'yellow'
            : 'orange',
  };
}

/**
 * LCOV: a line counts as run as often as tests were found to hold it. A line of which one sentence
 * is not held counts as not run. Lines that are not settled, or whose place is unknown, are left
 * out.
 */
export function lcovOf(coverage: readonly SuiteCoverage[]): string {
  const files = new Map<string, Map<number, number>>();
  for (const line of coverage.flatMap((own) => own.lines).filter(isSettled)) {
    const { from, to } = line.lines;
    const counts = files.get(line.file) ?? new Map<number, number>();
    files.set(line.file, counts);
    for (let at = from; at > 0 && at <= to; at += 1) {
      const tests = isHeld(line) ? line.references.length : 0;
      counts.set(at, Math.min(tests, counts.get(at) ?? tests));
    }
  }
  return [...files]
    .sort(([a], [b]) => byCodeUnits(a, b))
    .map(([file, counts]) => {
      const rows = [...counts].sort(([a], [b]) => a - b);
      return [
        'TN:',
        `SF:${file.replace(/[\r\n]/g, ' ')}`,
        ...rows.map(([line, tests]) => `DA:${line},${tests}`),
        `LF:${rows.length}`,
        `LH:${rows.filter(([, tests]) => tests > 0).length}`,
        'end_of_record\n',
      ].join('\n');
    })
    .join('');
}
