/**
 * How much a report shows. Rows and items are upper bounds; what they leave out is counted in the
 * text. A section reads the fields that say how much it may show, `collapsedItems` if no other one
 * fits, and shows no more at a lower level than at a higher one: a comment takes the first level
 * that fits.
 */
export interface Detail {
  /** Rows of the table of suites, and of the ranking of variants. */
  suites: number;
  /** Regressed references shown with their answers, all sections together; 0: none is opened. */
  answers: number;
  /** Regressed references after them, as a row with counts only. */
  counts: number;
  /** References of one failure shown with their answers; absent: as many as there is room. */
  answersPerFailure?: number;
  /** Changed lines shown, of all files together. */
  lines: number;
  /** Characters of one answer or input. */
  characters: number;
  /** Rows and items of every other list, which is collapsed; 0: the text only says how many. */
  collapsedItems: number;
  /** Problems with file and line. */
  problems: number;
  /** Whether values of metrics are shown that did not move: false, only those that did. */
  showsUnmovedMetrics: boolean;
  /** What the section `sizeNote` alone tells the reader about it; null at full detail. */
  sizeNote: string | null;
}

const REST = 'The rest is in report.html and result.json.';

/** From everything to the verdict alone. A comment takes the first that fits. */
export const COMMENT_LEVELS: readonly Detail[] = [
  {
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
  },
  {
    suites: 100,
    answers: 15,
    answersPerFailure: 5,
    lines: 20,
    counts: 100,
    characters: 300,
    collapsedItems: 30,
    problems: 100,
    showsUnmovedMetrics: false,
    sizeNote: `Fewer answers are shown, to fit the size of a comment. ${REST}`,
  },
  {
    suites: 50,
    answers: 5,
    lines: 16,
    counts: 100,
    characters: 200,
    collapsedItems: 15,
    problems: 50,
    showsUnmovedMetrics: false,
    sizeNote: `Fewer answers are shown, to fit the size of a comment. ${REST}`,
  },
  {
    suites: 50,
    answers: 1,
    lines: 12,
    counts: 100,
    characters: 120,
    collapsedItems: 10,
    problems: 50,
    showsUnmovedMetrics: false,
    sizeNote: `Answers are shown of one reference, to fit the size of a comment. ${REST}`,
  },
  {
    suites: 15,
    answers: 1,
    lines: 8,
    counts: 0,
    characters: 120,
    collapsedItems: 0,
    problems: 15,
    showsUnmovedMetrics: false,
    sizeNote: `Beside one reference only numbers are shown, to fit the size of a comment. ${REST}`,
  },
  {
    suites: 0,
    answers: 0,
    lines: 0,
    counts: 0,
    characters: 120,
    collapsedItems: 0,
    problems: 3,
    showsUnmovedMetrics: false,
    sizeNote: `Only the verdict is shown, to fit the size of a comment. ${REST}`,
  },
];

/** The job summary has sixteen times the room. */
export const SUMMARY_LEVELS: readonly Detail[] = [
  {
    suites: 500,
    answers: 200,
    lines: 200,
    counts: 1000,
    characters: 2000,
    collapsedItems: 500,
    problems: 1000,
    showsUnmovedMetrics: true,
    sizeNote: null,
  },
  ...COMMENT_LEVELS.map((level) => ({
    ...level,
    sizeNote: (
      level.sizeNote ?? `Fewer answers are shown, to fit the size of a summary. ${REST}`
    ).replace('a comment', 'a summary'),
  })),
];

/**
 * Renders at falling detail until the size is within the limit; null when not even the last level
 * fits.
 */
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

/** The size of a text in UTF-8 bytes. */
export function bytes(text: string): number {
  // Counted rather than encoded: a report of 30 MB would be in memory a second time.
  let size = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    const pair = unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
    if (pair) at += 1;
    size += unit < 0x80 ? 1 : unit < 0x800 ? 2 : pair ? 4 : 3;
  }
  return size;
}

/** A page of our own has room for all of it. */
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
