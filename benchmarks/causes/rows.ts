export interface Goal {
  /** Minimum percentage of runs that name exactly the planted lines. */
  right?: number;
  calls?: number;
}

/**
 * The effect of a planted change: the chance of a pass, by reference and by head's units in the
 * prompt.
 */
export interface Row {
  name: string;
  goal: Goal | null;
  units: number;
  /** The units that caused the drop and that the references can reveal. */
  culprits: readonly number[];
  rate(reference: number, has: (unit: number) => boolean): number;
  references?: number;
  /** Examine whenever a reference passed less often, as if it had regressed. */
  always?: boolean;
}

/** References that get worse, of 20. */
const FALLING = 6;

const broken =
  (
    does: (reference: number, has: (unit: number) => boolean) => boolean,
    noise = 1,
    low = 0,
  ): Row['rate'] =>
  (reference, has) =>
    does(reference, has) ? low : noise;

const falls = (reference: number): boolean => reference < FALLING;

export const ROWS: readonly Row[] = [
  {
    name: 'one line of eight',
    goal: { right: 90, calls: 60 },
    units: 8,
    culprits: [3],
    rate: broken((r, has) => falls(r) && has(3)),
  },
  {
    name: 'one line of eight, one reference',
    goal: null,
    units: 8,
    culprits: [6],
    rate: broken((r, has) => r === 0 && has(6)),
  },
  {
    name: 'one line of eight, tries pass in 90 %',
    goal: { right: 90 },
    units: 8,
    culprits: [3],
    rate: broken((r, has) => falls(r) && has(3), 0.9, 0.1),
  },
  {
    name: 'one line of eight breaks to a half',
    goal: { right: 70 },
    units: 8,
    culprits: [5],
    rate: broken((r, has) => r < 8 && has(5), 1, 0.5),
  },
  {
    name: 'one line of eight, 0.9 to 0.45',
    goal: { right: 70 },
    units: 8,
    culprits: [5],
    rate: broken((r, has) => r < 10 && has(5), 0.9, 0.45),
  },
  {
    name: 'two lines only together',
    goal: { right: 70 },
    units: 8,
    culprits: [1, 6],
    rate: broken((r, has) => falls(r) && has(1) && has(6)),
  },
  {
    name: 'two lines only together, tries pass in 90 %',
    goal: { right: 70 },
    units: 8,
    culprits: [1, 6],
    rate: broken((r, has) => falls(r) && has(1) && has(6), 0.9, 0.1),
  },
  {
    name: 'either of two lines',
    goal: { right: 70 },
    units: 8,
    culprits: [2, 4],
    rate: broken((r, has) => falls(r) && (has(2) || has(4))),
  },
  {
    name: 'two lines, each breaks other references',
    goal: { right: 80 },
    units: 8,
    culprits: [0, 7],
    rate: broken((r, has) => (r < 4 && has(0)) || (r >= 4 && r < 8 && has(7))),
  },
  {
    name: 'two lines, each breaks other references, tries pass in 90 %',
    goal: { right: 80 },
    units: 8,
    culprits: [0, 7],
    rate: broken((r, has) => (r < 4 && has(0)) || (r >= 4 && r < 8 && has(7)), 0.9, 0.1),
  },
  {
    name: 'a line that breaks six and fixes four',
    goal: { right: 90 },
    units: 8,
    culprits: [3],
    rate: (r, has) => (falls(r) ? (has(3) ? 0 : 1) : r >= 16 ? (has(3) ? 1 : 0) : 1),
  },
  {
    name: 'one line of eight breaks six, another fixes four',
    goal: { right: 90 },
    units: 8,
    culprits: [3],
    rate: (r, has) => (falls(r) ? (has(3) ? 0 : 1) : r >= 16 ? (has(5) ? 1 : 0) : 1),
  },
  {
    name: 'a moved line among three, tries pass in 90 %',
    goal: { right: 90 },
    units: 3,
    culprits: [1],
    rate: broken((r, has) => falls(r) && has(1), 0.9, 0.1),
  },
  {
    name: 'the model, beside two lines',
    goal: { right: 90 },
    units: 3,
    culprits: [0],
    rate: broken((r, has) => falls(r) && has(0), 0.95, 0.2),
  },
  {
    name: 'one line of 40',
    goal: null,
    units: 40,
    culprits: [17],
    rate: broken((r, has) => falls(r) && has(17)),
  },
  {
    name: 'three lines only together',
    goal: null,
    units: 8,
    culprits: [0, 3, 6],
    rate: broken((r, has) => falls(r) && has(0) && has(3) && has(6)),
  },
];

/** An agent has few tasks, and each run passes with a chance of at most 90 %. */
export const AGENT_ROWS: readonly Row[] = [
  {
    name: 'one line of eight breaks three of six tasks',
    goal: { right: 90, calls: 60 },
    units: 8,
    culprits: [3],
    references: 6,
    rate: broken((r, has) => r < 3 && has(3), 0.9, 0.1),
  },
  {
    name: 'one line of eight breaks all of three tasks',
    goal: { right: 90, calls: 60 },
    units: 8,
    culprits: [5],
    references: 3,
    rate: broken((_, has) => has(5), 0.9, 0.1),
  },
  {
    name: 'one line of eight breaks one of six tasks',
    goal: null,
    units: 8,
    culprits: [6],
    references: 6,
    rate: broken((r, has) => r === 0 && has(6), 0.9, 0.1),
  },
  {
    name: 'one line of eight breaks three of six tasks to 0.4',
    goal: null,
    units: 8,
    culprits: [3],
    references: 6,
    rate: broken((r, has) => r < 3 && has(3), 0.9, 0.4),
  },
];

const NOTHING: readonly Pick<Row, 'name' | 'units' | 'rate'>[] = [
  { name: 'eight lines do nothing, all pass in 95 %', units: 8, rate: () => 0.95 },
  { name: 'eight lines do nothing, all pass in 80 %', units: 8, rate: () => 0.8 },
  {
    name: 'eight lines do nothing, pass rates from 0 to 1',
    units: 8,
    rate: (r: number) => r / 19,
  },
];

/** Harmless edits: anything that is named is wrong. */
export const HARMLESS: readonly Row[] = [false, true].flatMap((always) =>
  NOTHING.map((row) => ({ ...row, always, goal: null, culprits: [] })),
);
