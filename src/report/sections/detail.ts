/**
 * How much a report shows. Rows and items are upper bounds; what they leave out is counted in the
 * text.
 */
export interface Detail {
  /** Rows of the table of suites. */
  suites: number;
  /** Regressed references shown with their answers, and then as a row with counts only. */
  answers: number;
  counts: number;
  /** Characters of one answer or input. */
  characters: number;
  /** Rows and items of everything else that is collapsed; 0: only the number is said. */
  items: number;
  /** Problems with file and line. */
  problems: number;
  /** What the reader is told about it; null at full detail. */
  said: string | null;
}

const REST = 'The rest is in report.html and result.json.';

/** From everything to the verdict alone. A comment takes the first that fits. */
export const COMMENT_LEVELS: readonly Detail[] = [
  { suites: 100, answers: 50, counts: 100, characters: 500, items: 50, problems: 100, said: null },
  {
    suites: 100,
    answers: 15,
    counts: 100,
    characters: 300,
    items: 30,
    problems: 100,
    said: `Fewer answers are shown, to fit the size of a comment. ${REST}`,
  },
  {
    suites: 50,
    answers: 5,
    counts: 100,
    characters: 200,
    items: 15,
    problems: 50,
    said: `Fewer answers are shown, to fit the size of a comment. ${REST}`,
  },
  {
    suites: 50,
    answers: 0,
    counts: 100,
    characters: 120,
    items: 10,
    problems: 50,
    said: `No answers are shown, to fit the size of a comment. ${REST}`,
  },
  {
    suites: 15,
    answers: 0,
    counts: 0,
    characters: 120,
    items: 0,
    problems: 15,
    said: `Only numbers are shown, to fit the size of a comment. ${REST}`,
  },
  {
    suites: 0,
    answers: 0,
    counts: 0,
    characters: 120,
    items: 0,
    problems: 3,
    said: `Only the verdict is shown, to fit the size of a comment. ${REST}`,
  },
];

/** The job summary has sixteen times the room. */
export const SUMMARY_LEVELS: readonly Detail[] = [
  {
    suites: 500,
    answers: 200,
    counts: 1000,
    characters: 2000,
    items: 500,
    problems: 1000,
    said: null,
  },
  ...COMMENT_LEVELS.map((level) => ({
    ...level,
    said: (level.said ?? `Fewer answers are shown, to fit the size of a summary. ${REST}`).replace(
      'a comment',
      'a summary',
    ),
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
