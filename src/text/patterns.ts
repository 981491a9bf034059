/** Returns the equal name, or else names that match (with `*` or `?`) or contain the pattern. */
export function namesMeant(pattern: string, names: Iterable<string>): Set<string> {
  const all = new Set(names);
  if (all.has(pattern)) return new Set([pattern]);
  return new Set([...all].filter(fitterOf(pattern)));
}

export function fitterOf(pattern: string): (text: string) => boolean {
  const wanted = pattern.toLowerCase();
  if (!/[*?]/.test(wanted)) return (text) => text.toLowerCase().includes(wanted);
  const source = wanted
    .replace(/\*+/g, '*')
    .replace(/[.+^${}()|[\]\\/]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  const whole = new RegExp(`^${source}$`, 'su');
  return (text) => whole.test(text.toLowerCase());
}
