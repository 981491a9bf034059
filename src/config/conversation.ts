import { z } from 'zod';
import { isVariableName } from '../core/template.ts';
import { problem } from '../errors.ts';
import type { Conversation, Problem, Settings } from '../types.ts';
import { isMap, pathText, valueAt } from './document.ts';
import type { Document } from './document.ts';
import { readParameters } from './parameters.ts';
import { anything, check, checkMembers, closed, filled, listOf, mapOf, missing, oneOf, whole } from './schema.ts';

const MAX_STEPS = 50;
const combine = oneOf(['all', 'any', 'majority']);
const criterion = z.union([combine, closed({ combine: combine.optional() })], { error: 'must be a map like { combine: all }; combine is one of all, any, majority' });

const shape = {
  max_steps: whole(1, MAX_STEPS).optional(),
  evaluators: listOf(z.union([filled(), mapOf(anything())], { error: 'must be a map with model' })).optional(),
  criteria: mapOf(criterion, 'a map of criterion to { combine: all }').optional(),
  instructions: filled().optional(),
};
export const conversationSchema = closed(shape);

const DEFAULT_STEPS = 5;
const DEFAULT_CRITERIA: Conversation['criteria'] = [
  { name: 'understanding', combine: 'all' }, { name: 'correctness', combine: 'all' }, { name: 'completeness', combine: 'any' },
];

/** Reads `conversation` of a test file; null when there is none. Evaluators without a model take the grader's. */
export function readConversation(document: Document, grader: Settings['grader'], problems: Problem[]): Conversation | null {
  const key = 'conversation';
  const written = valueAt(document.value, [key]);
  if (written === undefined) return null;
  const { max_steps, instructions } = checkMembers(document, [key], { ...shape, evaluators: anything().optional(), criteria: anything().optional() }, problems);
  return {
    max_steps: max_steps ?? DEFAULT_STEPS,
    evaluators: isMap(written) ? readEvaluators(document, grader, problems) : [],
    criteria: isMap(written) ? readCriteria(document, problems) : [],
    instructions: instructions ?? null,
    place: document.placeOf([key]),
  };
}

function readEvaluators(document: Document, grader: Settings['grader'], problems: Problem[]): Conversation['evaluators'] {
  const path = ['conversation', 'evaluators'];
  const list = valueAt(document.value, path);
  if (list === undefined || (Array.isArray(list) && list.length === 0)) {
    if (grader !== null && list === undefined) return [{ ...grader, place: document.placeOf(['conversation']) }];
    problems.push(problem(document.placeOf(path), 'conversation needs at least one evaluator: evaluators: [{ model: … }]'));
    return [];
  }
  const items = check(document, path, shape.evaluators, problems) ?? [];
  return items.flatMap((item, index) => {
    const at = [...path, index];
    const place = document.placeOf(at);
    if (typeof item === 'string') return [{ model: item, parameters: {}, place }];
    const parameters = readParameters(document, at, ['model'], problems);
    if (item['model'] === undefined) {
      if (grader === null) problems.push(missing(document, [...at, 'model']));
      return grader === null ? [] : [{ model: grader.model, parameters: { ...grader.parameters, ...parameters }, place }];
    }
    const model = check(document, [...at, 'model'], filled(), problems);
    return model === undefined ? [] : [{ model, parameters, place }];
  });
}

function readCriteria(document: Document, problems: Problem[]): Conversation['criteria'] {
  const path = ['conversation', 'criteria'];
  const written = valueAt(document.value, path);
  if (written === undefined) return DEFAULT_CRITERIA;
  const names = Object.keys(check(document, path, mapOf(anything(), 'a map of criterion to { combine: all }'), problems) ?? {});
  if (isMap(written) && names.length === 0) problems.push(problem(document.placeOf(path), 'criteria must name at least one criterion'));
  return names.flatMap((name) => {
    if (!isVariableName(name)) {
      problems.push(problem(document.placeOf([...path, name]), `${pathText(path)}: a criterion's name is letters, digits and _, and does not start with a digit`));
    }
    const value = check(document, [...path, name], criterion, problems);
    if (value === undefined) return [];
    return [{ name, combine: (typeof value === 'string' ? value : value.combine) ?? 'all' }];
  });
}
