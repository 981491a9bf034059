/** Markdown with its tables unpadded: the formatter pads them, and no text depends on how far. */
export function tightTables(markdown: string): string {
  return markdown
    .split('\n')
    .map((line) =>
      line.startsWith('|')
        ? line
            .replace(/ {2,}\|/g, ' |')
            .replace(/\| {2,}/g, '| ')
            .replace(/-{4,}/g, '---')
        : line,
    )
    .join('\n');
}
