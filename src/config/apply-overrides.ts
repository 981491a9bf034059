import { rowDocument } from '../documents/dataset.ts';
import { derivedDocument, type Document } from '../documents/document.ts';
import { problem } from '../errors.ts';
import type { OwnSettings } from '../project/settings.ts';
import { isMap, type Json, type JsonMap, type Problem } from '../types/plain.ts';
import { readOverrides, type Overrides } from './overrides.ts';
import { readSettings } from './settings.ts';

export function checkedOverrides(
  lines: readonly string[],
  own: readonly OwnSettings[],
): { overrides: Overrides; problems: Problem[] } {
  const { overrides, problems } = readOverrides(lines, own);
  // Which parameters a grader may have depends on its model, which the settings file may name.
  const settings = overrides.settings.filter(({ path }) => path[0] !== 'grader');
  readOverridden(rowDocument({ file: '', line: 0 }, {}), { settings }, own, problems);
  return { overrides, problems };
}

/** The file of settings that overrides set. */
const OVERRIDES = 'overrides';

type SettingOverride = Overrides['settings'][number];

export function readOverridden(
  document: Document,
  { settings }: Pick<Overrides, 'settings'>,
  own: readonly OwnSettings[],
  problems: Problem[],
): ReturnType<typeof readSettings> {
  const found: Problem[] = [];
  const read = readSettings(overriddenDocument(document, settings), own, found);
  for (const each of found) {
    const line = settings.find(({ path }) => each.message.startsWith(path.join('.')))?.line ?? '';
    const isOverridden = each.place?.file === OVERRIDES;
    problems.push(
      isOverridden ? problem(null, `overrides: ${line.slice(0, 200)}: ${each.message}`) : each,
    );
  }
  return read;
}

function overriddenDocument(document: Document, settings: readonly SettingOverride[]): Document {
  if (!isMap(document.value)) return document;
  const value = settings.reduce(withSetting, document.value);
  const overrides = rowDocument({ file: OVERRIDES, line: 0 }, value);
  return derivedDocument(document.file, value, (path) => {
    const isOverridden = settings.some((each) => each.path.every((key, at) => path[at] === key));
    return [isOverridden ? overrides : document, path];
  });
}

function withSetting(settings: JsonMap, { path: [key = '', member], value }: SettingOverride) {
  const before = settings[key];
  if (key === 'grader')
    return { ...settings, grader: withGraderSetting(before ?? {}, member, value) };
  const whole = key === 'gate' && typeof before === 'string' ? { preset: before } : before;
  const set = member === undefined ? value : { ...(isMap(whole) && whole), [member]: value };
  return { ...settings, ...(key === 'transport' && withoutTransports(settings)), [key]: set };
}

/** The key `model` replaces all graders by one. Other keys apply to each grader. */
function withGraderSetting(written: Json, member = '', value: Json): Json {
  const set = (grader: Json | undefined) => ({
    ...(isMap(grader) ? grader : grader !== undefined && { model: grader }),
    [member]: value,
  });
  if (!Array.isArray(written)) return set(written);
  return member === 'model' ? set(written[0]) : written.map(set);
}

function withoutTransports({ models }: JsonMap): JsonMap {
  if (!isMap(models)) return {};
  const entries = Object.entries(models).map(([name, model]): [string, Json] => {
    if (!isMap(model)) return [name, model];
    const { transport: _, ...others } = model;
    return [name, others];
  });
  return { models: Object.fromEntries(entries) };
}
