/** A table in Markdown, with numbers under `#` to the right. Prettier aligns the rest. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  return [head, head.map((name) => (name === '#' ? '--:' : '---')), ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}
