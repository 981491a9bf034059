import { filledText, isMap, type JsonMap, ownEntry } from '../../../types/plain.ts';
import { isScalar, type Imported } from '../shared/draft.ts';
import { publishedModel } from '../shared/models.ts';
import { refuse, type Node } from '../shared/node.ts';

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

export function evaluatorName({ map }: Node): string {
  return filledText(map['name']) ?? 'evaluator';
}

/** The first judge becomes the grader unless one is set. The others are set on their metrics. */
export function convertEvaluator(evaluator: Node, imported: Imported): JsonMap {
  if (!isMap(evaluator.value)) return refuse('it is not a map');
  const judge = evaluator.at('llm');
  const metric = metricOf(evaluator.map);
  const otherwise = 'it is not part of the format';
  const what = (key: string) => `${key} of the evaluator ${evaluatorName(evaluator)}`;
  evaluator.loseUnread({ read: 'name description string llm uses', otherwise, what });
  judge.loseUnread({ read: 'modelId prompt systemPrompt choices', otherwise, what });
  const { modelId } = judge.map;
  if (!isScalar(modelId)) return metric;
  const model = publishedModel(modelId);
  imported.grader ??= { model, place: evaluator.place };
  return model === imported.grader.model ? metric : { ...metric, grader: { model } };
}

function metricOf({ string, llm, uses }: JsonMap): JsonMap {
  if (isMap(string)) return convertString(string);
  if (isMap(llm)) return convertJudge(llm);
  if (typeof uses !== 'string') return refuse('it has neither string, llm nor uses');
  return ownEntry(NEAREST, uses.replace(/^github\//, '')) ?? refuse(`${uses} is unknown`);
}

function convertString(string: JsonMap): JsonMap {
  const [[kind, value] = ['', null], ...more] = Object.entries(string);
  const metric = ownEntry(COMPARISONS, kind);
  if (metric === undefined || more.length > 0)
    return refuse('a string evaluator must be equals, contains, startsWith or endsWith');
  return isScalar(value)
    ? { uses: metric, with: { value: String(value), ignore_case: true } }
    : refuse('its value is not text');
}

/** The judge chooses from a list. A choice with a score above 0 passes. */
function convertJudge({ prompt, choices, systemPrompt }: JsonMap): JsonMap {
  if (typeof prompt !== 'string') return refuse('its judge has no prompt');
  const scored = (Array.isArray(choices) ? choices : [])
    .map((choice) => (isMap(choice) ? choice : {}))
    .filter(({ choice, score }) => isScalar(choice) && typeof score === 'number')
    .map(({ choice, score }) => `${String(choice)} (${String(score)})`);
  // evaldiff's grader prompt already contains the answer.
  const question = prompt.replace(/\{\{\s*(?:completion|output)\s*\}\}/g, '(the answer)');
  const grades =
    scored.length === 0
      ? null
      : `The possible grades with their scores: ${scored.join(', ')}. The criterion is ` +
        'fulfilled by a grade with a score above 0.';
  const words = [systemPrompt, question, grades].filter((text) => filledText(text ?? null));
  return { uses: 'llm_rubric', with: { criteria: words.join('\n\n') } };
}
