import type { Formats, ReadFormat, UnreadFormat } from '../../config/formats.ts';
import { isMap, type Json, type JsonMap } from '../../types/plain.ts';
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

const PROMPT_FORMAT =
  'write its messages as messages, {{name}} as {name}, its model parameters as keys of the prompt ' +
  'file, and its rows or tests as references (references_from)';

const AGENT_FORMAT = {
  as: 'a suite for an agent (evals/NAME.yaml with agent, docs/agents.md)',
  instead:
    "write each task's instruction as task, its workspace as files, its graders as metrics (files, " +
    'runs, steps, skill_used or llm_rubric), and its number of trials as n_tries',
};

/** docs/migrate.md prints `instead`. */
const UNREAD_FORMATS: Readonly<Record<string, UnreadFormat>> = {
  Prompty: { path: /\.prompty$/, instead: PROMPT_FORMAT },
  dotprompt: { path: /\.prompt$/, instead: PROMPT_FORMAT },
  BAML: { path: /\.baml$/, instead: PROMPT_FORMAT },
  'Semantic Kernel': { path: /(?:^|\/)skprompt\.txt$/, instead: PROMPT_FORMAT },
  LangChain: {
    holds: (value) => typeof value['_type'] === 'string' || 'lc' in value,
    instead: PROMPT_FORMAT,
  },
  "OpenAI's hosted Evals": {
    holds: (value) => Array.isArray(value['testing_criteria']),
    instead:
      'export a run of the eval as a promptfoo configuration, or import its rows and write each ' +
      'grader as a metric',
  },
  skillgrade: { holds: ({ tasks }) => isListOf(tasks, 'instruction graders'), ...AGENT_FORMAT },
  Vally: { holds: ({ stimuli }) => isListOf(stimuli, 'prompt graders'), ...AGENT_FORMAT },
  Harbor: {
    holds: (value) => 'verifier' in value && countKeys('task agent environment', value) > 0,
    ...AGENT_FORMAT,
  },
};

export const IMPORT_FORMATS: Formats<ReadFormat<ImportedFile> | UnreadFormat> = {
  ...READ_FORMATS,
  ...UNREAD_FORMATS,
};
