import { posix } from 'node:path';
import type { StarterProject, StarterSuite } from '../../app/commands/terminal.ts';
import { schemaLine } from '../../app/session/origin.ts';
import { shorten } from '../../text/visible.ts';
import { factsOf } from '../../types/vendors.ts';
import { frontMatter } from './context.ts';
import type { AgentRow } from './rows/agent-row.ts';
import { agentRow } from './rows/index.ts';
import { installCommand } from './rows/versions.ts';
import { matcherOf } from './suite/rules.ts';
import { AGENT_NAMES } from './suite/spec.ts';

const SKILL = /^(?:(.*)\/)?SKILL\.md$/;

const INSTRUCTION_FILES = /^(?:AGENTS\.md|CLAUDE\.md|\.github\/copilot-instructions\.md)$/;

export async function starterSuite(project: StarterProject): Promise<StarterSuite | null> {
  const { tree, keys } = project;
  const paths = [...tree.files.keys()]
    .filter((path) => !path.split('/').includes('node_modules'))
    .sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1));
  const file = paths.find((path) => SKILL.test(path));
  if (file !== undefined) {
    const text = new TextDecoder().decode(await tree.read(file));
    return skillSuite({ file, paths, ...skillFields(text) }, project);
  }
  const found = paths.find((path) => INSTRUCTION_FILES.test(path));
  if (found === undefined) return null;
  const row = starterRow(keys, ({ instructionFiles }) => matcherOf(instructionFiles)(found));
  const tests = `  metrics:
    # What must be true afterwards. Add the rules of ${found}, such as
    # - { name: tests, uses: runs, with: { run: npm test } }
    - { name: writes, uses: files, with: { exist: [SUMMARY.md], only_changed: [SUMMARY.md] } }
  references:
    - { id: newcomer, task: "Write SUMMARY.md: what a newcomer must know, in ten lines." }
    - { id: check, task: "Write SUMMARY.md: how a change is checked here, in ten lines." }
`;
  return { path: 'evals/agents.yaml', ...suiteText(row, '', tests, project), found };
}

interface FoundSkill {
  file: string;
  name: string;
  description: string;
  paths: readonly string[];
}

function skillFields(text: string): Pick<FoundSkill, 'name' | 'description'> {
  const head = frontMatter(text);
  const field = (key: string): string =>
    new RegExp(`^${key}: *(?:[>|][-+]?\\s+)?["']?([^\\r\\n]+?)["']?\\s*$`, 'm').exec(head)?.[1] ??
    '';
  return { name: field('name'), description: field('description') };
}

function skillSuite(
  { file, name: named, description, paths }: FoundSkill,
  project: StarterProject,
): StarterSuite {
  const folder = SKILL.exec(file)?.[1] ?? '';
  const name = /^[a-z\d][\w.-]*$/i.test(named) ? named : posix.basename(folder) || 'skill';
  const finds = ({ skillFolders }: AgentRow): boolean =>
    skillFolders?.some((place) => `${place}/${name}` === folder) ?? false;
  const row = starterRow(project.keys, finds);
  const placed = finds(row) ? [] : [`  skills: { ${name}: ${JSON.stringify(folder || '.')} }\n`];
  const own = posix.join(folder, 'evals');
  const hasOwn = folder !== '' && paths.some((path) => path.startsWith(`${own}/`));
  const hidden = `  hide: [${hasOwn ? `${JSON.stringify(own)}, ` : ''}evals]\n`;
  const wish = JSON.stringify(shorten(description === '' ? `Use ${name}.` : description, 300));
  const tests = `  metrics:
    # What must be true afterwards.
    - { name: writes, uses: files, with: { exist: [RESULT.md] } }
    - { name: uses-skill, uses: skill_used, with: { name: ${name} } }
  references:
    - { id: example, task: "Use the skill ${name} on this repository. Write the result to RESULT.md." }
    # Trigger tests, one model call each: does the description make the agent choose the skill?
    - { id: chosen, task: ${wish}, trigger: ${name} }
    - { id: not-chosen, task: "What is 2 + 2? Answer in one word.", trigger: null }
`;
  const path = `evals/${name}.yaml`;
  return { path, ...suiteText(row, placed.join('') + hidden, tests, project), found: file };
}

function starterRow(keys: StarterProject['keys'], finds: (row: AgentRow) => boolean): AgentRow {
  const rows = AGENT_NAMES.map(agentRow).filter(({ npm }) => npm !== null);
  const suitable = rows.some(finds) ? rows.filter(finds) : rows;
  const isPaid = ({ wires }: AgentRow): boolean => wires.some((wire) => keys.includes(wire));
  return suitable.find(isPaid) ?? suitable[0] ?? agentRow('claude-code');
}

function suiteText(
  { name, wires, npm, version }: AgentRow,
  workspace: string,
  tests: string,
  { keys, origin }: StarterProject,
): Pick<StarterSuite, 'text' | 'vendor' | 'install'> {
  const vendor = wires.find((wire) => keys.includes(wire)) ?? wires[0] ?? 'anthropic';
  const text = `${schemaLine('agents', origin)}# A suite for an agent. Each run gets a fresh copy of one side and a task.
agent: ${name}
model: ${factsOf(vendor).starterModel}
${workspace === '' ? '' : `workspace:\n${workspace}`}limits: { turns: 30, minutes: 10, usd: 1 } # of one run
tests:
${tests}`;
  return { text, vendor, install: npm === null ? '' : installCommand(npm, version ?? '') };
}
