import type { FilePart } from '../../types/media.ts';
import { type Target, takesOverlay, targetIdentity } from '../../types/model.ts';
import type { Json, Place } from '../../types/plain.ts';
import type { Because } from '../result/suite-result.ts';
import { canonicalJson } from '../suite/canonical-json.ts';

import { keyPlace, type Prompt } from '../suite/suite.ts';
import type { SuiteSide } from './affected-suite.ts';
import { changedKeys } from './scoring.ts';

export function promptChanges(base: SuiteSide, head: SuiteSide): Because[] {
  const keys = new Set(changedKeys(promptParts(base), promptParts(head), (part) => part));
  // Unchanged prompt code may give other messages, because a file that it imports changed.
  for (const [input, made] of head.suite.prompt.made ?? []) {
    const other = base.suite.prompt.made?.get(input);
    if (other !== undefined && JSON.stringify(other) !== JSON.stringify(made)) keys.add('messages');
  }
  return [
    ...[...keys].map((key) => ({ key, file: fileOf(key, base, head) })),
    ...targetChanges(base, head),
  ];
}

function fileOf(key: string, base: SuiteSide, head: SuiteSide): string {
  const { prompt } = head.suite;
  if (key === 'messages') return messagesFile(base.suite.prompt, prompt);
  return key === 'code' ? (prompt.code?.place.file ?? prompt.file) : changedFile(base, head, key);
}

function targetChanges(
  { variant: base }: SuiteSide,
  { suite, variant, scoring }: SuiteSide,
): Because[] {
  const before = base.target;
  const after = variant.target;
  if (base.model !== variant.model || before === null || after === null) return [];
  if (canonicalJson(targetIdentity(before)) === canonicalJson(targetIdentity(after))) return [];
  const sources = changedSources(before, after);
  const isAgent = takesOverlay(after);
  if (sources.length === 0)
    return isAgent
      ? [{ key: 'agent', file: suite.prompt.file }]
      : [{ key: `models.${variant.model ?? ''}`, file: scoring.settingsFile }];
  const key = isAgent ? 'workspace' : `models.${variant.model ?? ''}`;
  return sources.map((file) => ({ key, file }));
}

/**
 * Where the model or parameter is set: in the prompt, or in the settings if a variant changes it.
 */
export function partPlace(
  { suite: { prompt }, variant, scoring }: SuiteSide,
  key: string,
): Place | null {
  const valueIn = ({ model, parameters }: Pick<Prompt, 'model' | 'parameters'>): Json =>
    key === 'model' ? model : (parameters[key] ?? null);
  const value = valueIn(variant);
  if (value === null) return null;
  const isWritten = canonicalJson(value) === canonicalJson(valueIn(prompt));
  return isWritten ? keyPlace(prompt, key) : { file: scoring.settingsFile, line: 0 };
}

export function changedFile(base: SuiteSide, head: SuiteSide, key: string): string {
  const { file } = head.suite.prompt;
  const before = partPlace(base, key);
  const after = partPlace(head, key);
  if (before?.file === base.scoring.settingsFile) return before.file;
  if (after?.file === head.scoring.settingsFile) return after.file;
  if (before !== null && after !== null) return before.file === after.file ? after.file : file;
  const [own, other] = after === null ? [before, head] : [after, base];
  const known = Object.values(other.suite.prompt.places);
  return known.find((place) => place.file === own?.file)?.file ?? file;
}

function messagesFile({ messages: before }: Prompt, { messages: after, file }: Prompt): string {
  const shown = new Map(commonFiles(before).map(({ path, id }) => [path, id]));
  const replaced = commonFiles(after).find(({ path, id }) => id !== (shown.get(path) ?? id));
  if (replaced !== undefined) return replaced.path;
  const changed = after.find(
    ({ role, content }, index) =>
      role !== before[index]?.role || content !== before[index]?.content,
  );
  return changed?.place.file ?? after.at(-1)?.place.file ?? file;
}

function commonFiles(messages: Prompt['messages']): FilePart[] {
  return messages.flatMap(({ parts = [] }) =>
    parts.filter((part): part is FilePart => part.type !== 'text' && 'id' in part),
  );
}

function promptParts({ suite: { prompt }, variant }: SuiteSide): Map<string, string> {
  const { code, messages } = prompt;
  const text = {
    messages: messages.map(({ role, content }) => [role, content]),
    ...(code !== null && { code: [code.language, code.source] }),
  };
  const parts = { model: variant.model ?? '', ...variant.parameters, ...text };
  return new Map(Object.entries(parts).map(([key, value]) => [key, canonicalJson(value)]));
}

const MAX_PROGRAM_FILES = 10;

/** Changed files of a program or a recording. Empty if the settings of the two models differ. */
export function changedSources(base: Target, head: Target): string[] {
  if (base.provider === 'replay' && head.provider === 'replay')
    return base.file === head.file ? [head.file] : [];
  if (base.provider !== 'program' || head.provider !== 'program') return [];
  const isSame =
    canonicalJson([base.command, base.setup]) === canonicalJson([head.command, head.setup]);
  const before = base.ids ?? new Map<string, string>();
  const after = [...(head.ids ?? new Map<string, string>())];
  return isSame
    ? after
        .filter(([path, id]) => before.get(path) !== id)
        .map(([path]) => path)
        .slice(0, MAX_PROGRAM_FILES)
    : [];
}
