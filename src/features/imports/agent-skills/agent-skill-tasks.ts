import type { FormatTools } from '../../../config/formats.ts';
import type { Document } from '../../../documents/document.ts';
import { folderOf } from '../../../documents/paths.ts';
import type { JsonMap } from '../../../types/plain.ts';
import { createDraft, judgeTheRest, lastSteps, type Imported } from '../shared/draft.ts';
import { tryConvert, leafNode, type Node } from '../shared/node.ts';
import { caseId, caseQuestion, isTriggerQuery, readCase } from './agent-skill-cases.ts';
import { placedFiles, skillName } from './agent-skill-files.ts';

type TaskTools = Pick<FormatTools, 'files' | 'builtIns' | 'hasGrader'>;

type TaskLosses = NonNullable<Imported['tasks']>['imported'];

/** Reads the cases as tasks for an agent with the skill in this folder. Null if there are none. */
export function tasksOf(
  document: Document,
  list: Node,
  folder: string,
  tools: TaskTools,
  imported: TaskLosses,
): Imported['tasks'] | null {
  const name = skillName(document.value) ?? (lastSteps(`${folder}/`).folder || 'skill');
  const folders = [folder, folderOf(document.file), ''];
  const rows = readTasks(list, { ...tools, name, folders }, imported);
  if (rows.length === 0) return null;
  const tests = createDraft(list.place);
  const isTrigger = ({ task }: TaskRow): boolean => 'trigger' in task;
  const sorted = [...rows.filter((row) => !isTrigger(row)), ...rows.filter(isTrigger)];
  for (const [index, { node }] of sorted.entries()) tests.from(['references', index], node.place);
  tests.value['references'] = sorted.filter((row) => !isTrigger(row)).map(({ task }) => task);
  judgeTheRest(tests, list, tools.hasGrader);
  tests.value['references'] = sorted.map(({ task }) => task);
  const hide = folderOf(document.file) === folder ? document.file : folderOf(document.file);
  const value: JsonMap = {
    name,
    workspace: { skills: { [name]: folder === '' ? '.' : folder }, hide: [hide] },
    tests: tests.value,
  };
  const place = { file: document.file, line: 0 };
  const placeOf: Document['placeOf'] = ([key, ...path]) =>
    key === 'tests' ? tests.placeOf(path) : place;
  return { document: { file: document.file, value, placeOf, placeOfText: placeOf }, imported };
}

interface TaskRow {
  task: JsonMap;
  node: Node;
}

function readTasks(
  list: Node,
  { files, builtIns, name, folders }: TaskTools & { name: string; folders: readonly string[] },
  imported: TaskLosses,
): TaskRow[] {
  const counts = { unit: 'check', of: 0, carried: 0 };
  const rows = list.each().flatMap((node): TaskRow[] => {
    const {
      should_trigger: triggers = node.map['shouldTrigger'],
      shouldTrigger: _,
      ...plain
    } = node.map;
    const query = caseQuestion(node.value);
    if (query !== null && isTriggerQuery(node.value, builtIns)) {
      const id = caseId(node.map);
      const trigger = triggers === false ? null : name;
      return [{ task: { ...(id === null ? {} : { id }), task: query, trigger }, node }];
    }
    const attached = tryConvert<{ text: string; placed: Record<string, string> }, { why: string }>(
      () => ({ text: '', placed: placedFiles(node.map['files'], { files, folders }) }),
      (why) => ({ why }),
    );
    const own = leafNode(plain, node.place, node.losses);
    const read = readCase(own, { attached, skill: name, builtIns, counts });
    if (read === null || 'why' in attached) return [];
    const { input: __, ...rest } = read;
    const { placed } = attached;
    const given = Object.keys(placed).length === 0 ? {} : { files: placed };
    return [{ task: { ...rest, task: query, ...given }, node }];
  });
  imported.carried = [{ unit: 'case', of: list.each().length, carried: rows.length }, counts];
  return rows;
}
