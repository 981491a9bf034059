import { readYaml } from '../../../documents/yaml.ts';
import { suggestion } from '../../../text/suggest.ts';
import { filledText, isMap, ownEntry, type Json, type JsonMap } from '../../../types/plain.ts';
import { isScalar } from '../shared/draft.ts';
import { EMBEDDINGS, embeddingModel, isConfigured } from '../shared/models.ts';
import { tryConvert, refuse } from '../shared/node.ts';
import { assertionText, templateText } from '../shared/templates.ts';
import {
  TEXT_ASSERTIONS,
  convertWith,
  someText,
  uses,
  type AssertionContext,
  type AssertionConversion,
  type GivenAssertion,
} from '../shared/text-assertions.ts';
import { changeBody, codeAssertion } from './code.ts';
import type { ForeignAssertion } from './promptfoo-values.ts';
import { fillIn } from './templates.ts';

const ofCriteria = (name: string): AssertionConversion => ({
  uses: name,
  value: someText,
  as: 'criteria',
  threshold: null,
});

const FACTUALITY: AssertionConversion = { uses: 'factuality', value: someText, threshold: null };

const CONVERSIONS: Readonly<Record<string, AssertionConversion>> = {
  ...TEXT_ASSERTIONS,
  javascript: codeAssertion('javascript'),
  python: codeAssertion('python'),
  similar: similarTexts,
  'llm-rubric': ofCriteria('llm_rubric'),
  'model-graded-closedqa': ofCriteria('closed_qa'),
  'g-eval': {
    uses: 'g_eval',
    value: (value) => someText(Array.isArray(value) ? value.map(String).join('\n') : value),
    as: 'criteria',
    threshold: 0.7,
  },
  factuality: FACTUALITY,
  'model-graded-factuality': FACTUALITY,
  'context-faithfulness': ofContext('The context supports every claim of the answer.'),
  'context-relevance': ofContext(
    'The context is relevant to the question that the answer answers.',
  ),
  'context-recall': ofContext('The context contains everything that this statement says'),
  'answer-relevance': { uses: 'answer_relevance', threshold: null },
};

/** A rubric over the test's variable `context`. */
function ofContext(criteria: string): AssertionConversion {
  return ({ value }, { vars: { context } }) => {
    if (context === undefined) return refuse('its test has no variable context');
    const statement = filledText(value) === null ? '' : `: ${someText(value)}`;
    return uses('llm_rubric', {
      criteria: `${criteria}${statement}\n\nContext:\n${templateText(context)}`,
    });
  };
}

function similarTexts({ value, threshold, provider }: GivenAssertion): JsonMap {
  const texts = Array.isArray(value) ? value.filter(isScalar).map(String) : value;
  const isText = Array.isArray(texts) ? texts.length > 0 : isScalar(texts);
  if (!isText) refuse('its value is not text');
  // Requests for another server must not be sent to the vendor.
  if (isConfigured(provider))
    refuse(
      "its embeddings come from a custom server; set that server's model in the settings (models, " +
        'embeddings) and use embedding_similarity',
    );
  return uses('embedding_similarity', {
    value: isScalar(texts) ? String(texts) : (texts ?? null),
    model: embeddingModel(provider) ?? EMBEDDINGS,
    threshold: threshold ?? 0.75,
  });
}

const OF_NO_TEXT = /^(?:not-)?(?:latency|cost)$/;

export function convertAssertion(assertion: JsonMap, context: AssertionContext): JsonMap {
  const { type: written, value: given = null, threshold = null, transform = null } = assertion;
  const { config, provider } = assertion;
  if (typeof written !== 'string') return refuse('it has no type');
  const negate = written.startsWith('not-');
  const type = written.replace(/^not-/, '').replace(/^similar:cosine$/, 'similar');
  const conversion =
    ownEntry(CONVERSIONS, type) ??
    refuse(`this type is not supported${suggestion(type, Object.keys(CONVERSIONS))}`);
  const read = /^(?:javascript|python)$/.test(type)
    ? fillInCode(given, context.vars)
    : assertionValue(given, context);
  if (threshold !== null && typeof threshold !== 'number')
    return refuse('its threshold is not a number');
  const value = given === null ? undefined : read;
  const transforms = (OF_NO_TEXT.test(written) ? [] : [...context.transforms, transform]).filter(
    (step) => step !== null && step !== '',
  );
  const asked = { value, threshold, negate, config, provider };
  const own = { ...context, transforms };
  return withTransforms(convertWith(conversion, asked, own), own);
}

function withTransforms(converted: JsonMap, context: AssertionContext): JsonMap {
  const { uses: name, with: values } = converted;
  if (context.transforms.length === 0 || typeof name !== 'string') return converted;
  const transform = changeBody(context);
  return { ...converted, with: { ...(isMap(values) ? values : {}), transform } };
}

/** For example, returns `checks.py` for `file://checks.py:grade`. Null if there is no path. */
export function pathIn(text: string): string | null {
  return /^file:\/\/(.+?)(?::[A-Za-z_$][\w$]*)?$/.exec(text.trim())?.[1] ?? null;
}

const CODE_PATH = /\.(?:[cm]?[jt]s|py|rb)(?::\w+)?$/i;

/** Fills in templates, except in files that the assertion names. */
function assertionValue(written: Json, context: Pick<AssertionContext, 'vars' | 'fileAt'>): Json {
  if (Array.isArray(written)) return written.map((member) => assertionValue(member, context));
  if (typeof written !== 'string') return written;
  const path = pathIn(written);
  if (path === null) return fillIn(written, context.vars, 'empty', assertionText);
  if (CODE_PATH.test(path)) refuse('values from code do not run');
  const content = context.fileAt(path)?.text ?? refuse(`${path} cannot be read`);
  if (!/\.(?:json|ya?ml)$/i.test(path)) return content.trim();
  const read = readYaml(path, content);
  return read.ok ? read.value.value : refuse(`${path} is neither JSON nor YAML`);
}

/** If the code is not a valid template, only known variables are filled in. */
function fillInCode(code: Json, vars: JsonMap): Json {
  if (typeof code !== 'string' || code.trim().startsWith('file://')) return code;
  const filled = (text: string, missing: 'refused' | 'empty', otherwise: () => string): string =>
    tryConvert(() => fillIn(text, vars, missing, assertionText), otherwise);
  return filled(code, 'empty', () =>
    code.replace(/\{\{\s*[A-Za-z_][\w.]*\s*\}\}/g, (variable) =>
      filled(variable, 'refused', () => variable),
    ),
  );
}

export function reportUnreadAssertionKeys({ value, node }: ForeignAssertion, type: string): void {
  const of = `of the assertion ${type}`;
  const { provider } = value;
  for (const key of ['rubricPrompt', 'contextTransform'])
    if (key in value) node.lose(`${key} ${of}`, 'evaldiff has no equivalent');
  const compares = /similar(?::cosine)?$/.test(type) && embeddingModel(provider) !== null;
  if (provider !== undefined && !compares)
    node.remark(`provider ${of}: the settings' grader gives all grades`);
}
