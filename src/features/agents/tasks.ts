import { posix } from 'node:path';
import type { FormatTools } from '../../config/formats.ts';
import { check } from '../../config/schema.ts';
import { asWritten, valueAt, type Document, type Path } from '../../documents/document.ts';
import { isPlainRelative } from '../../documents/paths.ts';
import { problem } from '../../errors.ts';
import { didYouMean } from '../../text/suggest.ts';
import { isMap, type Json, type JsonMap, type Problem } from '../../types/plain.ts';
import { skillField } from './context.ts';
import { agentRow } from './rows/index.ts';
import { taskShape } from './schema.ts';
import { placeFiles } from './suite/rules.ts';
import { taskVariables, type AgentName, type Task, type WorkspaceRules } from './suite/spec.ts';
import { isOutsideGit } from './workspace/files.ts';

export interface ReadTask extends Task {
  id: string;
  index: number;
  reference: JsonMap;
}

export function readAgentTasks(
  document: Document,
  tools: FormatTools,
  problems: Problem[],
): ReadTask[] {
  const list = valueAt(document.value, ['tests', 'references']);
  if (!Array.isArray(list)) return [];
  return list.flatMap((_, index) => readTask(document, index, tools, problems) ?? []);
}

function readTask(
  document: Document,
  index: number,
  { files }: FormatTools,
  problems: Problem[],
): ReadTask | null {
  const path = ['tests', 'references', index];
  const written = valueAt(document.value, path);
  if (written === undefined || !isMap(written)) return null;
  if (written['input'] !== undefined) {
    const message = 'a task has no input; write task: TEXT instead';
    problems.push(problem(document.placeOf([...path, 'input']), message));
    return null;
  }
  const before = problems.length;
  const task = check(document, [...path, 'task'], taskShape.task, problems);
  const trigger = check(document, [...path, 'trigger'], taskShape.trigger, problems);
  const attached = check(document, [...path, 'files'], taskShape.files, problems) ?? {};
  for (const [at, from] of Object.entries(attached)) {
    const message = attachmentProblem(at, from, files);
    if (message !== null)
      problems.push(problem(document.placeOf([...path, 'files', at]), `files: ${message}`));
  }
  if (task === undefined || problems.length > before) return null;
  const own: Task = {
    task: asWritten(document, [...path, 'task'], task),
    ...(trigger === undefined ? {} : { trigger }),
    ...(Object.keys(attached).length === 0 ? {} : { files: attached }),
  };
  return { ...own, id: String(written['id'] ?? ''), index, reference: asReference(written, own) };
}

function attachmentProblem(at: string, from: string, files: FormatTools['files']): string | null {
  if (!isPlainRelative(at) || at.split('/').includes('..'))
    return `${at} must be a path in the workspace`;
  if (!isOutsideGit(at)) return `${at} must not be in a folder of git`;
  const absence = files.absence(from);
  return absence === null ? null : `${from} ${absence}`;
}

function asReference(written: JsonMap, task: Task): JsonMap {
  const { task: _, trigger: __, files: ___, ...rest } = written;
  const metrics = task.trigger === undefined ? {} : { metrics: [triggerMetric(task.trigger)] };
  return { ...rest, ...metrics, input: taskVariables(task) };
}

function triggerMetric(skill: string | null): JsonMap {
  return {
    name: 'chooses',
    uses: 'skill_used',
    with: skill === null ? { none: true } : { name: skill },
  };
}

interface SkillSearch {
  agent: AgentName;
  rules: WorkspaceRules;
  tools: Pick<FormatTools, 'files'>;
}

/** Names of skills that the agent cannot find. If a workspace has no skill, own agents may. */
export async function unknownSkills(
  { value, placeOf }: Document,
  context: SkillSearch,
): Promise<Problem[]> {
  const { agent } = context;
  const { skillFolders } = agentRow(agent);
  const known = await skillNames(skillFolders, context);
  if (skillFolders === null && known.length === 0) return [];
  return namedSkills(value).flatMap(({ name, path }) => {
    if (known.includes(name)) return [];
    const looked = skillFolders?.map((folder) => `${folder}/${name}/SKILL.md`).join(' or ');
    const message =
      looked === ''
        ? `${agent} finds no skills in a workspace, so it cannot use "${name}"`
        : `${agent} does not find the skill "${name}": the workspace has no ` +
          (looked ?? 'skill with this name');
    return [problem(placeOf(path), `${message}${didYouMean(name, known)}`)];
  });
}

/** CLIs find skills by their folders. Own agents may use the names in the files. */
async function skillNames(
  folders: readonly string[] | null,
  { rules, tools: { files } }: SkillSearch,
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

function namedSkills(value: Json): { name: string; path: Path }[] {
  const lists: Path[] = [['tests', 'metrics']];
  const references = valueAt(value, ['tests', 'references']);
  const count = Array.isArray(references) ? references.length : 0;
  const found: { name: string; path: Path }[] = [];
  for (let index = 0; index < count; index += 1) {
    const path = ['tests', 'references', index];
    lists.push([...path, 'metrics']);
    const name = valueAt(value, [...path, 'trigger']);
    if (typeof name === 'string') found.push({ name, path: [...path, 'trigger'] });
  }
  for (const list of lists) {
    const metrics = valueAt(value, list);
    for (const [index, metric] of (Array.isArray(metrics) ? metrics : []).entries()) {
      const name = valueAt(metric, ['with', 'name']);
      if (valueAt(metric, ['uses']) === 'skill_used' && typeof name === 'string')
        found.push({ name, path: [...list, index, 'with', 'name'] });
    }
  }
  return found;
}
