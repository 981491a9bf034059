import { percent } from '../../text/amounts.ts';
import { rowsChart } from './rows.ts';
import { bar } from './shapes.ts';

/** `prior`: share among the attributes of its kind, 0–1. */
export interface PriorRow {
  name: string;
  prior: number;
}

/** What the references are about: the share of each attribute among those of its kind. */
export function priorChart({ label, rows }: { label: string; rows: readonly PriorRow[] }): string {
  const most = rows.reduce((found, { prior }) => Math.max(found, prior), 0);
  return rowsChart({
    label,
    ceiling: Math.min(1, Math.max(0.1, Math.ceil(most * 10 - 1e-9) / 10)),
    rows: rows.map(({ name, prior }) => ({
      name,
      note: percent(prior),
      colour: 'soft',
      bold: false,
    })),
    marks: (index, place) => {
      const [from, to] = [place(0), place(rows[index]?.prior ?? 0)];
      return [bar(from, to.x - from.x, 8, 'mark', 0.75)];
    },
  });
}
