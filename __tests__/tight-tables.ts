/** Markdown with unpadded tables: the formatter pads them, and texts must not depend on it. */
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
