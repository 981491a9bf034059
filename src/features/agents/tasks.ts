import { posix } from 'node:path';
import type { FormatTools } from '../../config/formats.ts';
import { check } from '../../config/schema.ts';
import { Field, valueAt, type Document, type Path } from '../../documents/document.ts';
import { isPlainRelative } from '../../documents/paths.ts';
import { didYouMean } from '../../text/suggest.ts';
import { isMap, jsonText, type Json, type JsonMap, type Problem } from '../../types/plain.ts';
import { skillField } from './context.ts';
import { agentRow } from './rows/index.ts';
import { taskShape } from './schema.ts';
import { placeFiles } from './suite/rules.ts';
import { taskVariables, type AgentName, type Task, type WorkspaceRules } from './suite/spec.ts';
import { isOutsideGit } from './workspace/files.ts';

/** The file of a suite, while evaldiff reads it. */
export interface SuiteFile {
  document: Document;
  tools: FormatTools;
  problems: Problem[];
  /** Adds a problem at a path of the file. */
  refuse(path: Path, message: string): void;
}

export interface ReadTask extends Task {
  id: string;
  index: number;
  reference: JsonMap;
}

const REFERENCES = ['tests', 'references'] as const;

export function readAgentTasks(suite: SuiteFile): ReadTask[] {
  const list = valueAt(suite.document.value, REFERENCES);
  return Array.isArray(list) ? list.flatMap((_, index) => readTask(suite, index) ?? []) : [];
}

function readTask({ document, tools, problems }: SuiteFile, index: number): ReadTask | null {
  const field = new Field(document, problems, [...REFERENCES, index]);
  const written = field.value;
  if (!isMap(written)) return null;
  const { task: _, trigger: __, files: ___, input, ...rest } = written;
  if (input !== undefined) {
    field.at('input').refuse('a task has no input; write task: TEXT instead');
    return null;
  }
  const before = problems.length;
  const task = check(field.at('task'), taskShape.task);
  const trigger = check(field.at('trigger'), taskShape.trigger);
  const attached = check(field.at('files'), taskShape.files) ?? {};
  for (const [at, from] of Object.entries(attached)) {
    const message = attachmentProblem(at, from, tools.files);
    if (message !== null) field.at('files', at).refuse(`files: ${message}`);
  }
  if (task === undefined || problems.length > before) return null;
  const own: Task = {
    task: field.at('task').spelled(task),
    ...(trigger !== undefined && { trigger }),
    ...(Object.keys(attached).length !== 0 && { files: attached }),
  };
  const metrics = trigger === undefined ? {} : { metrics: [choosesSkill(trigger)] };
  const reference = { ...rest, ...metrics, input: taskVariables(own) };
  return { ...own, id: jsonText(written['id'] ?? ''), index, reference };
}

function choosesSkill(skill: string | null): JsonMap {
  const by = skill === null ? { none: true } : { name: skill };
  return { name: 'chooses', uses: 'skill_used', with: by };
}

function attachmentProblem(at: string, from: string, files: FormatTools['files']): string | null {
  if (!isPlainRelative(at) || at.split('/').includes('..'))
    return `${at} must be a path in the workspace`;
  if (!isOutsideGit(at)) return `${at} must not be in a folder of git`;
  const absence = files.absence(from);
  return absence === null ? null : `${from} ${absence}`;
}

/** The metrics of the suite and of its references. */
export function writtenMetrics(value: Json): { metric: Json; path: Path }[] {
  const references = valueAt(value, REFERENCES);
  const count = Array.isArray(references) ? references.length : 0;
  const owners = Array.from({ length: count }, (_, index) => [...REFERENCES, index]);
  return [['tests'], ...owners].flatMap((owner) => {
    const path = [...owner, 'metrics'];
    const list = valueAt(value, path);
    if (!Array.isArray(list)) return [];
    return list.map((metric, index) => ({ metric, path: [...path, index] }));
  });
}

interface SkillUse {
  agent: AgentName;
  rules: WorkspaceRules;
  tasks: readonly ReadTask[];
}

/** Refuses names of skills that the agent cannot find. If a workspace has no skill, own agents may. */
export async function checkSkillNames(
  { document, tools, refuse }: SuiteFile,
  { agent, rules, tasks }: SkillUse,
): Promise<void> {
  const { skillFolders } = agentRow(agent);
  const known = await skillNames(skillFolders, rules, tools.files);
  if (skillFolders === null && known.length === 0) return;
  const named: { name: unknown; path: Path }[] = [
    ...tasks.map(({ trigger, index }) => ({
      name: trigger,
      path: [...REFERENCES, index, 'trigger'],
    })),
    ...writtenMetrics(document.value)
      .filter(({ metric }) => valueAt(metric, ['uses']) === 'skill_used')
      .map(({ metric, path }) => ({
        name: valueAt(metric, ['with', 'name']),
        path: [...path, 'with', 'name'],
      })),
  ];
  for (const { name, path } of named) {
    if (typeof name !== 'string' || known.includes(name)) continue;
    const looked = skillFolders?.map((folder) => `${folder}/${name}/SKILL.md`).join(' or ');
    const message =
      `${agent} does not find the skill "${name}": the workspace has no ` +
      (looked ?? 'skill with this name');
    refuse(path, `${message}${didYouMean(name, known)}`);
  }
}

/** CLIs find skills by their folders. Own agents may use the names in the files. */
async function skillNames(
  folders: readonly string[] | null,
  rules: WorkspaceRules,
  files: FormatTools['files'],
): Promise<string[]> {
  const names: string[] = [];
  for (const [at, path] of placeFiles(files.below(''), rules)) {
    if (posix.basename(at) !== 'SKILL.md') continue;
    const folder = posix.dirname(at);
    if (folders?.includes(posix.dirname(folder)) ?? folder !== '.')
      names.push(posix.basename(folder));
    if (folders !== null) continue;
    const found = await files.data(path, null, []);
    names.push(skillField(new TextDecoder().decode(found?.content), 'name'));
  }
  return [...new Set(names)].filter((name) => name !== '');
}
