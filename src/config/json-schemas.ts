import { z } from 'zod';
import { resultSchema } from '../result/result.ts';
import { attributesSchema } from './attributes-file.ts';
import { promptSchema } from './prompt.ts';
import { rubricsSchema } from './rubric.ts';
import { settingsSchema } from './settings.ts';
import { testsSchema } from './tests.ts';

/**
 * JSON Schemas (draft 2020-12) by file name: of the user's files, so that editors complete and
 * check while typing (what needs more than one file to decide is left to the reader), and of the
 * result that other programs read.
 */
export function jsonSchemas(): Record<string, object> {
  return {
    'settings.schema.json': schema('evaldiff settings', settingsSchema()),
    'prompt.schema.json': schema('evaldiff prompt', promptSchema(testsSchema())),
    'tests.schema.json': schema('evaldiff tests', testsSchema()),
    'attributes.schema.json': schema('evaldiff attributes', attributesSchema()),
    'rubrics.schema.json': schema('evaldiff rubrics', rubricsSchema()),
    'result.schema.json': schema('evaldiff result', resultSchema),
  };
}

function schema(title: string, type: z.ZodType): object {
  const { $schema, ...rest } = z.toJSONSchema(type, { io: 'input' });
  return { $schema, title, ...rest };
}
