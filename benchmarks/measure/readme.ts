/** Where one benchmark's tables begin and end in the README. */
const mark = (name: string, end: '' | '/'): string => `<!-- ${end}bench:${name} -->`;

/** The benchmarks that the README has a place for, in its order. */
export function benchmarksIn(readme: string): string[] {
  return [...readme.matchAll(/<!-- bench:([a-z-]+) -->/g)].map(([, name = '']) => name);
}

/**
 * Puts what a benchmark printed in the place of what it printed before; the rest of the text stays.
 */
export function withTables(readme: string, name: string, tables: string): string {
  const [from, to] = [readme.indexOf(mark(name, '')), readme.indexOf(mark(name, '/'))];
  if (from < 0 || to < from)
    throw new Error(`README.md has no place for ${name}: ${mark(name, '')} … ${mark(name, '/')}`);
  return `${readme.slice(0, from)}${mark(name, '')}\n${tables.trim()}\n${readme.slice(to)}`;
}
