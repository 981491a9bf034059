/** What came of one row. */
export interface Measured {
  name: string;
  goal: string;
  runs: number;
  /** Runs in which something fell, so that the experiment ran. */
  examined: number;
  right: number;
  wrong: number;
  /** Of all experiments. */
  calls: number;
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

function share(part: number, whole: number): string {
  return whole === 0 ? '–' : ((100 * part) / whole).toFixed(1);
}

function tableOf(rows: readonly Measured[]): string[] {
  return [
    line([
      'planted',
      'goal',
      'all named, and nothing else, %',
      'anything else named, %',
      'calls',
      'runs',
    ]),
    line(['---', '---', '---:', '---:', '---:', '---:']),
    ...rows.map(({ name, goal, examined, right, wrong, calls }) =>
      line([
        name,
        goal,
        share(right, examined),
        share(wrong, examined),
        examined === 0 ? '–' : (calls / examined).toFixed(0),
        String(examined),
      ]),
    ),
  ];
}

function harmlessTable(rows: readonly Measured[]): string[] {
  return [
    line(['edit', 'goal', 'pull requests', 'something fell', 'a line named', 'of all, %', 'calls']),
    line(['---', '---', '---:', '---:', '---:', '---:', '---:']),
    ...rows.map(({ name, goal, runs, examined, wrong, calls }) =>
      line([
        name,
        goal,
        String(runs),
        String(examined),
        String(wrong),
        share(wrong, runs),
        examined === 0 ? '–' : (calls / examined).toFixed(0),
      ]),
    ),
  ];
}

/** benchmarks/causes.md. */
export function pageOf(
  planted: readonly Measured[],
  roomy: readonly Measured[],
  harmless: readonly Measured[],
): string {
  return [
    '# How often the line that did it is named',
    '',
    "Simulated pull requests through evaldiff's own comparison and its own experiment, by `npx node benchmarks/causes.ts`. Each changes",
    'eight lines (where no other number is given) of a prompt with 20 references, of which the planted lines break six, eight or ten. A run',
    'is right when it names every planted line and nothing else: a right line with a harmless one beside it counts as wrong. Runs in which',
    'nothing fell are not examined and not counted. The constants of the experiment were chosen with other seeds than these.',
    '',
    '## As it comes',
    '',
    'Half of the calls that the comparison took, at least 120 and at most 200. Most experiments end long before.',
    '',
    ...tableOf(planted),
    '',
    '## With `explain: { max_calls: 200 }`',
    '',
    ...tableOf(roomy),
    '',
    '## Edits that do nothing',
    '',
    'A line can be named only where something seemed to fall, which is rare by itself.',
    '',
    ...harmlessTable(harmless),
    '',
  ].join('\n');
}
