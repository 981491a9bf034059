/** How much a report shows. A lower level never shows more than a higher one. */
export interface Detail {
  suites: number;
  /** Number of regressed references that are shown with answers. */
  answers: number;
  /** Number of further regressed references, shown with only their pass counts. */
  counts: number;
  /** Number of references that are shown with answers, per kind of failure. Absent: no limit. */
  answersPerFailure?: number;
  lines: number;
  characters: number;
  /** Maximum rows in each collapsed list. If 0, only the number of rows is shown. */
  collapsedItems: number;
  problems: number;
  showsUnmovedMetrics: boolean;
  sizeNote: string | null;
}

const LARGEST: Detail = {
  suites: 100,
  answers: 50,
  answersPerFailure: 10,
  lines: 24,
  counts: 100,
  characters: 500,
  collapsedItems: 50,
  problems: 100,
  showsUnmovedMetrics: false,
  sizeNote: null,
};

export const COMMENT_LEVELS: readonly [Detail, ...Detail[]] = [
  LARGEST,
  {
    ...LARGEST,
    answers: 15,
    answersPerFailure: 5,
    lines: 20,
    characters: 300,
    collapsedItems: 30,
    sizeNote: fittingNote('Fewer answers are shown'),
  },
  {
    ...LARGEST,
    suites: 50,
    answers: 5,
    lines: 16,
    characters: 200,
    collapsedItems: 15,
    problems: 50,
    sizeNote: fittingNote('Fewer answers are shown'),
  },
  {
    ...LARGEST,
    suites: 50,
    answers: 1,
    lines: 12,
    characters: 120,
    collapsedItems: 10,
    problems: 50,
    sizeNote: fittingNote('Answers are shown for only one reference'),
  },
  {
    ...LARGEST,
    suites: 15,
    answers: 1,
    lines: 8,
    counts: 0,
    characters: 120,
    collapsedItems: 0,
    problems: 15,
    sizeNote: fittingNote('Except for one reference, only numbers are shown'),
  },
  {
    ...LARGEST,
    suites: 0,
    answers: 0,
    lines: 0,
    counts: 0,
    characters: 120,
    collapsedItems: 0,
    problems: 3,
    sizeNote: fittingNote('Only the verdict is shown'),
  },
];

function fittingNote(what: string): string {
  return `${what}, to fit GitHub's size limit. The rest is in report.html and result.json.`;
}

export function fit(
  levels: readonly Detail[],
  limit: number,
  size: (text: string) => number,
  render: (detail: Detail) => string,
): string | null {
  for (const detail of levels) {
    const text = render(detail);
    if (size(text) <= limit) return text;
  }
  return null;
}

export const EVERYTHING: Detail = {
  suites: Infinity,
  answers: 0,
  lines: 400,
  counts: 0,
  characters: 2_000,
  collapsedItems: 1_000,
  problems: Infinity,
  showsUnmovedMetrics: true,
  sizeNote: null,
};
