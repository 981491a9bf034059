import type { Document } from '../documents/document.ts';
import type { Files } from '../documents/files.ts';
import type { MadePrompt } from '../kernel/suite/suite.ts';
import type { BuiltInMetrics } from '../metrics/definition.ts';
import type { ModelSettings, Settings } from '../project/settings.ts';
import { isMap, type JsonMap, type Notice, type Place, type Problem } from '../types/plain.ts';
import type { CodeHost, HostSettings } from './host-call.ts';
import { isPrompt } from './prompt.ts';

export interface ForeignFile {
  prompts: ForeignSuite[];
  models: Record<string, JsonMap>;
  programs?: ReadonlyMap<string, ModelSettings>;
  metrics?: BuiltInMetrics;
  grader: { model: string; place: Place } | null;
  rubrics?: { file: string; place: Place }[];
  notices: Notice[];
  tasks?: { document: Document; notices: Notice[] };
}

export interface ForeignSuite {
  document: Document;
  /** The messages before conversion, if they use another template syntax. */
  written?: readonly string[] | undefined;
  made?: MadePrompt[];
}

export interface FormatTools {
  files: Files;
  hasGrader: boolean;
  settings: Settings;
  builtIns: BuiltInMetrics;
  code: CodeHost;
  host: HostSettings;
}

interface Recognition {
  path: RegExp;
  holds(value: JsonMap, file: string): boolean;
}

export interface ReadFormat<File extends ForeignFile = ForeignFile> extends Recognition {
  places: readonly string[];
  read(document: Document, tools: FormatTools, problems: Problem[]): Promise<File>;
  /** Converts a test file of another format (`tasks`). Null unless the settings ask for this. */
  takes?(tasks: Document, settings: Settings): Document | null;
}

/**
 * A format that evaldiff recognises but cannot read. `instead` says what to write, and `as` into
 * what kind of file. `holds` gets only the names of a TOML file's tables.
 */
export interface UnreadFormat extends Partial<Recognition> {
  instead: string;
  as?: string;
}

type FileFormat = ReadFormat | UnreadFormat;

export type Formats<F extends FileFormat = FileFormat> = Readonly<Record<string, F>>;

export type NamedFormat<F> = F & { name: string };

export function formatByPath<F extends FileFormat>(
  file: string,
  formats: Formats<F>,
): NamedFormat<F> | null {
  for (const [name, format] of Object.entries(formats))
    if (format.path?.test(file) === true) return { name, ...format };
  return null;
}

export function isForeignPath(file: string, formats: Formats): boolean {
  const format = formatByPath(file, formats);
  return format !== null && 'read' in format;
}

export async function detectFormat<F extends FileFormat>(
  file: string,
  files: Files,
  formats: Formats<F>,
): Promise<NamedFormat<F> | null> {
  const named = formatByPath(file, formats);
  if (named !== null || !/\.(?:ya?ml|json|toml)$/.test(file)) return named;
  const isToml = file.endsWith('.toml');
  const value = isToml ? await tomlTables(file, files) : (await files.document(file, []))?.value;
  if (value === undefined || !isMap(value)) return null;
  for (const [name, format] of Object.entries(formats))
    if (format.holds?.(value, file) === true && ('read' in format ? !isToml : !isOwnPrompt(value)))
      return { name, ...format };
  return null;
}

function isOwnPrompt(value: JsonMap): boolean {
  return isPrompt(value) || Array.isArray(value['defaults']);
}

async function tomlTables(file: string, files: Files): Promise<JsonMap> {
  const found = await files.data(file, null, []);
  const text = new TextDecoder().decode(found?.content);
  return Object.fromEntries(
    [...text.matchAll(/^\[+([\w-]+)/gm)].map(([, name = '']) => [name, {}]),
  );
}

export function unreadMessage({
  name,
  instead,
  as = 'a prompt file',
}: NamedFormat<UnreadFormat>): string {
  return `is a file of ${name}, which evaldiff cannot read. Write ${as} instead: ${instead}`;
}

export function placesOf(formats: Formats): string[] {
  return Object.values(formats).flatMap((format) => ('places' in format ? format.places : []));
}
