import { posix } from 'node:path';
import type { StarterFiles, StarterProject, StarterSuite } from '../../app/commands/terminal.ts';
import { schemaLine } from '../../app/session/origin.ts';
import { everyMetric } from '../../kernel/suite/metrics.ts';
import { factsOf } from '../../types/vendors.ts';
import { contextIn, skillField } from './context.ts';
import type { AgentRow } from './rows/agent-row.ts';
import { agentRow } from './rows/index.ts';
import { installCommand } from './rows/versions.ts';
import { matcherOf } from './suite/rules.ts';
import { AGENT_NAMES, agentOf } from './suite/spec.ts';

const SKILL = /^(?:(.*)\/)?SKILL\.md$/;

const IN_ANY_FOLDER = /(?:^|\/)(?:AGENTS|CLAUDE|GEMINI)\.md$/;

const TEMPLATE_PATH = /(?:^|\/)_?(?:skill-)?templates?(?:-skill)?\//i;

const PLACEHOLDER_TEXT =
  /^(?:replace (?:this|with|me)\b|todo\b *(?::|$)|(?:a )?description of (?:the|this|your) skill|<)/i;

const CLI_ROWS = AGENT_NAMES.map(agentRow).filter(({ npm }) => npm !== null);

/** Writes one suite for a skill and one for an instruction file, and names all others. */
export async function starterFor(project: StarterProject): Promise<StarterFiles> {
  const paths = [...project.tree.files.keys()]
    .filter((path) => !path.split('/').includes('node_modules'))
    .sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1));
  const skills = await Promise.all(
    paths.filter((path) => SKILL.test(path)).map((path) => readSkill(path, paths, project)),
  );
  const tested = await testedBy(project);
  const open = skills.filter(
    ({ name, hasEvals, isTemplate }) => !isTemplate && !hasEvals && !tested.skills.includes(name),
  );
  const instructions = paths.filter(
    (path) => isInstructionFile(path) && !TEMPLATE_PATH.test(path) && !tested.files.includes(path),
  );
  const skill = project.isEmpty ? open[0] : undefined;
  const file = project.isEmpty ? instructions[0] : undefined;
  const row = starterRow(project.keys, skill, file);
  const suites = [
    ...(skill === undefined ? [] : [skillSuite(skill, row, project)]),
    ...(file === undefined ? [] : [instructionsSuite(file, row, project)]),
  ];
  const left = [
    ...open.filter((each) => each !== skill).map((each) => each.file),
    ...instructions.filter((path) => file === undefined || !(path === file || isRead(row, path))),
  ];
  const templates = skills.filter(({ isTemplate }) => isTemplate);
  const evals = skills.filter(({ hasEvals }) => hasEvals).map(({ name }) => name);
  const from = suites[0] === undefined ? 'write' : `copy ${suites[0].path} to`;
  const nextSuite =
    `For each file listed as left, ${from} evals/NAME.yaml with its own tasks (docs/agents.md). ` +
    'evaldiff does not judge these files before that.';
  const agentSetting =
    `The cases in evals.json of ${evals.join(', ')} run as prompts without tools. To run them ` +
    'with an agent, add the key agent to evaldiff.yaml, such as ' +
    `agent: { agent: claude-code, model: ${factsOf('anthropic').starterModel} } (docs/agents.md).`;
  const isAgentMissing = evals.length > 0 && (project.project.settings.agent ?? null) === null;
  return {
    suites,
    needsHost: suites.length > 0 || tested.byAgents,
    left: [
      ...left.map((path) => ({ path, why: 'no suite tests it yet' })),
      ...templates.map((each) => ({ path: each.file, why: 'it is a template' })),
    ],
    steps: [...(left.length > 0 ? [nextSuite] : []), ...(isAgentMissing ? [agentSetting] : [])],
  };
}

interface FoundSkill {
  file: string;
  folder: string;
  name: string;
  hasEvals: boolean;
  /** Its folder of evals, which the agent must not see. */
  hidden: string | null;
  isTemplate: boolean;
}

async function readSkill(
  file: string,
  paths: readonly string[],
  { tree }: StarterProject,
): Promise<FoundSkill> {
  const folder = SKILL.exec(file)?.[1] ?? '';
  const text = new TextDecoder().decode(await tree.read(file));
  const named = skillField(text, 'name');
  const evals = posix.join(folder, 'evals');
  return {
    file,
    folder,
    name: /^[a-z\d][\w.-]*$/i.test(named) ? named : posix.basename(folder) || 'skill',
    hasEvals: paths.includes(`${evals}/evals.json`),
    hidden: folder !== '' && paths.some((path) => path.startsWith(`${evals}/`)) ? evals : null,
    isTemplate: TEMPLATE_PATH.test(file) || PLACEHOLDER_TEXT.test(skillField(text, 'description')),
  };
}

const isRead = ({ instructionFiles }: AgentRow, path: string): boolean =>
  matcherOf(instructionFiles)(path);

function isInstructionFile(path: string): boolean {
  return IN_ANY_FOLDER.test(path) || CLI_ROWS.some((row) => isRead(row, path));
}

/** The names of skills and the instruction files that suites test. */
async function testedBy({
  project: { suites, settings },
  tree,
}: StarterProject): Promise<{ byAgents: boolean; skills: unknown[]; files: string[] }> {
  const specs = suites.flatMap(({ prompt }) => agentOf(prompt, settings) ?? []);
  const contexts = await Promise.all(specs.map((spec) => contextIn(tree, spec)));
  const metrics = suites.flatMap(({ tests }) => everyMetric(tests));
  return {
    byAgents: specs.length > 0,
    skills: metrics.flatMap(({ source }) =>
      source.kind === 'built-in' && source.uses === 'skill_used' ? [source.with['name']] : [],
    ),
    files: contexts.flatMap(({ files }) => files),
  };
}

const finds = ({ skillFolders }: AgentRow, { name, folder }: FoundSkill): boolean =>
  skillFolders?.some((place) => `${place}/${name}` === folder) ?? false;

/** If possible, an agent that reads the file, finds the skill, and has a key, in this order. */
function starterRow(
  keys: StarterProject['keys'],
  skill: FoundSkill | undefined,
  file: string | undefined,
): AgentRow {
  const wishes: ((row: AgentRow) => boolean)[] = [
    (row) => file !== undefined && isRead(row, file),
    (row) => file !== undefined && isRead(row, posix.basename(file)),
    (row) => skill !== undefined && finds(row, skill),
    ({ wires }) => wires.some((wire) => keys.includes(wire)),
  ];
  let rows = CLI_ROWS;
  for (const wish of wishes) if (rows.some(wish)) rows = rows.filter(wish);
  return rows[0] ?? agentRow('claude-code');
}

function instructionsSuite(file: string, row: AgentRow, project: StarterProject): StarterSuite {
  const from = isRead(row, file) ? '' : `  from: ${JSON.stringify(posix.dirname(file))}\n`;
  const tests = `  metrics:
    # What must be true afterwards. Add the rules of ${file}, such as
    # - { name: tests, uses: runs, with: { run: npm test } }
    - { name: writes, uses: files, with: { exist: [SUMMARY.md], only_changed: [SUMMARY.md] } }
  references:
    - { id: newcomer, task: "Write SUMMARY.md: what a newcomer must know, in ten lines." }
    - { id: check, task: "Write SUMMARY.md: how a change is checked here, in ten lines." }
`;
  return { path: 'evals/agents.yaml', ...suiteText(row, from, tests, project), found: file };
}

function skillSuite(skill: FoundSkill, row: AgentRow, project: StarterProject): StarterSuite {
  const { file, name, folder, hidden } = skill;
  const placed = finds(row, skill)
    ? ''
    : `  skills: { ${name}: ${JSON.stringify(folder || '.')} }\n`;
  const hide = `  hide: [${hidden === null ? '' : `${JSON.stringify(hidden)}, `}evals]\n`;
  const tests = `  metrics:
    # What must be true afterwards.
    - { name: writes, uses: files, with: { exist: [RESULT.md] } }
    - { name: uses-skill, uses: skill_used, with: { name: ${name} } }
  references:
    - { id: example, task: "Use the skill ${name} on this repository. Write the result to RESULT.md." }
    # Trigger tests, one model call each: does the description make the agent choose the skill?
    # Write what a user would ask who needs the skill, in other words than its description:
    # - { id: chosen, task: "…", trigger: ${name} }
    - { id: not-chosen, task: "What is 2 + 2? Answer in one word.", trigger: null }
`;
  const path = `evals/${name}.yaml`;
  return { path, ...suiteText(row, placed + hide, tests, project), found: file };
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
  return { text, vendor, install: npm === null ? null : installCommand(npm, version ?? '') };
}
