import type { FormatTools } from '../../../config/formats.ts';
import type { Document } from '../../../documents/document.ts';
import { folderOf } from '../../../documents/paths.ts';
import type { JsonMap, Problem } from '../../../types/plain.ts';
import {
  createDraft,
  judgeTheRest,
  lastSteps,
  nothingImported,
  type Imported,
} from '../shared/draft.ts';
import type { Node } from '../shared/node.ts';
import { caseId, caseQuestion, isTriggerQuery, readCase } from './agent-skill-cases.ts';
import { findSkill, placedFiles, skillName } from './agent-skill-files.ts';

interface TaskContext extends Pick<FormatTools, 'files' | 'builtIns' | 'hasGrader'> {
  problems: Problem[];
}

/** `whole`: what the file itself loses. */
export async function tasksOf(
  document: Document,
  list: Node,
  context: TaskContext,
  whole: Pick<Imported, 'left' | 'remarks'>,
): Promise<NonNullable<Imported['tasks']> | null> {
  const skill = await findSkill(document, context.files, context.problems);
  if ('tried' in skill) return null;
  const folder = folderOf(skill.file);
  const name = skillName(document.value) ?? (lastSteps(`${folder}/`).folder || 'skill');
  const { imported, tests } = readTasks(list, context, {
    name,
    folders: [folder, folderOf(document.file), ''],
  });
  const references = tests.value['references'] as JsonMap[];
  if (references.length === 0) return null;
  const hide = folderOf(document.file) === folder ? document.file : folderOf(document.file);
  const value: JsonMap = {
    name,
    workspace: { skills: { [name]: folder === '' ? '.' : folder }, hide: [hide] },
    tests: tests.value,
  };
  const place = { file: document.file, line: 0 };
  return {
    document: {
      file: document.file,
      value,
      placeOf: ([key, ...path]) => (key === 'tests' ? tests.placeOf(path) : place),
      placeOfText: ([key, ...path]) => (key === 'tests' ? tests.placeOf(path) : place),
    },
    imported: {
      ...imported,
      left: [...whole.left, ...imported.left],
      remarks: [...whole.remarks, ...imported.remarks],
    },
  };
}

function readTasks(
  list: Node,
  { files, builtIns, hasGrader }: TaskContext,
  { name, folders }: { name: string; folders: readonly string[] },
) {
  const imported = nothingImported();
  const checks = { unit: 'check', of: 0, carried: 0 };
  const tests = createDraft(list.place);
  const rows = list
    .each()
    .flatMap(({ value, map, place }): { task: JsonMap; at: typeof place }[] => {
      const { should_trigger: triggers = map['shouldTrigger'], shouldTrigger: _, ...plain } = map;
      const query = caseQuestion(value);
      if (query !== null && isTriggerQuery(value, builtIns)) {
        const id = caseId(map);
        const trigger = triggers === false ? null : name;
        return [{ task: { ...(id === null ? {} : { id }), task: query, trigger }, at: place }];
      }
      const given = placedFiles(map['files'], { files, folders });
      const attached = 'why' in given ? given : { text: '' };
      const read = readCase(plain, { attached, place, skill: name, builtIns, imported });
      checks.of += read.of;
      checks.carried += read.carried;
      if (read.reference === null || 'why' in given) return [];
      const { input: __, ...rest } = read.reference;
      const placed = Object.keys(given.placed).length === 0 ? {} : { files: given.placed };
      return [{ task: { ...rest, task: query, ...placed }, at: place }];
    });
  const isTrigger = ({ task }: { task: JsonMap }): boolean => 'trigger' in task;
  const sorted = [...rows.filter((row) => !isTrigger(row)), ...rows.filter(isTrigger)];
  for (const [index, { at }] of sorted.entries()) tests.from(['references', index], at);
  tests.value['references'] = sorted.filter((row) => !isTrigger(row)).map(({ task }) => task);
  judgeTheRest(tests, list.place, hasGrader, imported.remarks);
  tests.value['references'] = sorted.map(({ task }) => task);
  imported.carried = [{ unit: 'case', of: list.each().length, carried: sorted.length }, checks];
  return { imported, tests };
}
