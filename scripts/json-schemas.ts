import { z } from 'zod';
import type { SessionFeatures } from '../src/app/session/session-row.ts';
import { metricSchema, ownMetricSchema } from '../src/config/metric-schema.ts';
import { promptSchema } from '../src/config/prompt.ts';
import { rubricsSchema } from '../src/config/rubric.ts';
import { settingsSchema } from '../src/config/settings-schema.ts';
import type { SuiteKey } from '../src/config/suite-key.ts';
import { testsSchema } from '../src/config/tests.ts';
import type { OwnKeys } from '../src/kernel/result/feature-parts.ts';
import { resultSchemaWith } from '../src/kernel/result/result.ts';
import type { BuiltInMetrics, MetricDefinition } from '../src/metrics/definition.ts';
import { metrics } from '../src/metrics/index.ts';
import type { OwnSettings } from '../src/project/settings.ts';

interface FileType {
  kind: string;
  type: z.ZodType;
  isWritten: boolean;
  metrics?: readonly MetricDefinition[];
}

export async function ownFiles(features: SessionFeatures): Promise<FileType[]> {
  const files = features.map(async (row) => {
    const own = (await row.metrics?.()) ?? [];
    return ((await row.files?.()) ?? []).map((file) => ({ ...file, metrics: own }));
  });
  return (await Promise.all(files)).flat();
}

export function jsonSchemas(
  ownResult: OwnKeys,
  ownSettings: readonly OwnSettings[],
  suiteKeys: readonly SuiteKey[],
  ownFiles: readonly FileType[],
): Record<string, object> {
  const types = {
    settings: settingsSchema(ownSettings),
    prompt: promptSchema(testsSchema(suiteKeys)),
    tests: testsSchema(suiteKeys),
    rubrics: rubricsSchema(),
    result: resultSchemaWith(ownResult),
  };
  const files = Object.entries(types).map(([kind, type]) => ({
    kind,
    type,
    isWritten: kind === 'result',
  }));
  return Object.fromEntries(
    [...files, ...ownFiles].map((file) => [`${file.kind}.schema.json`, toJsonSchema(file)]),
  );
}

/** `$id` is not a web address, because whoever publishes the schemas chooses their addresses. */
function toJsonSchema({ kind, type, isWritten, metrics: own = [] }: FileType): object {
  let holdsMetrics = false;
  const definitions = new Map([...metrics, ...own.map((each) => [each.name, each] as const)]);
  const { $schema, ...rest } = z.toJSONSchema(type, {
    io: isWritten ? 'output' : 'input',
    override({ zodSchema, jsonSchema }) {
      if (zodSchema !== metricSchema && zodSchema !== ownMetricSchema) return;
      completeMetric(jsonSchema, definitions);
      holdsMetrics = true;
    },
  });
  return {
    $schema,
    $id: `urn:evaldiff:v1:${kind}`,
    title: `evaldiff ${kind}`,
    ...rest,
    ...(holdsMetrics ? { $defs: { ...rest.$defs, ...metricDefinitions(definitions) } } : {}),
  };
}

type Schema = Record<string, unknown>;

/** Only the parameters of each metric. Code checks the other rules that relate several keys. */
const METRIC_PARAMETERS = 'metricParameters';

function completeMetric(schema: Schema, definitions: BuiltInMetrics): void {
  const properties = schema['properties'] as Record<string, Schema>;
  if (properties['uses'] === undefined) return;
  Object.assign(properties['uses'], {
    enum: [...definitions.keys()],
    enumDescriptions: [...definitions.values()].map(({ summary }) =>
      summary.replace(/\. .*$/s, '.'),
    ),
  });
  schema['allOf'] = [{ $ref: `#/$defs/${METRIC_PARAMETERS}` }];
}

function metricDefinitions(definitions: BuiltInMetrics): Record<string, Schema> {
  const rules = [...definitions.keys()].map((name) => {
    const parameters = { $ref: `#/$defs/with_${name}`, doNotSuggest: true };
    return {
      if: { properties: { uses: { const: name } }, required: ['uses'] },
      then: { properties: { with: parameters, kwargs: parameters } },
    };
  });
  return {
    [METRIC_PARAMETERS]: { allOf: rules },
    ...Object.fromEntries(
      [...definitions].map(([name, { parameters }]) => [
        `with_${name}`,
        {
          ...withoutReferences(z.toJSONSchema(parameters, { io: 'input' })),
          errorMessage: `${name} takes ${Object.keys(parameters.shape).join(', ')}`,
        },
      ]),
    ),
  };
}

function withoutReferences({ $schema: _, $defs: __, ...schema }: Schema): Schema {
  const plain = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(plain);
    if (typeof node !== 'object' || node === null) return node;
    return Object.fromEntries(
      Object.entries(node).flatMap(([key, value]) => (key === '$ref' ? [] : [[key, plain(value)]])),
    );
  };
  return plain(schema) as Schema;
}
