/** A line by which a runtime tells what ended a program, as Node and Python write it. */
const TELLING = /^(?:[\w.]*(?:Error|Exception)\b[^:]*): \S/;
/** Lines that a runtime writes below it: the stack, properties of the error, its own version. */
const BELOW = 30;

/**
 * What a program said last on stderr, in one line: the error it ended with, where one stands near
 * the end, else the last line.
 */
export interface LastWords {
  hear(line: string): void;
  forget(): void;
  text(): string;
}

export function createLastWords(): LastWords {
  let last = '';
  let telling: { line: string; below: number } | null = null;
  return {
    hear(line) {
      const words = line.trim();
      if (words === '') return;
      last = words;
      if (TELLING.test(words)) telling = { line: words, below: 0 };
      else if (telling !== null && ++telling.below > BELOW) telling = null;
    },
    forget() {
      last = '';
      telling = null;
    },
    text: () => telling?.line ?? last,
  };
}
