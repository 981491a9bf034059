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

/** A file whose path has variables. Each reference fills in its own. */
export type FileTemplate = Pick<FilePart, 'type' | 'path'>;

export type PromptPart = MessagePart | FileTemplate;

export interface PromptMessage extends Omit<Message, 'parts'> {
  parts?: PromptPart[];
  place: Place;
  /** The source in another tool's template language; absent: same as `content`. */
  written?: string;
}

export interface Prompt {
  file: string;
  name: string;
  /** As written; null only for a prompt that computes its output with `code`. */
  model: string | null;
  /** All other scalars of the file, sent to the vendor unchanged. */
  parameters: Record<string, Json>;
  variables: { name: string; place: Place }[];
  messages: PromptMessage[];
  /**
   * Prompts rendered while the file was read, keyed by the canonical JSON of their input. Absent:
   * rendered later.
   */
  made?: ReadonlyMap<string, MadePrompt>;
  code: { source: string; language: CodeLanguage; at?: CodePlace; place: Place } | null;
  /** Where each top-level key is set: in this file or in its defaults. */
  places: Readonly<Record<string, Place>>;
}

/** Where a key of a prompt is set; else the file as a whole. */
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

/** Maps parts of a reference to columns or members. `input` may map each variable. */
export interface Columns {
  id?: string | undefined;
  expected?: string | undefined;
  tags?: string | undefined;
  skip?: string | undefined;
  cluster?: string | undefined;
  input?: string | Record<string, string> | undefined;
}

export interface Reference {
  /** From the file, or a hash of the input; unique in its suite. */
  id: string;
  place: Place;
  /** Numbers and booleans whose text differs from JSON's are kept as text (`12.50`). */
  input: Record<string, Scalar>;
  /** Files whose text is a value, by the value's name. */
  inputFiles?: Readonly<Record<string, string>>;
  /** Files that the prompt includes with this input, by `type path`. */
  shown?: Readonly<Record<string, FilePart>>;
  /** How to read a row of a data file; absent: our own format. */
  columns?: Columns;
  /** A recorded dialogue's messages; null for ordinary references. */
  thread: Message[] | null;
  after?: Message[];
  expected: Json | undefined;
  /** Parsed values of the texts in `input` and `expected` that were kept as text. */
  values?: CodeValues;
  skip: boolean;
  tags: string[];
  n_tries: number | null;
  metadata?: Record<string, Json>;
  script?: Script;
  /** References of one cluster vary together (such as templates of one text); absent: alone. */
  cluster?: string;
  metrics?: Metric[];
  /** It is on the base branch's tip but not on head. */
  ofTip?: true;
  /** Why this reference cannot run, such as a variable without a value. It is then an `error`. */
  problem: string | null;
  problemAt?: Place;
}

export interface Tests {
  file: string;
  /** The tool whose format the file has, such as `promptfoo`; absent: evaldiff. */
  tool?: string;
  n_tries: number | 'adaptive' | null;
  skip: boolean;
  metrics: Metric[];
  rollup: Rollup;
  references: Reference[];
  /** Data files (line 0) and lists (their line) without a reference. */
  empty?: Place[];
  /** Null: single answers, judged by metrics alone. */
  own: OwnSuite | null;
  quarantine: { id: string; reason: string; until: string; place: Place }[];
  gate?: SuiteGate;
  gatePlace?: Place;
}

export interface Suite {
  prompt: Prompt;
  tests: Tests;
}
