import type { UnreadFormat } from '../../config/formats.ts';
import { isMap, jsonText, type Json } from '../../types/plain.ts';

const AGENT_SUITE = 'a suite for an agent (evals/NAME.yaml with agent, docs/agents.md)';

const isListOf = (value: Json | undefined, keys: readonly string[]): boolean =>
  Array.isArray(value) && value.some((row) => isMap(row) && keys.some((key) => key in row));

/** In the order of the table in docs/migrate.md. */
export const UNREAD_FORMATS: Readonly<Record<string, UnreadFormat>> = {
  Prompty: {
    path: /\.prompty$/,
    instead:
      'write its system: and user: parts as messages, model.parameters as keys of the prompt file, ' +
      'and {{name}} as {name}; sample and JSONL rows become references (references_from)',
  },
  dotprompt: {
    path: /\.prompt$/,
    instead:
      'write its {{role "…"}} parts as messages, config as keys of the prompt file, and {{name}} ' +
      'as {name}; examples become references',
  },
  BAML: {
    path: /\.baml$/,
    instead:
      "write a function's prompt as messages, {{ name }} as {name}, and its client as the model; a " +
      'test becomes a reference, with its args as the input, and its asserts become metrics',
  },
  'Semantic Kernel': {
    path: /(?:^|\/)skprompt\.txt$/,
    holds: (value) =>
      ['execution_settings', 'template_format', 'completion'].some((key) => key in value) &&
      ['template', 'input_variables', 'schema'].some((key) => key in value),
    instead:
      'write its template as messages, {{$name}} as {name}, input_variables as variables, and ' +
      'execution_settings as keys of the prompt file',
  },
  LangChain: {
    holds: (value) => typeof value['_type'] === 'string' || 'lc' in value,
    instead:
      'write its template as messages ({name} stays {name}), and input_variables as variables',
  },
  'OpenAI evals': {
    holds: (value) =>
      Object.values(value).some(
        (entry) => isMap(entry) && /^evals[.:]/.test(jsonText(entry['class'] ?? null)),
      ),
    instead:
      'a row of samples_jsonl becomes a reference (references_from) with ideal as expected; ' +
      'Match, Includes or a model-graded class becomes exact_match, contains or llm_rubric',
  },
  Rasa: {
    holds: (value) => ['nlu', 'stories', 'rules'].some((key) => Array.isArray(value[key])),
    instead:
      'write each example of an intent as a reference with the intent as expected; use exact_match',
  },
  Botium: {
    path: /\.(?:convo|utterances)\.txt$/,
    instead:
      'write a #me line as the input of a reference, and the #bot line as expected; use contains',
  },
  skillgrade: {
    holds: ({ tasks }) => isListOf(tasks, ['instruction', 'graders']),
    as: AGENT_SUITE,
    instead:
      "write a task's instruction as task, its workspace as files, a deterministic grader as the " +
      'metric runs, and an llm_rubric as llm_rubric; trials is n_tries',
  },
  Vally: {
    holds: ({ stimuli }) => isListOf(stimuli, ['prompt', 'graders']),
    as: AGENT_SUITE,
    instead:
      "write a stimulus's prompt as task, its files as files, and graders as metrics: files, " +
      'runs, steps, skill_used or llm_rubric; config.runs is n_tries',
  },
  Harbor: {
    holds: (value) =>
      'verifier' in value && ['task', 'agent', 'environment'].some((key) => key in value),
    as: AGENT_SUITE,
    instead:
      'write instruction.md as task, tests/test.sh as the metric runs with its folder under hide, ' +
      'the Dockerfile as workspace.setup, and timeout_sec as limits.minutes',
  },
};
