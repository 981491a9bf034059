/**
 * Runs benchmarks one after another, each in a separate process, and writes their output into
 * README.md.
 *
 *   npm run bench [-- [--date=YYYY-MM-DD] name…]
 */
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { benchmarksIn, withTables } from './measure/readme.ts';

const README = fileURLToPath(new URL('README.md', import.meta.url));
const { values, positionals } = parseArgs({
  options: { date: { type: 'string' } },
  allowPositionals: true,
});
const date = values.date ?? new Date().toISOString().slice(0, 10);
const known = benchmarksIn(readFileSync(README, 'utf8'));
const unknown = positionals.filter((name) => !known.includes(name));
if (unknown.length > 0)
  throw new Error(`no such benchmark: ${unknown.join(', ')}; there are ${known.join(', ')}`);

for (const name of positionals.length > 0 ? positionals : known) {
  process.stderr.write(`\n${name}\n`);
  const load = loadavg()[0] ?? 0;
  const begun = performance.now();
  const tables = await printed(name);
  const minutes = (performance.now() - begun) / 60_000;
  const how = `${date}, \`npm run bench -- ${name}\`, ${minutes.toFixed(1)} min; ${machine()}; load at the start ${load.toFixed(1)}.`;
  // Read again each time, so that edits made meanwhile are kept.
  writeFileSync(
    README,
    withTables(readFileSync(README, 'utf8'), name, `${tables.trim()}\n\n_${how}_`),
  );
}

/** What the figures depend on, without anything that identifies the machine. */
function machine(): string {
  const python = execFileSync('python3', ['--version'], { encoding: 'utf8' }).trim();
  return `${String(availableParallelism())} cores (${process.arch}, ${cpus()[0]?.model.replace(/\s+/g, ' ').trim() ?? 'unknown'}), ${(totalmem() / 1e9).toFixed(0)} GB, Node ${process.versions.node}, ${python}`;
}

async function printed(name: string): Promise<string> {
  const child = spawn(process.execPath, [fileURLToPath(new URL(`${name}.ts`, import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${name} ended with ${String(code)}`);
  return text;
}
