import { type Document, valueAt } from '../../documents/document.ts';
import { folderOf, join } from '../../documents/paths.ts';
import { problem } from '../../errors.ts';
import {
  isMap,
  type Json,
  type JsonMap,
  type Notice,
  type Place,
  type Problem,
} from '../../types/plain.ts';
import { createDraft, isScalar, lastSteps, leftOut, type Imported } from './draft.ts';
import { UNNAMED_MODEL } from './models.ts';
import { escaped } from './templates.ts';

/** The skill's own text, found beside the folder of its evals. */
type ReadSkill = (path: string) => Promise<string | null>;

const CASE_KEYS = [
  'id',
  'name',
  'prompt',
  'expected_output',
  'files',
  'assertions',
  'expectations',
];

/** Where the skill of an `evals/evals.json` is written. */
function skillFile(evals: string): string {
  return join(folderOf(folderOf(evals)), 'SKILL.md') ?? 'SKILL.md';
}

/**
 * `evals/evals.json` of an Agent Skill as a prompt of ours: SKILL.md is the system prompt, each
 * case's prompt the user's message, each of its checks a statement for the grader. Skills are made
 * for agents with tools; a plain answer tests the text part alone, which is said.
 */
export async function importAgentSkill(
  document: Document,
  skill: ReadSkill,
  problems: Problem[],
): Promise<Imported> {
  const imported: Imported = { prompts: [], models: {}, grader: null, left: [] };
  const cases = isMap(document.value) ? document.value['evals'] : undefined;
  if (!isMap(document.value) || !Array.isArray(cases)) {
    problems.push(
      problem(
        { file: document.file, line: 0 },
        'is not an evals.json of a skill: it has no list of evals',
      ),
    );
    return imported;
  }
  const { left } = imported;
  for (const key of Object.keys(document.value).filter(
    (each) => !['skill_name', 'evals', '$schema'].includes(each),
  ))
    left.push(leftOut(document.placeOf([key]), key, 'it is not part of the format'));
  const file = skillFile(document.file);
  const text = await skill(file);
  if (text === null) {
    problems.push(
      problem({ file: document.file, line: 0 }, `belongs to a skill, and ${file} cannot be read`),
    );
    return imported;
  }
  left.push({
    kind: 'import',
    place: { file, line: 0 },
    message: 'the skill runs without tools and files: only what it makes a model say is evaluated',
  });
  const { body, line } = withoutFrontMatter(text);
  const doubled = /\{\{+[A-Za-z_]\w*\}\}+/.exec(body);
  if (doubled !== null)
    left.push(
      leftOut(
        { file, line: line + body.slice(0, doubled.index).split('\n').length - 1 },
        doubled[0].slice(0, 60),
        'a name in several braces is sent with one pair',
      ),
    );
  const tests = createDraft(document.placeOf(['evals']));
  const references = cases.flatMap((one, index) => {
    const reference = referenceOf(one, document.placeOf(['evals', index]), left);
    return reference === null ? [] : [{ reference, place: document.placeOf(['evals', index]) }];
  });
  references.forEach(({ place }, index) => {
    tests.from(['references', index], place);
  });
  tests.value['references'] = references.map(({ reference }) => reference);
  imported.prompts.push({
    prompt: promptDraft(document, { file, line }, body),
    tests: references.length === 0 ? null : tests,
  });
  return imported;
}

function promptDraft(
  document: Document,
  skill: Place,
  body: string,
): Imported['prompts'][number]['prompt'] {
  const draft = createDraft({ file: document.file, line: 0 });
  const name = valueAt(document.value, ['skill_name']);
  Object.assign(draft.value, {
    name:
      typeof name === 'string' && name !== ''
        ? name
        : lastSteps(folderOf(document.file)).folder || 'skill',
    model: UNNAMED_MODEL,
    variables: [{ name: 'prompt' }],
    // Braces of the skill's text are its own.
    messages: [
      { role: 'system', content: escaped(body) },
      { role: 'user', content: '{prompt}' },
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

function referenceOf(one: Json, place: Place, left: Notice[]): JsonMap | null {
  if (!isMap(one) || typeof one['prompt'] !== 'string' || one['prompt'] === '') {
    left.push(leftOut(place, 'an eval', 'it has no prompt'));
    return null;
  }
  for (const key of Object.keys(one).filter((each) => !CASE_KEYS.includes(each)))
    left.push(leftOut(place, key, 'it is not part of the format'));
  const { prompt, expected_output: expected } = one;
  const id = idOf(one);
  if (Array.isArray(one['files']) && one['files'].length > 0) {
    left.push(
      leftOut(place, `the eval ${id ?? ''}`.trim(), 'it hands files to an agent with tools'),
    );
    return null;
  }
  const metric = metricFor(one, place, left);
  if (metric === null) {
    left.push(leftOut(place, 'an eval', 'it has neither checks nor an expected output'));
    return null;
  }
  return {
    ...(id === null ? {} : { id }),
    input: { prompt },
    ...(typeof expected === 'string' ? { expected } : {}),
    metrics: [metric],
  };
}

function idOf({ id, name }: JsonMap): string | null {
  return typeof name === 'string' && name !== '' ? name : isScalar(id) ? String(id) : null;
}

/** A checklist of the case's checks; without any, what is expected is the one criterion. */
function metricFor(one: JsonMap, place: Place, left: Notice[]): JsonMap | null {
  const expected = one['expected_output'];
  const statements = [one['assertions'], one['expectations']]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .map(statementOf);
  if (statements.includes(null)) left.push(leftOut(place, 'a check', 'it has no text'));
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
