/**
 * Runs real CLIs of agents on pull requests, with our model server in place of the vendor, through
 * gateway and walls. Installs the pinned versions. Writes benchmarks/agents.md.
 *
 *   npm run test:agents [-- NAME[@VERSION]…] [--tries N] [--cache FOLDER] [--print]
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { agentRow } from '../src/features/agents/rows/index.ts';
import { AGENT_NAMES, type AgentName } from '../src/features/agents/suite/spec.ts';
import { measureAgent, type MeasuredAgent } from './agents/measure.ts';
import { failuresIn, pageOf } from './agents/page.ts';

const { values, positionals } = parseArgs({
  options: {
    tries: { type: 'string', default: '4' },
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

const folder = mkdtempSync(join(tmpdir(), 'evaldiff-test-agents-'));
const measured: MeasuredAgent[] = [];
try {
  for (const { name, version } of chosen) {
    const place = join(folder, name);
    const cache = values.cache ?? join(folder, 'cache');
    measured.push(await measureAgent({ name, version, tries: Number(values.tries), place, cache }));
    process.stderr.write(`${pageOf(measured.slice(-1)).table}\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const { page, table } = pageOf(measured);
if (values.print || positionals.length > 0) console.log(table);
else writeFileSync(new URL('agents.md', import.meta.url), page);
const failures = failuresIn(measured);
if (failures.length > 0) {
  process.stderr.write(`${failures.join('\n')}\n`);
  process.exitCode = 1;
}
