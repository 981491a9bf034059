import { suggestion } from '../../../text/suggest.ts';
import { type JsonMap, ownEntry } from '../../../types/plain.ts';
import { isScalar } from '../shared/draft.ts';
import { EMBEDDINGS, embeddingModel, isConfigured } from '../shared/models.ts';
import {
  negateIf,
  TEXT_ASSERTIONS,
  uses,
  cannotConvert,
  withKnownParameters,
  type AssertionContext,
  type Convert,
  type Converted,
  type GivenAssertion,
} from '../shared/text-assertions.ts';
import { assertionValue } from './assertion-parts.ts';
import { codeAssertion } from './code.ts';

export const ASSERTION_KEYS =
  'type value threshold metric weight config description label name id'.split(' ');

const GRADED_ASSERTIONS: Readonly<Record<string, Convert>> = {
  similar: ({ value, threshold, provider }) => {
    const texts = Array.isArray(value) ? value.filter(isScalar).map(String) : value;
    if (!isScalar(texts) && !(Array.isArray(texts) && texts.length > 0))
      return cannotConvert('its value is not text');
    // Requests for another server must not be sent to the vendor.
    if (isConfigured(provider))
      return cannotConvert(
        "its embeddings come from a custom server; set that server's model in the settings (models, " +
          'embeddings) and use embedding_similarity',
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
      : cannotConvert('its value is not text');
  },
  factuality: convertGraded('factuality', 'value'),
  'model-graded-factuality': convertGraded('factuality', 'value'),
  'answer-relevance': ({ threshold }) => uses('answer_relevance', {}, threshold),
};

function convertGraded(name: string, key: string): Convert {
  return ({ value, threshold }) =>
    typeof value === 'string' && value !== ''
      ? uses(name, { [key]: value }, threshold)
      : cannotConvert('its value is not text');
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
  const written = assertion['type'];
  if (typeof written !== 'string') return cannotConvert('it has no type');
  const negate = written.startsWith('not-');
  const named = negate ? written.slice('not-'.length) : written;
  const type = named === 'similar:cosine' ? 'similar' : named;
  const convert = ownEntry(CONVERSIONS, type);
  if (convert === undefined)
    return cannotConvert(ownEntry(UNSUPPORTED_ASSERTIONS, type) ?? unreadType(type));
  const isCode = type === 'javascript' || type === 'python';
  const value = assertionValue(assertion['value'], isCode, context);
  const threshold = assertion['threshold'] ?? null;
  if (!value.ok) return cannotConvert(value.why);
  if (threshold !== null && typeof threshold !== 'number')
    return cannotConvert('its threshold is not a number');
  const asked: GivenAssertion = {
    value: value.value,
    threshold,
    negate,
    config: assertion['config'],
    provider: assertion['provider'],
  };
  return withKnownParameters(
    negateIf(convert(asked, context), negate && !isCode),
    context.builtIns,
  );
}

function unreadType(type: string): string {
  return `this type is not supported${suggestion(type, Object.keys(CONVERSIONS))}`;
}
