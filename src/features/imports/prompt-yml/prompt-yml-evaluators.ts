import { valueAt } from '../../../documents/document.ts';
import {
  filledText,
  isMap,
  type Json,
  type JsonMap,
  type Place,
  ownEntry,
} from '../../../types/plain.ts';
import { isScalar, lose, type Imported } from '../shared/draft.ts';
import { publishedModel } from '../shared/models.ts';
import { type Converted } from '../shared/text-assertions.ts';

const COMPARISONS: Readonly<Record<string, string>> = {
  equals: 'exact_match',
  contains: 'contains',
  startsWith: 'starts_with',
  endsWith: 'ends_with',
};

const NEAREST: Readonly<Record<string, JsonMap>> = {
  similarity: { uses: 'factuality' },
  relevance: { uses: 'answer_relevance' },
  groundedness: { uses: 'faithfulness' },
  coherence: {
    uses: 'g_eval',
    with: {
      criteria: 'Coherence: the sentences of the answer fit together and follow from each other.',
    },
  },
  fluency: {
    uses: 'g_eval',
    with: { criteria: 'Fluency: the answer is grammatical, natural language.' },
  },
};

export function evaluatorName(evaluator: Json): string {
  return filledText(valueAt(evaluator, ['name'])) ?? 'evaluator';
}

export function convertEvaluator(evaluator: JsonMap): Converted {
  const { string, llm, uses } = evaluator;
  if (isMap(string)) return convertString(string);
  if (isMap(llm)) return convertJudge(llm);
  if (typeof uses !== 'string') return 'it has neither string, llm nor uses';
  const near = ownEntry(NEAREST, uses.replace(/^github\//, ''));
  return near ?? `${uses} is unknown`;
}

function convertString(string: JsonMap): Converted {
  const [entry, ...more] = Object.entries(string);
  const [kind, value] = entry ?? ['', null];
  const metric = ownEntry(COMPARISONS, kind);
  if (metric === undefined || more.length > 0)
    return 'a string evaluator must be equals, contains, startsWith or endsWith';
  return isScalar(value)
    ? { uses: metric, with: { value: String(value), ignore_case: true } }
    : 'its value is not text';
}

const EVALUATOR_KEYS = ['name', 'description', 'string', 'llm', 'uses'];

const JUDGE_KEYS = ['modelId', 'prompt', 'systemPrompt', 'choices'];

/** The first judge becomes the grader unless one is set. The others are set on their metrics. */
export function withJudge(
  converted: Converted,
  evaluator: JsonMap,
  place: Place,
  imported: Imported,
): Converted {
  if (typeof converted === 'string') return converted;
  const llm = isMap(evaluator['llm']) ? evaluator['llm'] : {};
  const unknown = [
    ...Object.keys(evaluator).filter((key) => !EVALUATOR_KEYS.includes(key)),
    ...Object.keys(llm).filter((key) => !JUDGE_KEYS.includes(key)),
  ];
  for (const key of unknown)
    lose(
      imported.left,
      place,
      `${key} of the evaluator ${evaluatorName(evaluator)}`,
      'it is not part of the format',
    );
  const { modelId } = llm;
  if (!isScalar(modelId)) return converted;
  const model = publishedModel(modelId);
  imported.grader ??= { model, place };
  return model === imported.grader.model ? converted : { ...converted, grader: { model } };
}

/** The judge chooses from a list. A choice with a score above 0 passes. */
function convertJudge(llm: JsonMap): Converted {
  const { prompt, choices, systemPrompt } = llm;
  if (typeof prompt !== 'string') return 'its judge has no prompt';
  const scored = Array.isArray(choices)
    ? choices
        .filter(isMap)
        .flatMap(({ choice, score }) =>
          isScalar(choice) && typeof score === 'number'
            ? [`${String(choice)} (${String(score)})`]
            : [],
        )
    : [];
  // evaldiff's grader prompt already contains the answer.
  const words = [
    typeof systemPrompt === 'string' ? systemPrompt : '',
    prompt.replace(/\{\{\s*(?:completion|output)\s*\}\}/g, '(the answer)'),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
  const passing =
    scored.length === 0
      ? ''
      : `\n\nThe possible grades with their scores: ${scored.join(', ')}. The criterion is ` +
        'fulfilled by a grade with a score above 0.';
  return { uses: 'llm_rubric', with: { criteria: `${words}${passing}` } };
}
