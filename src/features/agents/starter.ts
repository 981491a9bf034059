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
import { AGENT_NAMES, specOf } from './suite/spec.ts';

const SKILL = /^(?:(.*)\/)?SKILL\.md$/;

const IN_ANY_FOLDER = /(?:^|\/)(?:AGENTS|CLAUDE|GEMINI)\.md$/;

const TEMPLATE_PATH = /(?:^|\/)_?(?:skill-)?templates?(?:-skill)?\//i;

const PLACEHOLDER_TEXT =
  /^(?:replace (?:this|with|me)\b|todo\b *(?::|$)|(?:a )?description of (?:the|this|your) skill|<)/i;

const CLI_ROWS = AGENT_NAMES.map(agentRow).filter(({ npm }) => npm !== null);

const NO_SUITE = 'no suite tests it yet';

/** Writes one suite for a skill and one for an instruction file, and names all others. */
export async function starterFor(project: StarterProject): Promise<StarterFiles> {
  const paths = [...project.tree.files.keys()]
    .filter((path) => !path.split('/').includes('node_modules'))
    .sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1));
  const skills = await Promise.all(
    paths.filter((path) => SKILL.test(path)).map((path) => readSkill(path, paths, project)),
  );
  const isTested = await testedBy(project);
  const open = {
    skills: skills.filter((skill) => !skill.isTemplate && !isTested.skill(skill)),
    instructions: paths.filter(
      (path) => isInstructionFile(path) && !TEMPLATE_PATH.test(path) && !isTested.file(path),
    ),
  };
  const suites = project.isEmpty ? suitesFor(open, project) : [];
  const reading = suites.flatMap(({ reads }) => reads ?? []);
  const left = [
    ...open.skills.map(({ file }) => file),
    ...open.instructions.filter((path) => !reading.some((reads) => reads(path))),
  ].filter((path) => !suites.some(({ found }) => found === path));
  const evals = skills.filter(({ hasEvals }) => hasEvals);
  return {
    suites,
    needsHost: suites.length > 0 || isTested.byAgents,
    left: [
      ...left.map((path) => ({ path, why: NO_SUITE })),
      ...skills
        .filter(({ isTemplate }) => isTemplate)
        .map(({ file }) => ({ path: file, why: 'it is a template' })),
    ],
    steps: [
      ...(left.length === 0 ? [] : [nextSuite(suites)]),
      ...(evals.length === 0 || (project.project.settings.agent ?? null) !== null
        ? []
        : [agentSetting(evals)]),
    ],
  };
}

function nextSuite([first]: readonly StarterSuite[]): string {
  const from = first === undefined ? 'write' : `copy ${first.path} to`;
  return (
    `For each file listed as left, ${from} evals/NAME.yaml with its own tasks (docs/agents.md). ` +
    'evaldiff does not judge these files before that.'
  );
}

function agentSetting(evals: readonly FoundSkill[]): string {
  return (
    `The cases in evals.json of ${evals.map(({ name }) => name).join(', ')} run as prompts without ` +
    'tools. To run them with an agent, add the key agent to evaldiff.yaml, such as ' +
    `agent: { agent: claude-code, model: ${factsOf('anthropic').starterModel} } (docs/agents.md).`
  );
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
    ...{ file, folder },
    name: /^[a-z\d][\w.-]*$/i.test(named) ? named : posix.basename(folder) || 'skill',
    hasEvals: paths.includes(`${evals}/evals.json`),
    hidden: folder !== '' && paths.some((path) => path.startsWith(`${evals}/`)) ? evals : null,
    isTemplate: TEMPLATE_PATH.test(file) || PLACEHOLDER_TEXT.test(skillField(text, 'description')),
  };
}

function isInstructionFile(path: string): boolean {
  return (
    IN_ANY_FOLDER.test(path) ||
    CLI_ROWS.some(({ instructionFiles }) => matcherOf(instructionFiles)(path))
  );
}

async function testedBy({ project, tree }: StarterProject): Promise<{
  byAgents: boolean;
  skill(skill: FoundSkill): boolean;
  file(path: string): boolean;
}> {
  const { suites, settings } = project;
  const specs = suites.flatMap(
    ({ prompt }) => specOf(settings.models.get(prompt.model ?? '')?.command ?? []) ?? [],
  );
  const contexts = await Promise.all(specs.map((spec) => contextIn(tree, spec)));
  const loaded = contexts.flatMap(({ files }) => files);
  const named = suites.flatMap(({ tests }) =>
    everyMetric(tests).flatMap(({ source }) =>
      source.kind === 'built-in' && source.uses === 'skill_used' ? [source.with['name']] : [],
    ),
  );
  return {
    byAgents: specs.length > 0,
    skill: ({ name, hasEvals }) => hasEvals || named.includes(name),
    file: (path) => loaded.includes(path),
  };
}

type ReadingSuite = StarterSuite & { reads?(path: string): boolean };

type RowWish = (row: AgentRow) => boolean;

function suitesFor(
  { skills: [skill], instructions: [file] }: { skills: FoundSkill[]; instructions: string[] },
  project: StarterProject,
): ReadingSuite[] {
  const reads = (path: string): RowWish => {
    const isNested = IN_ANY_FOLDER.test(path) && !CLI_ROWS.some((row) => isRead(row, path));
    return (row) => isRead(row, isNested ? posix.basename(path) : path);
  };
  const both = file === undefined ? [] : [reads(file)];
  const first = skill === undefined ? null : starterRow(project.keys, [finds(skill), ...both]);
  const own = skill === undefined || first === null ? [] : [skillSuite(skill, first, project)];
  if (file === undefined) return own;
  const vendor = own[0]?.vendor;
  const sameKey: RowWish[] = [
    (row) => row === first,
    ({ wires }) => wires.some((wire) => wire === vendor),
  ];
  const row = starterRow(project.keys, [reads(file), ...sameKey]);
  return [...own, { ...instructionsSuite(file, row, project), reads: (path) => isRead(row, path) }];
}

const isRead = ({ instructionFiles }: AgentRow, path: string): boolean =>
  matcherOf(instructionFiles)(path);

const finds =
  ({ name, folder }: FoundSkill): RowWish =>
  ({ skillFolders }) =>
    skillFolders?.some((place) => `${place}/${name}` === folder) ?? false;

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
  const placed = finds(skill)(row)
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

/** Of the rows that grant most wishes, one whose vendor has a key. Earlier wishes count more. */
function starterRow(keys: StarterProject['keys'], wishes: readonly RowWish[]): AgentRow {
  let rows = CLI_ROWS;
  for (const wish of wishes) if (rows.some(wish)) rows = rows.filter(wish);
  const isPaid: RowWish = ({ wires }) => wires.some((wire) => keys.includes(wire));
  return rows.find(isPaid) ?? rows[0] ?? agentRow('claude-code');
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
