/**
 * What of `names` a pattern of the command line means: the name itself where there is one, else
 * what fits its `*` and `?`, else what contains it. Case does not count, except that a name written
 * exactly goes first.
 */
export function namesMeant(pattern: string, names: Iterable<string>): Set<string> {
  const all = new Set(names);
  if (all.has(pattern)) return new Set([pattern]);
  const fits = fitterOf(pattern);
  return new Set([...all].filter(fits));
}

/** Whether a text fits a pattern with `*` and `?` as a whole, or contains one without them. */
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
