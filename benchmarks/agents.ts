/**
 * Runs real CLIs of agents on pull requests, with a simulated vendor, through the gateway and in
 * the sandbox. Installs the pinned versions. Writes benchmarks/agents.md.
 *
 *   npm run test:agents [-- NAME[@VERSION]…] [--tries N] [--cache FOLDER] [--print]
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { agentRow } from '../src/features/agents/rows/index.ts';
import { AGENT_NAMES, type AgentName } from '../src/features/agents/suite/spec.ts';
import { measureTree } from './agents/large.ts';
import { measureAgent, type MeasuredAgent } from './agents/measure.ts';
import { failuresIn, pageOf, tableOf } from './agents/page.ts';

const { values, positionals } = parseArgs({
  options: {
    tries: { type: 'string', default: '2' },
    cache: { type: 'string' },
    print: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});

const isName = (name: string): name is AgentName => AGENT_NAMES.some((each) => each === name);
const chosen = (positionals.length > 0 ? positionals : AGENT_NAMES).map((word) => {
  const [name = '', version] = word.split('@');
  if (!isName(name)) throw new Error(`no such agent: ${name}; there are ${AGENT_NAMES.join(', ')}`);
  return { name, version: version ?? agentRow(name).version };
});

const begun = { at: new Date(), load: loadavg()[0] ?? 0 };
const folder = mkdtempSync(join(tmpdir(), 'evaldiff-test-agents-'));
const measured: MeasuredAgent[] = [];
try {
  for (const { name, version } of chosen) {
    const place = join(folder, name);
    const cache = values.cache ?? join(folder, 'cache');
    measured.push(await measureAgent({ name, version, tries: Number(values.tries), place, cache }));
    process.stderr.write(`${tableOf(measured.slice(-1))}\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const day = begun.at.toISOString().slice(0, 10);
const minutes = (Date.now() - begun.at.getTime()) / 60_000;
const how =
  `${day}, \`npm run test:agents\`, ${minutes.toFixed(0)} min; ${availableParallelism()} cores ` +
  `(${process.arch}), Node ${process.versions.node}; load at the start ${begun.load.toFixed(1)}.`;
if (values.print || positionals.length > 0) console.log(tableOf(measured));
else
  writeFileSync(
    new URL('agents.md', import.meta.url),
    pageOf(measured, await measureTree(5000), how),
  );
const failures = failuresIn(measured);
if (failures.length > 0) {
  process.stderr.write(`${failures.join('\n')}\n`);
  process.exitCode = 1;
}
