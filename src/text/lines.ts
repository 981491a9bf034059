/** Splits chunks into lines. After a line of more than `longest` bytes, nothing more is heard. */
export function lineSplitter(longest: number, hear: (line: string) => void, overflow: () => void) {
  let pieces: Buffer[] = [];
  let held = 0;
  let over = false;
  const emit = (): void => {
    const line = Buffer.concat(pieces).toString('utf8');
    pieces = [];
    held = 0;
    hear(line);
  };
  return {
    add(chunk: Buffer): void {
      for (let start = 0, end = 0; !over && end >= 0; start = end + 1) {
        end = chunk.indexOf(10, start);
        const piece = chunk.subarray(start, end < 0 ? chunk.length : end);
        held += piece.length;
        over = held > longest;
        if (over) return overflow();
        pieces.push(piece);
        if (end >= 0) emit();
      }
    },
    /** Hears what follows the last line end. */
    end(): void {
      if (held > 0 && !over) emit();
    },
  };
}
