import type { FormatTools } from '../../../config/formats.ts';
import { entryOf, UNNAMED_MODEL } from '../../../config/model-names.ts';
import { escapeNames } from '../../../config/templates.ts';
import type { Document } from '../../../documents/document.ts';
import { folderOf } from '../../../documents/paths.ts';
import { problem } from '../../../errors.ts';
import type { JsonMap, Place, Problem } from '../../../types/plain.ts';
import {
  lastSteps,
  nothingImported,
  placed,
  draftPlace,
  type DraftFile,
  type Imported,
  type ImportLosses,
  judgeTheRest,
  variablesEntry,
} from '../shared/draft.ts';
import { Node, isAmong, lose, addRemark } from '../shared/node.ts';
import {
  isTriggerQuery,
  NOT_CHOSEN,
  caseQuestion,
  readCases,
  reportUnknownCaseKeys,
  snakeCase,
  type CaseReader,
} from './agent-skill-cases.ts';
import { attachedText, findSkill, placedFiles, skillName } from './agent-skill-files.ts';

const CASE_LISTS = ['evals', 'cases'];

const SKILL_FILE_KEYS = `${CASE_LISTS.join(' ')} skill_name skill skills`;

function casesIn(root: Node): Node | null {
  const key = CASE_LISTS.find((each) => Array.isArray(root.map[each]));
  if (key !== undefined) return root.at(key);
  return root.each().some(({ value }) => caseQuestion(value)) ? root : null;
}

export async function importAgentSkill(
  document: Document,
  tools: FormatTools,
  problems: Problem[],
): Promise<Imported> {
  const imported = nothingImported();
  const list = listedCases(document, imported);
  const whole = { file: document.file, line: 0 };
  const refuseFile = (message: string): Imported => {
    problems.push(problem(whole, message));
    return imported;
  };
  if (list === null) return refuseFile('is not the evals.json of a skill: it has no list of evals');
  const skill = await findSkill(document, tools.files, problems);
  const tasks = 'file' in skill ? await tasksOf(document, folderOf(skill.file), tools) : null;
  if (tasks) imported.tasks = tasks;
  const cases = list.each();
  if (cases.length > 0 && cases.every(({ value }) => isTriggerQuery(value, tools.builtIns))) {
    for (const trigger of cases) trigger.lose('a trigger query', NOT_CHOSEN);
    imported.carried = [{ unit: 'case', of: cases.length, carried: 0 }];
    return imported;
  }
  if ('tried' in skill)
    return refuseFile(`belongs to a skill, but there is no ${skill.tried.join(', no ')}`);
  const { file } = skill;
  addRemark(
    imported.remarks,
    { file, line: 0 },
    'the skill runs without tools: only the text of the model is evaluated',
  );
  const { body, line } = withoutFrontMatter(skill.text);
  reportDoubledBraces(body, { file, line }, imported);
  const tests = await promptTestsOf(document, list, file, tools, problems, imported);
  if (tests !== null || cases.length === 0) {
    const prompt = skillPromptDraft(document, { file, line }, body, tests);
    imported.prompts.push({ prompt, tests });
  }
  return imported;
}

/** Reports unknown keys next to the list. */
function listedCases(document: Document, imported: Imported): Node | null {
  const root = new Node(document, imported);
  const list = casesIn(root);
  if (list !== null && list !== root)
    reportUnknownCaseKeys(
      Object.keys(root.map).filter((key) => !isAmong(SKILL_FILE_KEYS, snakeCase(key))),
      (key) => root.at(key),
    );
  return list;
}

function reportDoubledBraces(body: string, { file, line }: Place, { left }: Imported): void {
  const doubled = /\{\{+[A-Za-z_]\w*\}\}+/.exec(body);
  if (doubled === null) return;
  const at = line + body.slice(0, doubled.index).split('\n').length - 1;
  lose(
    left,
    { file, line: at },
    doubled[0].slice(0, 60),
    'a name in several pairs of braces is sent with only one pair',
  );
}

/** Null if all cases are lost. Cases that test only whether the skill is chosen come last. */
async function testsOf(
  list: Node,
  reader: CaseReader,
  imported: ImportLosses,
  hasGrader: boolean,
): Promise<DraftFile | null> {
  const cases = await readCases(list, reader, imported);
  if (cases.length === 0) return null;
  const isTrigger = (task: JsonMap): boolean => 'trigger' in task;
  const own = cases.filter((task) => !isTrigger(task));
  const tests: DraftFile = { value: { references: own }, place: list.place };
  judgeTheRest(tests, list, hasGrader);
  tests.value['references'] = [...own, ...cases.filter(isTrigger)];
  return tests;
}

/** The cases as tasks for an agent with the skill in this folder. Null if there are none. */
async function tasksOf(
  document: Document,
  folder: string,
  { files, builtIns, hasGrader }: FormatTools,
): Promise<Imported['tasks'] | null> {
  const imported = nothingImported();
  const list = listedCases(document, imported);
  const { file } = document;
  const name = skillName(document.value) ?? (lastSteps(`${folder}/`).folder || 'skill');
  const reader: CaseReader = {
    skill: name,
    builtIns,
    asked({ map }, task) {
      const given = placedFiles(map['files'], { files, folders: [folder, folderOf(file), ''] });
      return { task, ...(Object.keys(given).length === 0 ? {} : { files: given }) };
    },
    trigger({ map }, task) {
      const { should_trigger: triggers = map['shouldTrigger'] } = map;
      return { task, trigger: triggers === false ? null : name };
    },
  };
  const tests = list && (await testsOf(list, reader, imported, hasGrader));
  if (tests === null) return null;
  const hide = folderOf(file) === folder ? file : folderOf(file);
  const value: JsonMap = {
    name,
    workspace: { skills: { [name]: folder === '' ? '.' : folder }, hide: [hide] },
    tests: tests.value,
  };
  const place = { file, line: 0 };
  const placeOf: Document['placeOf'] = ([key, ...path]) =>
    key === 'tests' ? draftPlace(tests, path) : place;
  return { document: { file, value, placeOf, placeOfText: placeOf }, imported };
}

async function promptTestsOf(
  document: Document,
  list: Node,
  skill: string,
  { files, settings, builtIns, hasGrader }: FormatTools,
  problems: Problem[],
  imported: ImportLosses,
): Promise<DraftFile | null> {
  const folders = [folderOf(skill), folderOf(document.file), ''];
  const isProgram = entryOf(settings, UNNAMED_MODEL)?.provider === 'program';
  const reader: CaseReader = {
    skill: skillName(document.value),
    builtIns,
    async asked({ map }, prompt) {
      const options = { files, folders, isProgram, problems };
      const text = await attachedText(map['files'], options);
      return { input: { prompt, ...(text === '' ? {} : { files: text }) } };
    },
  };
  const tests = await testsOf(list, reader, imported, hasGrader);
  // All cases must have the same variables.
  const inputs = promptInputs(tests);
  if (inputs.some((input) => 'files' in input)) for (const input of inputs) input['files'] ??= '';
  return tests;
}

const promptInputs = (tests: DraftFile | null): JsonMap[] =>
  ((tests?.value['references'] ?? []) as { input: JsonMap }[]).map(({ input }) => input);

function skillPromptDraft(
  document: Document,
  skill: Place,
  body: string,
  tests: DraftFile | null,
): DraftFile {
  const name = skillName(document.value);
  const hasFiles = promptInputs(tests).some((input) => 'files' in input);
  const value = {
    name: name ?? (lastSteps(folderOf(document.file)).folder || 'skill'),
    model: UNNAMED_MODEL,
    ...variablesEntry(new Set(['prompt', ...(hasFiles ? ['files'] : [])])),
    messages: [
      placed(skill, { role: 'system', content: escapeNames(body) }),
      { role: 'user', content: hasFiles ? '{prompt}{files}' : '{prompt}' },
    ],
  };
  return { value, place: { file: document.file, line: 0 } };
}

function withoutFrontMatter(text: string): { body: string; line: number } {
  const [front] = /^(?:---\s*\n(?:[^]*?\n)?---\s*(?:\n|$))?\s*/.exec(text) ?? [''];
  return { body: text.slice(front.length).trim(), line: front.split('\n').length };
}
