import type { FilePart, MessagePart } from '../../types/media.ts';
import type { Metric } from '../../types/metric.ts';
import type { Message } from '../../types/model.ts';
import type {
  CodeLanguage,
  CodePlace,
  CodeValues,
  Json,
  Place,
  Scalar,
} from '../../types/plain.ts';
import type { Script } from '../../types/script.ts';
import type { SuiteGate } from './gate-settings.ts';
import type { OwnSuite } from './own-suite.ts';

export type MadePrompt = { ok: true; messages: Message[] } | { ok: false; why: string };

export type FileTemplate = Pick<FilePart, 'type' | 'path'>;

export type PromptPart = MessagePart | FileTemplate;

export interface PromptMessage extends Omit<Message, 'parts'> {
  parts?: PromptPart[];
  place: Place;
  /** The source in another tool's template language. If absent, it equals `content`. */
  written?: string;
}

export interface Prompt {
  file: string;
  name: string;
  /** Null only for a prompt that computes its output with `code`. */
  model: string | null;
  /** All other scalars of the file, which are sent to the vendor unchanged. */
  parameters: Record<string, Json>;
  variables: { name: string; place: Place }[];
  messages: PromptMessage[];
  /** Prompts rendered while the file was read, by the canonical JSON of their input. */
  made?: ReadonlyMap<string, MadePrompt>;
  code: { source: string; language: CodeLanguage; at?: CodePlace; place: Place } | null;
  /** Where each top-level key is set: in this file or in its defaults. */
  places: Readonly<Record<string, Place>>;
}

export function keyPlace({ file, places }: Pick<Prompt, 'file' | 'places'>, key: string): Place {
  return places[key] ?? { file, line: 0 };
}

export type Rollup =
  | { kind: 'named'; policy: 'all' | 'any' | 'majority' }
  | { kind: 'at_least'; k: number }
  | { kind: 'pass_rate'; min: number }
  | {
      kind: 'code';
      name: string;
      language: CodeLanguage;
      code: string;
      at?: CodePlace;
      place: Place;
    };

/** Maps parts of a reference to columns of a table or keys of a row. */
export interface Columns {
  id?: string | undefined;
  expected?: string | undefined;
  tags?: string | undefined;
  skip?: string | undefined;
  cluster?: string | undefined;
  input?: string | Record<string, string> | undefined;
}

export interface Reference {
  /** The id in the file, or a hash of the input. */
  id: string;
  place: Place;
  /** If a number or boolean is written differently from JSON (`12.50`), its text is kept. */
  input: Record<string, Scalar>;
  /** Files whose text is the value of a variable, by the variable's name. */
  inputFiles?: Readonly<Record<string, string>>;
  /** Files that the prompt includes with this input, by `type path`. */
  shown?: Readonly<Record<string, FilePart>>;
  /** If absent, rows have evaldiff's own format. */
  columns?: Columns;
  thread: Message[] | null;
  after?: Message[];
  expected: Json | undefined;
  /** Parsed values, where `input` or `expected` keeps them as text. */
  values?: CodeValues;
  skip: boolean;
  tags: string[];
  n_tries: number | null;
  metadata?: Record<string, Json>;
  script?: Script;
  /** References of one cluster, such as templates of one text, vary together. */
  cluster?: string;
  metrics?: Metric[];
  /** The reference is on the base branch's tip but not on head. */
  ofTip?: true;
  /** Why this reference cannot run. */
  problem: string | null;
  problemAt?: Place;
}

export interface Tests {
  file: string;
  /** The tool that the file's format belongs to, such as `promptfoo`. */
  tool?: string;
  n_tries: number | 'adaptive' | null;
  skip: boolean;
  metrics: Metric[];
  rollup: Rollup;
  references: Reference[];
  /** Data files (line 0) and lists (with their line) that contain no reference. */
  empty?: Place[];
  /** Set if a feature, such as dialogues, controls the suite. */
  own: OwnSuite | null;
  quarantine: { id: string; reason: string; until: string; place: Place }[];
  gate?: SuiteGate;
  gatePlace?: Place;
}

export interface Suite {
  prompt: Prompt;
  tests: Tests;
}
