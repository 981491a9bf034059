import { z } from 'zod';
import { canonicalJson } from '../core/fingerprint/canonical.ts';
import { problem } from '../errors.ts';
import type { GraderSettings, Json, Problem } from '../types.ts';
import { pathText } from './document.ts';
import type { Document, Path } from './document.ts';
import { readParameters } from './parameters.ts';
import { anything, check, filled, listOf, mapOf } from './schema.ts';

const FORMS = 'must be a model name, a map with model and parameters, or a list of them that votes';

/** One model with its parameters: its name alone, or a map. */
export const modelChoice = () =>
  z.union([filled(), mapOf(anything())], {
    error: 'must be a model name, or a map with model and parameters',
  });

/** One grader, or several that vote. */
export const gradersSchema = z.union([modelChoice(), listOf(modelChoice())], { error: FORMS });

const MAX_GRADERS = 9;

/** The graders written at `path` in their order: one, or an odd number that votes. */
export function readGraders(
  document: Document,
  path: Path,
  written: z.output<typeof gradersSchema> | undefined,
  problems: Problem[],
): GraderSettings[] {
  if (written === undefined) return [];
  if (!Array.isArray(written)) return [readModelChoice(document, path, written, problems)];
  const graders = written.map((one, index) =>
    readModelChoice(document, [...path, index], one, problems),
  );
  if (graders.length % 2 === 0 || graders.length > MAX_GRADERS) {
    problems.push(
      problem(
        document.placeOf(path),
        `${pathText(path)} has ${graders.length} models; name an odd number up to ${MAX_GRADERS}, so that their votes give a majority`,
      ),
    );
  }
  graders.forEach((one, index) => {
    const twin = graders.findIndex(
      (other) =>
        canonicalJson([other.model, other.parameters]) ===
        canonicalJson([one.model, one.parameters]),
    );
    if (twin < index)
      problems.push(
        problem(
          one.place,
          `${pathText(path)}: "${one.model}" is there twice; the same model with the same parameters has one vote`,
        ),
      );
  });
  return graders;
}

/** A model with the parameters it is asked with. */
export function readModelChoice(
  document: Document,
  path: Path,
  written: string | Record<string, Json>,
  problems: Problem[],
): GraderSettings {
  const place = document.placeOf(path);
  if (typeof written === 'string') return { model: written, parameters: {}, place };
  const model = check(document, [...path, 'model'], filled(), problems);
  return {
    model: model ?? '',
    parameters: readParameters(document, path, ['model'], problems),
    place,
  };
}
