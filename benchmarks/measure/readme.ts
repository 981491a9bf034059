/** The marks around a benchmark's tables in the README. */
const mark = (name: string, end: '' | '/'): string => `<!-- ${end}bench:${name} -->`;

/** Names of the benchmarks that have marks in the README, in its order. */
export function benchmarksIn(readme: string): string[] {
  return [...readme.matchAll(/<!-- bench:([a-z-]+) -->/g)].map(([, name = '']) => name);
}

/** Replaces a benchmark's previous output; the rest of the text is unchanged. */
export function withTables(readme: string, name: string, tables: string): string {
  const [from, to] = [readme.indexOf(mark(name, '')), readme.indexOf(mark(name, '/'))];
  if (from < 0 || to < from)
    throw new Error(`README.md has no place for ${name}: ${mark(name, '')} … ${mark(name, '/')}`);
  return `${readme.slice(0, from)}${mark(name, '')}\n${tables.trim()}\n${readme.slice(to)}`;
}
