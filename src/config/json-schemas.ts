import { z } from 'zod';
import { KNOWN_PARAMETERS } from '../documents/parameters.ts';
import type { OwnKeys } from '../kernel/result/feature-parts.ts';
import { resultSchemaWith } from '../kernel/result/result.ts';
import type { MetricDefinition } from '../metrics/definition.ts';
import { metrics } from '../metrics/index.ts';
import type { OwnSettings } from '../project/settings.ts';
import { refusalWords } from '../types/passports.ts';
import type { Passport, Refusal } from '../types/vendors/facts.ts';
import { factsOf, vendorNames } from '../types/vendors.ts';
import { metricSchema, ownMetricSchema } from './metric-schema.ts';
import { MEANT_KEYS, promptSchema } from './prompt.ts';
import { rubricsSchema } from './rubric.ts';
import { settingsSchema } from './settings-schema.ts';
import type { SuiteKey } from './suite-key.ts';
import { testsSchema } from './tests.ts';

export interface FileType {
  kind: string;
  type: z.ZodType;
  isWritten: boolean;
  metrics?: readonly MetricDefinition[];
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
  const definitions = [...metrics.values(), ...own];
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
    ...(kind === 'prompt'
      ? { allOf: [...misspeltKeys(MEANT_KEYS), { $ref: `#/$defs/${MODEL_RULES}` }] }
      : {}),
    ...(holdsMetrics
      ? {
          $defs: {
            ...rest.$defs,
            ...metricDefinitions(definitions),
            ...(kind === 'prompt' ? { [MODEL_RULES]: modelRules() } : {}),
          },
        }
      : {}),
  };
}

/* Rules that relate several keys, for editors. evaldiff itself checks these rules in code. */

type Schema = Record<string, unknown>;

const METRIC_RULES = 'metricRules';

function completeMetric(schema: Schema, definitions: readonly MetricDefinition[]): void {
  const properties = schema['properties'] as Record<string, Schema>;
  if (properties['uses'] === undefined) return;
  Object.assign(properties['uses'], {
    enum: definitions.map(({ name }) => name),
    enumDescriptions: definitions.map(({ summary }) => summary.replace(/\. .*$/s, '.')),
  });
  schema['allOf'] = [{ $ref: `#/$defs/${METRIC_RULES}` }];
}

function metricDefinitions(definitions: readonly MetricDefinition[]): Record<string, Schema> {
  return {
    [METRIC_RULES]: {
      allOf: [
        { anyOf: SOURCES.map((key) => ({ required: [key], errorMessage: ONE_SOURCE })) },
        ...SOURCES.map((key) => ({
          if: { required: [key] },
          then: forbidKeys(
            SOURCES.filter((other) => other !== key),
            ONE_SOURCE,
          ),
        })),
        {
          if: { not: { required: ['code'] } },
          then: forbidKeys(['language'], 'language is only for code'),
        },
        {
          if: { not: { required: ['uses'] } },
          then: { properties: { with: NO_PARAMETERS, kwargs: NO_PARAMETERS } },
        },
        ...definitions.map(({ name }) => ({
          if: { properties: { uses: { const: name } }, required: ['uses'] },
          then: {
            properties: {
              with: { $ref: `#/$defs/${parametersOf(name)}`, doNotSuggest: true },
              kwargs: { $ref: `#/$defs/${parametersOf(name)}`, doNotSuggest: true },
            },
          },
        })),
      ],
    },
    ...Object.fromEntries(
      definitions.map(({ name, parameters }) => [
        parametersOf(name),
        {
          ...withoutReferences(z.toJSONSchema(parameters, { io: 'input' })),
          errorMessage: `${name} takes ${Object.keys(parameters.shape).join(', ')}`,
        },
      ]),
    ),
  };
}

const SOURCES = ['uses', 'rubric', 'code'] as const;

const ONE_SOURCE = 'a metric needs exactly one of the keys uses, rubric and code';

const NO_PARAMETERS = {
  additionalProperties: false,
  doNotSuggest: true,
  errorMessage: 'only built-in metrics have parameters',
};

function parametersOf(metric: string): string {
  return `with_${metric}`;
}

function forbidKeys(keys: readonly string[], errorMessage: string): Schema {
  return { properties: Object.fromEntries(keys.map((key) => [key, false])), errorMessage };
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

/** Without these rules, editors would accept a misspelt key as a model parameter. */
function misspeltKeys(own: readonly string[]): Schema[] {
  const right = [...own, ...KNOWN_PARAMETERS].join('|');
  return own.map((key) => ({
    patternProperties: { [`^(?!(?:${right})$)(?:${typoPatterns(key).join('|')})$`]: false },
    errorMessage: `unknown key; did you mean "${key}"?`,
  }));
}

function typoPatterns(word: string): string[] {
  return [...word].flatMap((letter, at) => {
    const [before, after] = [word.slice(0, at), word.slice(at + 1)];
    const next = after.charAt(0);
    return [
      `${before}.?${after}`,
      `${before}.${letter}${after}`,
      ...(next === '' ? [`${word}.`] : [`${before}${next}${letter}${after.slice(1)}`]),
    ];
  });
}

const MODEL_RULES = 'modelRules';

/**
 * Assumes that a name means the vendor's model, because an editor does not see the settings, which
 * may redefine it.
 */
function modelRules(): Schema {
  const families = vendorNames().flatMap((vendor) => {
    const { passports } = factsOf(vendor);
    return passports.map((passport, at) => familyRules(passport, passports.slice(0, at)));
  });
  return { allOf: families.filter((rules) => rules !== null) };
}

function familyRules(
  { family, models, refuses }: Passport,
  before: readonly Passport[],
): Schema | null {
  const refusals = Object.entries(refuses).filter(([name]) => name !== 'tools');
  if (refusals.length === 0) return null;
  const named = ({ source }: RegExp): Schema => ({ type: 'string', pattern: source });
  const model = {
    ...named(models),
    ...(before.length === 0 ? {} : { not: { anyOf: before.map((other) => named(other.models)) } }),
  };
  return {
    if: { properties: { model }, required: ['model'] },
    then: {
      allOf: refusals.map(([name, refusal]) => ({
        if: refusalRuleSchema(name, refusal),
        then: forbidKeys([name], refusalMessage(family, name, refusal)),
      })),
    },
  };
}

function refusalMessage(family: string, name: string, refusal: Refusal): string {
  const { instead } = refusal;
  const fix = instead === undefined ? 'remove it' : `write ${instead}`;
  return `${family}: no ${name}${refusalWords(refusal)}; ${fix}`;
}

function refusalRuleSchema(name: string, { but, values, unless }: Refusal): Schema {
  const accepted = { enum: [null, ...(but === undefined ? [] : [but])] };
  const value = values === undefined ? { not: accepted } : valueOrTypeSchema(values);
  return {
    properties: { [name]: value },
    required: [name],
    ...(unless === undefined ? {} : { not: exceptionIn(unless) }),
  };
}

function exceptionIn({ parameter, values }: NonNullable<Refusal['unless']>): Schema {
  const written = { properties: { [parameter]: valueOrTypeSchema(values) }, required: [parameter] };
  return values.includes(null) ? { anyOf: [written, { not: { required: [parameter] } }] } : written;
}

function valueOrTypeSchema(values: readonly (string | null)[]): Schema {
  const map = { type: 'object', properties: { type: { enum: values } }, required: ['type'] };
  return { anyOf: [{ enum: values }, map] };
}
