import type { UnreadFormat } from '../../config/formats.ts';
import { isMap, jsonText } from '../../types/plain.ts';

/** In the order of the table in docs/migrate.md. */
export const UNREAD_FORMATS: Readonly<Record<string, UnreadFormat>> = {
  Prompty: {
    path: /\.prompty$/,
    instead:
      'its system: and user: parts are messages, model.parameters keys of the prompt file, ' +
      '{{name}} is {name}; sample and JSONL rows are references (references_from)',
  },
  dotprompt: {
    path: /\.prompt$/,
    instead:
      'its {{role "…"}} parts are messages, config keys of the prompt file, {{name}} is ' +
      '{name}; examples are references',
  },
  BAML: {
    path: /\.baml$/,
    instead:
      "a function's prompt is messages with {name} for {{ name }}, its client the model; a " +
      "test's args are the input of a reference, its asserts are metrics",
  },
  'Semantic Kernel': {
    path: /(?:^|\/)skprompt\.txt$/,
    holds: (value) =>
      ['execution_settings', 'template_format', 'completion'].some((key) => key in value) &&
      ['template', 'input_variables', 'schema'].some((key) => key in value),
    instead:
      'its template is messages with {name} for {{$name}}, input_variables are variables, ' +
      'execution_settings keys of the prompt file',
  },
  LangChain: {
    holds: (value) => typeof value['_type'] === 'string' || 'lc' in value,
    instead: 'its template is messages ({name} stays {name}), input_variables are variables',
  },
  'OpenAI evals': {
    holds: (value) =>
      Object.values(value).some(
        (entry) => isMap(entry) && /^evals[.:]/.test(jsonText(entry['class'] ?? null)),
      ),
    instead:
      'a row of samples_jsonl is a reference (references_from), ideal its expected, and ' +
      'Match, Includes or a model-graded class a metric (exact_match, contains, llm_rubric)',
  },
  Rasa: {
    holds: (value) => ['nlu', 'stories', 'rules'].some((key) => Array.isArray(value[key])),
    instead:
      'an example of an intent is a reference, its intent the expected, exact_match a metric',
  },
  Botium: {
    path: /\.(?:convo|utterances)\.txt$/,
    instead:
      'a #me line is the input of a reference, a #bot line its expected; contains is a metric',
  },
};
