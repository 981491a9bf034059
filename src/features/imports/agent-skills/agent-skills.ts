import type { FormatTools } from '../../../config/formats.ts';
import { entryOf, UNNAMED_MODEL } from '../../../config/model-names.ts';
import { escapeNames } from '../../../config/templates.ts';
import type { Document } from '../../../documents/document.ts';
import { folderOf } from '../../../documents/paths.ts';
import { problem } from '../../../errors.ts';
import { isMap, type JsonMap, type Place, type Problem } from '../../../types/plain.ts';
import {
  isAmong,
  createDraft,
  lastSteps,
  nothingImported,
  type DraftFile,
  type Imported,
  type Loss,
  judgeTheRest,
  lose,
  addRemark,
} from '../shared/draft.ts';
import { nodeOf, type Node } from '../shared/node.ts';
import {
  isTriggerQuery,
  NOT_CHOSEN,
  caseQuestion,
  readCase,
  reportUnknownCaseKeys,
} from './agent-skill-cases.ts';
import { snakeCase } from './agent-skill-checks.ts';
import { attachedFiles, findSkill, skillName } from './agent-skill-files.ts';
import { tasksOf } from './agent-skill-tasks.ts';

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
  const context = { ...tools, problems };
  const imported = nothingImported();
  const root = nodeOf(document);
  const list = casesIn(root);
  const whole = { file: document.file, line: 0 };
  if (list === null) {
    problems.push(problem(whole, 'is not the evals.json of a skill: it has no list of evals'));
    return imported;
  }
  if (list !== root)
    reportUnknownCaseKeys(
      Object.keys(root.map).filter((key) => !isAmong(SKILL_FILE_KEYS, snakeCase(key))),
      (key) => root.at(key).place,
      imported,
    );
  const cases = list.each();
  const tasks = await tasksOf(document, list, context, {
    left: [...imported.left],
    remarks: [...imported.remarks],
  });
  if (tasks !== null) imported.tasks = tasks;
  const triggers = cases.filter(({ value }) => isTriggerQuery(value, context.builtIns));
  if (triggers.length === cases.length && triggers.length > 0) {
    for (const { place } of triggers) lose(imported.left, place, 'a trigger query', NOT_CHOSEN);
    imported.carried = [{ unit: 'case', of: cases.length, carried: 0 }];
    return imported;
  }
  const skill = await findSkill(document, context.files, problems);
  if ('tried' in skill) {
    problems.push(
      problem(whole, `belongs to a skill, but there is no ${skill.tried.join(', no ')}`),
    );
    return imported;
  }
  const { file } = skill;
  addRemark(
    imported.remarks,
    { file, line: 0 },
    'the skill runs without tools: only the text of the model is evaluated',
  );
  const { body, line } = withoutFrontMatter(skill.text);
  reportDoubledBraces(body, { file, line }, imported.left);
  const tests = await testsOf(document, list, { ...context, skill: file, imported });
  if (tests === null && cases.length > 0) return imported;
  imported.prompts.push({
    prompt: skillPromptDraft(document, { file, line }, body, tests),
    tests,
  });
  return imported;
}

function reportDoubledBraces(body: string, { file, line }: Place, left: Loss[]): void {
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

interface CasesContext extends FormatTools {
  problems: Problem[];
  skill: string;
  imported: Imported;
}

async function testsOf(
  document: Document,
  list: Node,
  { files, settings, builtIns, hasGrader, problems, skill, imported }: CasesContext,
): Promise<DraftFile | null> {
  const cases = list.each();
  const tests = createDraft(list.place);
  const references: JsonMap[] = [];
  const checks = { unit: 'check', of: 0, carried: 0 };
  const folders = [folderOf(skill), folderOf(document.file), ''];
  // A program gets paths of attached files, other models get the files' texts.
  const isProgram = entryOf(settings, UNNAMED_MODEL)?.provider === 'program';
  const options = { files, folders, isProgram, problems };
  for (const { map, place } of cases) {
    const attached = await attachedFiles(map['files'], options);
    const context = { attached, place, skill: skillName(document.value), builtIns, imported };
    const read = readCase(map, context);
    checks.of += read.of;
    checks.carried += read.carried;
    if (read.reference === null) continue;
    tests.from(['references', references.length], place);
    references.push(read.reference);
  }
  imported.carried = [{ unit: 'case', of: cases.length, carried: references.length }, checks];
  if (references.length === 0) return null;
  // All cases must have the same variables.
  if (references.some(({ input }) => isMap(input) && 'files' in input))
    for (const { input } of references) if (isMap(input)) input['files'] ??= '';
  tests.value['references'] = references;
  judgeTheRest(tests, list.place, hasGrader, imported.remarks);
  return tests;
}

function skillPromptDraft(
  document: Document,
  skill: Place,
  body: string,
  tests: DraftFile | null,
): DraftFile {
  const draft = createDraft({ file: document.file, line: 0 });
  const name = skillName(document.value);
  const [first] = (tests?.value['references'] ?? []) as JsonMap[];
  const hasFiles = isMap(first?.['input']) && 'files' in first['input'];
  Object.assign(draft.value, {
    name: name ?? (lastSteps(folderOf(document.file)).folder || 'skill'),
    model: UNNAMED_MODEL,
    variables: [{ name: 'prompt' }, ...(hasFiles ? [{ name: 'files' }] : [])],
    messages: [
      { role: 'system', content: escapeNames(body) },
      { role: 'user', content: hasFiles ? '{prompt}{files}' : '{prompt}' },
    ],
  });
  draft.from(['messages', 0], skill);
  return draft;
}

function withoutFrontMatter(text: string): { body: string; line: number } {
  const lines = text.split('\n');
  const end =
    lines[0]?.trim() === '---'
      ? lines.findIndex((line, index) => index > 0 && line.trim() === '---')
      : -1;
  const first = lines.findIndex((line, index) => index > end && line.trim() !== '');
  return {
    body: lines
      .slice(Math.max(first, end + 1))
      .join('\n')
      .trim(),
    line: Math.max(first, 0) + 1,
  };
}
