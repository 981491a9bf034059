/** The marks around the generated part of a file. */
interface Marks {
  file: string;
  begin: string;
  end: string;
}

/** The text with `content` between its marks; throws if a mark is missing. */
export function between(text: string, { file, begin, end }: Marks, content: string): string {
  const from = text.indexOf(begin) + begin.length;
  const to = text.indexOf(end, from);
  if (from < begin.length || to === -1) {
    const lines = [begin, end].map((mark) => mark.trim()).filter((mark) => mark !== '');
    throw new Error(`${file} lacks the lines ${lines.join(' and ')}`);
  }
  return text.slice(0, from) + content + text.slice(to);
}
