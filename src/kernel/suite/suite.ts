import type { FilePart, MessagePart } from '../../types/media.ts';
import type { Metric } from '../../types/metric.ts';
import type { Message, PromptText } from '../../types/model.ts';
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

export type MadePrompt = { ok: true; messages: PromptText[] } | { ok: false; why: string };

export type FileTemplate = Pick<FilePart, 'type' | 'path'>;

export type PromptPart = MessagePart | FileTemplate;

export interface PromptMessage extends Omit<PromptText, 'parts'> {
  parts?: PromptPart[];
  place: Place;
  /** The text in another tool's template syntax. If absent, it equals `content`. */
  written?: string;
}

export interface Prompt {
  file: string;
  name: string;
  /** Null only if `code` computes the prompt's output. */
  model: string | null;
  /** The file's other values, which are sent to the vendor unchanged. */
  parameters: Record<string, Json>;
  variables: { name: string; place: Place }[];
  messages: PromptMessage[];
  /** Prompts that code rendered while the file was read. Keyed by the input's canonical JSON. */
  made?: ReadonlyMap<string, MadePrompt>;
  code: { source: string; language: CodeLanguage; at?: CodePlace; place: Place } | null;
  /** Where each top-level key is set: in this file or in one of its `defaults`. */
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

/** The columns (or keys of a row) that contain the parts of a reference. */
export interface Columns {
  id?: string | undefined;
  expected?: string | undefined;
  tags?: string | undefined;
  skip?: string | undefined;
  cluster?: string | undefined;
  input?: string | Record<string, string> | undefined;
}

export interface Reference {
  /** From the file, or a hash of the input. */
  id: string;
  place: Place;
  /** A number or boolean that is not written as in JSON (`12.50`) is kept as text. */
  input: Record<string, Scalar>;
  /** Maps a variable to the file whose text is its value. */
  inputFiles?: Readonly<Record<string, string>>;
  /** Files that the prompt includes with this input. Keyed by `type path`. */
  shown?: Readonly<Record<string, FilePart>>;
  /** If absent, the row has evaldiff's own format. */
  columns?: Columns;
  thread: Message[] | null;
  after?: Message[];
  expected: Json | undefined;
  /** Parsed values, if `input` or `expected` contains their text. */
  values?: CodeValues;
  skip: boolean;
  tags: string[];
  n_tries: number | null;
  metadata?: Record<string, Json>;
  script?: Script;
  /** References of a cluster, such as those from one template, tend to pass and fail together. */
  cluster?: string;
  metrics?: Metric[];
  /** Set if the reference was added to the base branch after the pull request began. */
  ofTip?: true;
  problem: string | null;
  problemAt?: Place;
}

export interface Tests {
  file: string;
  /** The tool whose format the file has, such as `promptfoo`. */
  tool?: string;
  n_tries: number | 'adaptive' | null;
  skip: boolean;
  metrics: Metric[];
  rollup: Rollup;
  references: Reference[];
  /** Data files (line 0) and lists (their line) without any reference. */
  empty?: Place[];
  /** Set if a feature, such as dialogues, produces the suite's answers. */
  own: OwnSuite | null;
  quarantine: { id: string; reason: string; until: string; place: Place }[];
  gate?: SuiteGate;
  gatePlace?: Place;
}

export interface Suite {
  prompt: Prompt;
  tests: Tests;
}
