import type { FormatTools } from '../../../config/formats.ts';
import type { Document } from '../../../documents/document.ts';
import { folderOf } from '../../../documents/paths.ts';
import type { JsonMap } from '../../../types/plain.ts';
import {
  judgeTheRest,
  lastSteps,
  placed,
  placeIn,
  type DraftFile,
  type Imported,
} from '../shared/draft.ts';
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
  const isTrigger = (task: JsonMap): boolean => 'trigger' in task;
  const own = rows.filter((row) => !isTrigger(row));
  const tests: DraftFile = { value: { references: own }, place: list.place };
  judgeTheRest(tests, list, tools.hasGrader);
  tests.value['references'] = [...own, ...rows.filter(isTrigger)];
  const hide = folderOf(document.file) === folder ? document.file : folderOf(document.file);
  const value: JsonMap = {
    name,
    workspace: { skills: { [name]: folder === '' ? '.' : folder }, hide: [hide] },
    tests: tests.value,
  };
  const place = { file: document.file, line: 0 };
  const placeOf: Document['placeOf'] = ([key, ...path]) =>
    key === 'tests' ? placeIn(tests, path) : place;
  return { document: { file: document.file, value, placeOf, placeOfText: placeOf }, imported };
}

function readTasks(
  list: Node,
  { files, builtIns, name, folders }: TaskTools & { name: string; folders: readonly string[] },
  imported: TaskLosses,
): JsonMap[] {
  const counts = { unit: 'check', of: 0, carried: 0 };
  const rows = list.each().flatMap((node): JsonMap[] => {
    const {
      should_trigger: triggers = node.map['shouldTrigger'],
      shouldTrigger: _,
      ...plain
    } = node.map;
    const query = caseQuestion(node.value);
    if (query !== null && isTriggerQuery(node.value, builtIns)) {
      const id = caseId(node.map);
      const trigger = triggers === false ? null : name;
      return [placed(node.place, { ...(id === null ? {} : { id }), task: query, trigger })];
    }
    const attached = tryConvert<{ text: string; files: Record<string, string> }, { why: string }>(
      () => ({ text: '', files: placedFiles(node.map['files'], { files, folders }) }),
      (why) => ({ why }),
    );
    const own = leafNode(plain, node.place, node.losses);
    const read = readCase(own, { attached, skill: name, builtIns, counts });
    if (read === null || 'why' in attached) return [];
    const { input: __, ...rest } = read;
    const { files: given } = attached;
    const withFiles = Object.keys(given).length === 0 ? {} : { files: given };
    return [placed(node.place, { ...rest, task: query, ...withFiles })];
  });
  imported.carried = [{ unit: 'case', of: list.each().length, carried: rows.length }, counts];
  return rows;
}
