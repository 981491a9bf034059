import { shorten } from '../../text/visible.ts';
import type { CodeResult } from '../../types/model.ts';
import {
  isMap,
  type Json,
  parseMap,
  isDeeper,
  type CodeLanguage,
  type CodePlace,
} from '../../types/plain.ts';
import { limits, type CodeOutcome, type Printed } from './link.ts';

export interface Setting {
  language: CodeLanguage;
  mode: 'sandbox' | 'host';
  timeoutSeconds: number;
  outputs: string[];
  /**
   * Position of the code in its file. If absent, messages count lines from the code's first line.
   */
  at?: CodePlace | undefined;
}

const engineName: Record<CodeLanguage, string> = {
  python: 'the Python process',
  javascript: 'the JavaScript engine',
};

const booleans: Record<CodeLanguage, string> = {
  python: 'True or False',
  javascript: 'true or false',
};

export function explainOutcome(outcome: Exclude<CodeOutcome, 'reply'>, setting: Setting): string {
  switch (outcome) {
    case 'timeout':
      return `took longer than ${setting.timeoutSeconds} s and was stopped`;
    case 'memory':
      return `used more than ${limits.memory / 1024 / 1024} MiB`;
    case 'exit':
      return `ended ${engineName[setting.language]}`;
    case 'channel':
      return "wrote to evaldiff's internal channel";
  }
}

/** The reply may be forged, because user code runs in the process that writes it. */
export function readWorkerReply(text: string, setting: Setting): CodeResult | null {
  const reply = parseMap(text);
  if (reply === null) return null;
  if (isMap(reply.values)) return readValues(reply.values, setting);
  if (reply.memory === true) return failure(explainOutcome('memory', setting));
  if (typeof reply.unset === 'string')
    return failure(`did not set ${oneLine(reply.unset)}`, 'code');
  if (typeof reply.unfit === 'string') return failure(oneLine(reply.unfit), 'code');
  if (isMap(reply.raised)) return failure(explainRaised(reply.raised, setting), 'code');
  return null;
}

export function readPrinted(value: unknown): Printed | null {
  return isMap(value) && typeof value.text === 'string'
    ? { text: value.text, cut: value.cut === true }
    : null;
}

export function failure(message: string, cause: 'code' | 'sandbox' = 'sandbox'): CodeResult {
  return { status: 'error', cause, message };
}

export function oneLine(text: string): string {
  const most = 300;
  const flat = text
    .slice(0, most + 1)
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trimEnd()
    .toWellFormed();
  return shorten(flat, most);
}

function readValues(values: { [key: string]: Json }, setting: Setting): CodeResult | null {
  const known = new Set(setting.outputs.map((name) => name.replace(/\?$/, '')));
  if (
    Object.keys(values).some((name) => !known.has(name)) ||
    setting.outputs.some((name) => !name.endsWith('?') && !Object.hasOwn(values, name))
  )
    return null;
  const kept: Record<string, Json> = {};
  for (const name of known) {
    if (!Object.hasOwn(values, name)) continue;
    const value = values[name] ?? null;
    if (name === 'result' && typeof value !== 'boolean')
      return failure(`result must be ${booleans[setting.language]}, not ${typeof value}`, 'code');
    if (isDeeper(value, limits.depth))
      return failure(`${name} is nested deeper than ${limits.depth} levels`, 'code');
    kept[name] = wellFormed(value);
  }
  if (Buffer.byteLength(JSON.stringify(kept)) > limits.reply)
    return failure(`${largestValue(kept)} is larger than ${limits.reply / 1024} KiB`, 'code');
  return { status: 'ok', values: kept };
}

function largestValue(values: Record<string, Json>): string {
  const sizes = Object.entries(values).map(([name, value]) => ({
    name,
    size: JSON.stringify(value).length,
  }));
  return sizes.reduce((most, entry) => (entry.size > most.size ? entry : most)).name;
}

function explainRaised(raised: { [key: string]: Json }, setting: Setting): string {
  const { language, mode } = setting;
  const type = oneLine(typeof raised.type === 'string' ? raised.type : 'Error');
  const message = oneLine(typeof raised.message === 'string' ? raised.message : '');
  const where = `${type}${codePlace(raised.line, setting)}`;
  if (mode === 'sandbox' && language === 'python') {
    if (typeof raised.module === 'string') {
      const remedy =
        raised.shipped === true
          ? 'With this version of Linux, it can be imported only with code: host'
          : 'Packages need code: host';
      return `${setting.at === undefined ? type : where}: ${oneLine(raised.module)}. ${remedy}`;
    }
    if (raised.denied === true)
      return `${where}: metric code cannot use files, the network or programs`;
  }
  return message === '' ? where : `${where}: ${message}`;
}

function codePlace(line: Json | undefined, { at }: Setting): string {
  const known = typeof line === 'number' && line > 0 ? line : null;
  if (at === undefined) return known === null ? '' : ` on line ${known}`;
  const offset = at.linewise && known !== null ? known - 1 : 0;
  return ` at ${at.file}:${at.line + offset}`;
}

/** Lone surrogates are invalid in hashes, files and requests. */
function wellFormed(value: Json): Json {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)]),
  );
}
