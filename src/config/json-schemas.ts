import { z } from 'zod';
import { noiseResultSchema } from '../result/noise.ts';
import { resultSchema } from '../result/result.ts';
import { attributesSchema } from './attributes-file.ts';
import {
  MODEL_RULES,
  completeMetric,
  metricDefinitions,
  misspeltKeys,
  modelRules,
} from './editor-rules.ts';
import { metricSchema, ownMetricSchema } from './metric-schema.ts';
import { PROMPT_KEYS, promptSchema } from './prompt.ts';
import { rubricsSchema } from './rubric.ts';
import { settingsSchema } from './settings-schema.ts';
import { testsSchema } from './tests.ts';

/**
 * JSON Schemas (draft 2020-12) by file name: of the user's files, so that editors complete and
 * check while typing (what needs more than one file to decide is left to the reader), and of the
 * files that a run writes for other programs.
 */
export function jsonSchemas(): Record<string, object> {
  return Object.fromEntries(
    Object.entries({
      settings: settingsSchema(),
      prompt: promptSchema(testsSchema()),
      tests: testsSchema(),
      attributes: attributesSchema(),
      rubrics: rubricsSchema(),
      result: resultSchema,
      noise: noiseResultSchema,
    }).map(([kind, type]) => [`${kind}.schema.json`, schema(kind, type)]),
  );
}

/**
 * The id is a name and no address, for whoever publishes the action chooses where the files lie.
 */
function schema(kind: string, type: z.ZodType): object {
  let holdsMetrics = false;
  const { $schema, ...rest } = z.toJSONSchema(type, {
    io: 'input',
    override({ zodSchema, jsonSchema }) {
      if (zodSchema !== metricSchema && zodSchema !== ownMetricSchema) return;
      completeMetric(jsonSchema);
      holdsMetrics = true;
    },
  });
  return {
    $schema,
    $id: `urn:evaldiff:v1:${kind}`,
    title: `evaldiff ${kind}`,
    ...rest,
    ...(kind === 'prompt'
      ? { allOf: [...misspeltKeys(PROMPT_KEYS), { $ref: `#/$defs/${MODEL_RULES}` }] }
      : {}),
    ...(holdsMetrics
      ? {
          $defs: {
            ...rest.$defs,
            ...metricDefinitions(),
            ...(kind === 'prompt' ? { [MODEL_RULES]: modelRules() } : {}),
          },
        }
      : {}),
  };
}
