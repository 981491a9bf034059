import { readYaml } from '../../../documents/yaml.ts';
import { suggestion } from '../../../text/suggest.ts';
import { ownEntry, type Json, type JsonMap } from '../../../types/plain.ts';
import { isScalar, lose, type Loss } from '../shared/draft.ts';
import { EMBEDDINGS, embeddingModel, isConfigured } from '../shared/models.ts';
import { assertionText } from '../shared/templates.ts';
import {
  TEXT_ASSERTIONS,
  checkedMetric,
  uses,
  type AssertionContext,
  type Convert,
  type Converted,
} from '../shared/text-assertions.ts';
import { codeAssertion } from './code.ts';
import type { ForeignAssertion } from './promptfoo-values.ts';
import { fillIn } from './templates.ts';

const ASSERTION_KEYS = 'type value threshold metric weight config description label name id'.split(
  ' ',
);

const GRADED_ASSERTIONS: Readonly<Record<string, Convert>> = {
  similar: ({ value, threshold, provider }) => {
    const texts = Array.isArray(value) ? value.filter(isScalar).map(String) : value;
    if (!isScalar(texts) && !(Array.isArray(texts) && texts.length > 0))
      return 'its value is not text';
    // Requests for another server must not be sent to the vendor.
    if (isConfigured(provider))
      return (
        "its embeddings come from a custom server; set that server's model in the settings (models, " +
        'embeddings) and use embedding_similarity'
      );
    return uses('embedding_similarity', {
      value: isScalar(texts) ? String(texts) : texts,
      model: embeddingModel(provider) ?? EMBEDDINGS,
      threshold: threshold ?? 0.75,
    });
  },
  'llm-rubric': convertGraded('llm_rubric', 'criteria'),
  'model-graded-closedqa': convertGraded('closed_qa', 'criteria'),
  'g-eval': ({ value, threshold }) => {
    const criteria = Array.isArray(value) ? value.map(String).join('\n') : value;
    return typeof criteria === 'string' && criteria !== ''
      ? uses('g_eval', { criteria }, threshold ?? 0.7)
      : 'its value is not text';
  },
  factuality: convertGraded('factuality', 'value'),
  'model-graded-factuality': convertGraded('factuality', 'value'),
  'answer-relevance': ({ threshold }) => uses('answer_relevance', {}, threshold),
};

function convertGraded(name: string, key: string): Convert {
  return ({ value, threshold }) =>
    typeof value === 'string' && value !== ''
      ? uses(name, { [key]: value }, threshold)
      : 'its value is not text';
}

const CONVERSIONS: Readonly<Record<string, Convert>> = {
  ...TEXT_ASSERTIONS,
  javascript: codeAssertion('javascript'),
  python: codeAssertion('python'),
  ...GRADED_ASSERTIONS,
};

const UNSUPPORTED_ASSERTIONS: Readonly<Record<string, string>> = {
  classifier: 'classifiers are not supported',
  moderation: 'moderation is not supported',
  webhook: 'checks that call a URL do not run',
  ruby: 'code is Python or JavaScript',
  human: 'people cannot judge during a run',
  'select-best': 'evaldiff compares outputs between base and head instead',
  'assert-set': 'evaldiff does not support a threshold for a set of assertions',
};

const OF_NO_TEXT = /^(?:not-)?(?:latency|cost|finish-reason)$/;

export const ON_TRANSFORMED = 'an assertion on a transformed answer';

const INSTEAD =
  'does not run; remove it if the assertion works without it, or put it into ' +
  'a code metric after converting this file with npx evaldiff import';

export function changesAnswer({ type, transform }: JsonMap, isTransformed: boolean): string | null {
  if (typeof type === 'string' && OF_NO_TEXT.test(type)) return null;
  if ((transform ?? '') !== '') return `its transform ${INSTEAD}`;
  return isTransformed ? `options.transform of its test ${INSTEAD}` : null;
}

export function convertAssertion(assertion: JsonMap, context: AssertionContext): Converted {
  const { type: written, threshold = null, config, provider } = assertion;
  if (typeof written !== 'string') return 'it has no type';
  const negate = written.startsWith('not-');
  const type = written.replace(/^not-/, '').replace(/^similar:cosine$/, 'similar');
  const convert = ownEntry(CONVERSIONS, type);
  if (convert === undefined) return unreadType(type);
  const isCode = type === 'javascript' || type === 'python';
  const given = assertion['value'] ?? null;
  try {
    const read = isCode ? fillInCode(given, context.vars) : assertionValue(given, context);
    if (threshold !== null && typeof threshold !== 'number') return 'its threshold is not a number';
    const value = given === null ? undefined : read;
    const converted = convert({ value, threshold, negate, config, provider }, context);
    return checkedMetric(converted, negate, context.builtIns);
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

const unreadType = (type: string): string =>
  ownEntry(UNSUPPORTED_ASSERTIONS, type) ??
  `this type is not supported${suggestion(type, Object.keys(CONVERSIONS))}`;

class Refusal extends Error {}

/** For example, returns `checks.py` for `file://checks.py:grade`. Null if there is no path. */
export function pathIn(text: string): string | null {
  return /^file:\/\/(.+?)(?::[A-Za-z_$][\w$]*)?$/.exec(text.trim())?.[1] ?? null;
}

const CODE_PATH = /\.(?:[cm]?[jt]s|py|rb)(?::\w+)?$/i;

/** Fills in templates, except in files that the assertion names. Throws a `Refusal`. */
function assertionValue(
  written: Json,
  { vars, textOf }: Pick<AssertionContext, 'vars' | 'textOf'>,
): Json {
  if (Array.isArray(written))
    return written.map((member) => assertionValue(member, { vars, textOf }));
  if (typeof written !== 'string') return written;
  const path = pathIn(written);
  if (path === null) {
    const filled = fillIn(written, vars, 'empty', assertionText);
    if (!filled.ok) throw new Refusal(filled.why);
    return filled.text;
  }
  if (CODE_PATH.test(path)) throw new Refusal('values from code do not run');
  const content = textOf(path);
  if (content === null) throw new Refusal(`${path} cannot be read`);
  if (!/\.(?:json|ya?ml)$/i.test(path)) return content.trim();
  const read = readYaml(path, content);
  if (!read.ok) throw new Refusal(`${path} is neither JSON nor YAML`);
  return read.value.value;
}

/** If the code is not a valid template, only known variables are filled in. */
function fillInCode(code: Json, vars: JsonMap): Json {
  if (typeof code !== 'string' || code.trim().startsWith('file://')) return code;
  const whole = fillIn(code, vars, 'empty', assertionText);
  if (whole.ok) return whole.text;
  return code.replace(/\{\{\s*[A-Za-z_][\w.]*\s*\}\}/g, (written) => {
    const filled = fillIn(written, vars, 'told', assertionText);
    return filled.ok ? filled.text : written;
  });
}

export function reportUnreadAssertionKeys(
  { value, place }: ForeignAssertion,
  type: string,
  left: Loss[],
): void {
  const compares = /similar(?::cosine)?$/.test(type) && embeddingModel(value['provider']) !== null;
  for (const key of Object.keys(value).filter(
    (each) => !ASSERTION_KEYS.includes(each) && !(each === 'provider' && compares),
  )) {
    lose(
      left,
      place,
      `${key} of the assertion ${type}`,
      key === 'provider' ? "the settings' grader gives all grades" : 'evaldiff has no equivalent',
    );
  }
  const weight = value['weight'];
  if (weight !== undefined && weight !== 0 && weight !== 1)
    lose(left, place, `weight of the assertion ${type}`, 'all gating metrics count equally');
}
