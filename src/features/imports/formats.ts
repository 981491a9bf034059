import type { Formats, ReadFormat, UnreadFormat } from '../../config/formats.ts';
import type { JsonMap } from '../../types/plain.ts';
import type { ImportedFile } from './carried.ts';
import { isFlexEval } from './flexeval/is-flexeval.ts';
import type { Imported } from './shared/draft.ts';
import { UNREAD_FORMATS } from './unread-formats.ts';

type FormatReader = (...given: Parameters<ReadFormat['read']>) => Imported | Promise<Imported>;

function lazyReader(load: () => Promise<FormatReader>): ReadFormat<ImportedFile>['read'] {
  return async (...given) => {
    const [read, { asForeignFile }] = await Promise.all([load(), import('./carried.ts')]);
    return asForeignFile(given[0].file, await read(...given));
  };
}

const countKeys = (keys: readonly string[], value: JsonMap): number =>
  keys.filter((key) => Object.hasOwn(value, key)).length;

/** A promptfoo file has at least two of these keys, an evaldiff file at most one. */
const PROMPTFOO = ['prompts', 'providers', 'targets', 'tests', 'defaultTest', 'scenarios'];

const PROMPT_YML = ['testData', 'evaluators', 'modelParameters', 'responseFormat', 'jsonSchema'];

const OUR_PROMPT_KEYS = ['variables', 'defaults', 'tests'];

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

export type ImportFormat = keyof typeof READ_FORMATS;

export const IMPORT_FORMATS: Formats<ReadFormat<ImportedFile> | UnreadFormat> = {
  ...READ_FORMATS,
  ...UNREAD_FORMATS,
};
