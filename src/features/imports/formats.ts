import type { Formats, ReadFormat, UnreadFormat } from '../../config/formats.ts';
import { isMap, jsonText, type Json, type JsonMap } from '../../types/plain.ts';
import type { ImportedFile } from './carried.ts';
import { isFlexEval } from './flexeval/is-flexeval.ts';
import type { Imported } from './shared/draft.ts';

type FormatReader = (...given: Parameters<ReadFormat['read']>) => Imported | Promise<Imported>;

function lazyReader(load: () => Promise<FormatReader>): ReadFormat<ImportedFile>['read'] {
  return async (...given) => {
    const [read, { asForeignFile }] = await Promise.all([load(), import('./carried.ts')]);
    return asForeignFile(given[0].file, await read(...given));
  };
}

const countKeys = (keys: string, value: JsonMap): number =>
  keys.split(' ').filter((key) => Object.hasOwn(value, key)).length;

/** Whether a file has at least one key of each group. */
const hasKeys =
  (...groups: string[]) =>
  (value: JsonMap): boolean =>
    groups.every((keys) => countKeys(keys, value) > 0);

const isListOf = (value: Json | undefined, keys: string): boolean =>
  Array.isArray(value) && value.some((row) => isMap(row) && countKeys(keys, row) > 0);

/** A promptfoo file has at least two of these keys, an evaldiff file at most one. */
const PROMPTFOO = 'prompts providers targets tests defaultTest scenarios';

const PROMPT_YML = 'testData evaluators modelParameters responseFormat jsonSchema';

const OUR_PROMPT_KEYS = 'variables defaults tests';

export const READ_FORMATS = {
  promptfoo: {
    places: ['{promptfooconfig,evals/promptfooconfig}.{yaml,yml}'],
    path: /(?:^|\/)promptfoo(?:config)?\.(?:ya?ml|json)$/,
    holds: (value) => countKeys(PROMPTFOO, value) > 1 && !isFlexEval(value),
    read: lazyReader(async () => (await import('./promptfoo/promptfoo.ts')).importPromptfoo),
  },
  'prompt-yml': {
    places: ['**/*{.,_}prompt.{yml,yaml}', '.github/**/*{.,_}prompt.{yml,yaml}'],
    path: /\.prompt\.ya?ml$/,
    holds: (value, file) =>
      Array.isArray(value['messages']) &&
      countKeys(OUR_PROMPT_KEYS, value) === 0 &&
      (countKeys(PROMPT_YML, value) > 0 || /_prompt\.ya?ml$/.test(file)),
    read: lazyReader(async () => (await import('./prompt-yml/prompt-yml.ts')).importPromptYml),
  },
  'agent-skills': {
    places: ['**/evals/evals.json', '.claude/skills/**/evals/evals.json'],
    path: /(?:^|\/)evals\/evals\.json$/,
    holds: (value) =>
      'skill_name' in value && ['evals', 'cases'].some((key) => Array.isArray(value[key])),
    read: lazyReader(async () => (await import('./agent-skills/agent-skills.ts')).importAgentSkill),
  },
  flexeval: {
    places: ['flexeval.{yaml,yml}', '**/*.flexeval.{yaml,yml}'],
    path: /(?:^|[./])flexeval\.ya?ml$/,
    holds: isFlexEval,
    read: lazyReader(async () => (await import('./flexeval/flexeval.ts')).importFlexEval),
  },
} satisfies Record<string, ReadFormat<ImportedFile>>;

const AGENT_SUITE = 'a suite for an agent (evals/NAME.yaml with agent, docs/agents.md)';

/** docs/migrate.md prints `instead`. */
const UNREAD_FORMATS: Readonly<Record<string, UnreadFormat>> = {
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
    holds: hasKeys(
      'execution_settings template_format completion',
      'template input_variables schema',
    ),
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
    holds: ({ tasks }) => isListOf(tasks, 'instruction graders'),
    as: AGENT_SUITE,
    instead:
      "write a task's instruction as task, its workspace as files, a deterministic grader as the " +
      'metric runs, and an llm_rubric as llm_rubric; trials is n_tries',
  },
  Vally: {
    holds: ({ stimuli }) => isListOf(stimuli, 'prompt graders'),
    as: AGENT_SUITE,
    instead:
      "write a stimulus's prompt as task, its files as files, and graders as metrics: files, " +
      'runs, steps, skill_used or llm_rubric; config.runs is n_tries',
  },
  Harbor: {
    holds: hasKeys('verifier', 'task agent environment'),
    as: AGENT_SUITE,
    instead:
      'write instruction.md as task, tests/test.sh as the metric runs with its folder under hide, ' +
      'the Dockerfile as workspace.setup, and timeout_sec as limits.minutes',
  },
};

export type ImportFormat = keyof typeof READ_FORMATS;

export const IMPORT_FORMATS: Formats<ReadFormat<ImportedFile> | UnreadFormat> = {
  ...READ_FORMATS,
  ...UNREAD_FORMATS,
};
