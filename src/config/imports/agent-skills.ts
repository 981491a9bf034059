import { type Document, valueAt } from '../../documents/document.ts';
import { folderOf } from '../../documents/paths.ts';
import { problem } from '../../errors.ts';
import { UNNAMED_MODEL } from '../../suite/models.ts';
import { isMap, type Json, type JsonMap, type Place, type Problem } from '../../types/plain.ts';
import { attachedFiles, findSkill, skillName, type SkillFiles } from './agent-skill-files.ts';
import {
  createDraft,
  isScalar,
  lastSteps,
  leftOut,
  nothingImported,
  remark,
  type Draft,
  type Imported,
  type Loss,
  judgeTheRest,
} from './draft.ts';
import { escapeNames } from './templates.ts';

/** What a skill's evals are read with. */
interface SkillContext {
  files: SkillFiles;
  /** Whether the settings name a grader. */
  hasGrader: boolean;
  /** Whether a program of the project answers: it is given paths, a model texts. */
  isProgram: boolean;
}

/** The list of cases stands under one of these. */
const LISTS = ['evals', 'cases'];

const KEYS = [...LISTS, 'skill_name', 'skill', '$schema', 'description', 'version'];

const CASE_KEYS = [
  'id',
  'name',
  'prompt',
  'expected_output',
  'files',
  'assertions',
  'expectations',
];

/**
 * `evals/evals.json` of an Agent Skill as a prompt of ours: SKILL.md is the system prompt, each
 * case's prompt with its files the user's message, each of its checks a statement for the grader.
 * Skills are made for agents with tools; a plain answer tests the text part alone, which is said.
 */
export async function importAgentSkill(
  document: Document,
  context: SkillContext,
  problems: Problem[],
): Promise<Imported> {
  const imported = nothingImported();
  const { value } = document;
  const list = LISTS.find((key) => Array.isArray(valueAt(value, [key])));
  const cases = list === undefined ? undefined : valueAt(value, [list]);
  const whole = { file: document.file, line: 0 };
  if (!isMap(value) || list === undefined || !Array.isArray(cases)) {
    problems.push(problem(whole, 'is not an evals.json of a skill: it has no list of evals'));
    return imported;
  }
  for (const key of Object.keys(value).filter((each) => !KEYS.includes(each)))
    imported.remarks.push(remark(document.placeOf([key]), `${key} is not needed`));
  const skill = await findSkill(document, context.files);
  if ('tried' in skill) {
    problems.push(
      problem(whole, `belongs to a skill, and there is no ${skill.tried.join(', no ')}`),
    );
    return imported;
  }
  const { file } = skill;
  imported.remarks.push(
    remark(
      { file, line: 0 },
      'the skill runs without tools: only what it makes a model say is evaluated',
    ),
  );
  const { body, line } = withoutFrontMatter(skill.text);
  sayBraces(body, { file, line }, imported.left);
  const tests = await testsOf(document, [list, cases], { ...context, skill: file, imported });
  imported.prompts.push({
    prompt: promptDraft(document, { file, line }, body, tests),
    tests,
  });
  return imported;
}

function sayBraces(body: string, { file, line }: Place, left: Loss[]): void {
  const doubled = /\{\{+[A-Za-z_]\w*\}\}+/.exec(body);
  if (doubled === null) return;
  const at = line + body.slice(0, doubled.index).split('\n').length - 1;
  left.push(
    leftOut(
      { file, line: at },
      doubled[0].slice(0, 60),
      'a name in several braces is sent with one pair',
    ),
  );
}

interface CasesContext extends SkillContext {
  /** Path of the SKILL.md. */
  skill: string;
  imported: Imported;
}

async function testsOf(
  document: Document,
  [list, cases]: readonly [string, readonly Json[]],
  context: CasesContext,
): Promise<Draft | null> {
  const { imported, hasGrader } = context;
  const tests = createDraft(document.placeOf([list]));
  const references: JsonMap[] = [];
  for (const [index, written] of cases.entries()) {
    const place = document.placeOf([list, index]);
    const reference = await referenceOf(written, place, document, context);
    if (reference === null) continue;
    tests.from(['references', references.length], place);
    references.push(reference);
  }
  const statements = (map: JsonMap): Json[] =>
    (valueAt(map, ['metrics']) as Json[] | undefined) ?? [];
  imported.carried = [
    { unit: 'case', of: cases.length, carried: references.length },
    {
      unit: 'check',
      of: cases.reduce((sum: number, value) => sum + writtenChecks(value).length, 0),
      carried: references.flatMap(statements).reduce((sum: number, metric) => {
        const said = valueAt(metric, ['with', 'statements']);
        return sum + (Array.isArray(said) ? said.length : 1);
      }, 0),
    },
  ];
  if (references.length === 0) return null;
  // Every case has the same variables.
  if (references.some(({ input }) => isMap(input) && 'files' in input))
    for (const { input } of references) if (isMap(input)) input['files'] ??= '';
  tests.value['references'] = references;
  judgeTheRest(tests, document.placeOf([list]), hasGrader, imported.remarks);
  return tests;
}

function promptDraft(document: Document, skill: Place, body: string, tests: Draft | null): Draft {
  const draft = createDraft({ file: document.file, line: 0 });
  const name = skillName(document.value);
  const [first] = (tests?.value['references'] ?? []) as JsonMap[];
  const hasFiles = isMap(first?.['input']) && 'files' in first['input'];
  Object.assign(draft.value, {
    name: name ?? (lastSteps(folderOf(document.file)).folder || 'skill'),
    model: UNNAMED_MODEL,
    variables: [{ name: 'prompt' }, ...(hasFiles ? [{ name: 'files' }] : [])],
    // Braces of the skill's text are its own.
    messages: [
      { role: 'system', content: escapeNames(body) },
      { role: 'user', content: hasFiles ? '{prompt}{files}' : '{prompt}' },
    ],
  });
  draft.from(['messages', 0], skill);
  return draft;
}

/** The text below the front matter, and the line it starts on. */
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

async function referenceOf(
  written: Json,
  place: Place,
  document: Document,
  { files, skill, isProgram, imported: { left, remarks } }: CasesContext,
): Promise<JsonMap | null> {
  if (!isMap(written) || typeof written['prompt'] !== 'string' || written['prompt'] === '') {
    left.push(leftOut(place, 'an eval', 'it has no prompt'));
    return null;
  }
  for (const key of Object.keys(written).filter((each) => !CASE_KEYS.includes(each)))
    remarks.push(remark(place, `${key} is not needed`));
  const { prompt, expected_output: expected } = written;
  const id = idOf(written);
  const attached = await attachedFiles(written['files'], {
    files,
    folders: [folderOf(skill), folderOf(document.file), ''],
    isProgram,
  });
  if ('why' in attached) {
    left.push(leftOut(place, `the eval ${id ?? ''}`.trim(), attached.why));
    return null;
  }
  const metric = metricFor(written, place, left);
  return {
    ...(id === null ? {} : { id }),
    input: { prompt, ...(attached.text === '' ? {} : { files: attached.text }) },
    ...(typeof expected === 'string' ? { expected } : {}),
    ...(metric === null ? {} : { metrics: [metric] }),
  };
}

function idOf({ id, name }: JsonMap): string | null {
  return typeof name === 'string' && name !== '' ? name : isScalar(id) ? String(id) : null;
}

/** What a case is checked by: its lists, else what it expects. */
function writtenChecks(written: Json): Json[] {
  if (!isMap(written)) return [];
  const lists = [written['assertions'], written['expectations']].flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  const expected = written['expected_output'];
  return lists.length > 0
    ? lists
    : typeof expected === 'string' && expected !== ''
      ? [expected]
      : [];
}

/** A checklist of the case's checks; without any, what is expected is the one criterion. */
function metricFor(written: JsonMap, place: Place, left: Loss[]): JsonMap | null {
  const expected = written['expected_output'];
  const statements = [written['assertions'], written['expectations']]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .map(statementOf);
  for (const text of statements)
    if (text === null) left.push(leftOut(place, 'a check', 'it has no text'));
  const said = statements.filter((text) => text !== null);
  if (said.length > 0) return { name: 'checks', uses: 'criteria', with: { statements: said } };
  return typeof expected === 'string' && expected !== ''
    ? { name: 'as_expected', uses: 'llm_rubric', with: { criteria: expected } }
    : null;
}

/** A check is text, or a map that holds it under one of these names. */
function statementOf(check: Json): string | null {
  if (typeof check === 'string') return check.trim() === '' ? null : check;
  if (!isMap(check)) return null;
  const text = ['check', 'text', 'description', 'statement', 'assertion']
    .map((key) => check[key])
    .find((value) => typeof value === 'string' && value.trim() !== '');
  return typeof text === 'string' ? text : null;
}
