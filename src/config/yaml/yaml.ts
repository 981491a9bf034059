import { isScalar } from 'yaml';
import { problem } from '../../errors.ts';
import type { Json, Place, Problem } from '../../types.ts';
import { fileFlaw } from '../characters.ts';
import { valueAt } from '../document.ts';
import type { Document, Path, Reading } from '../document.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import type { Limits } from '../limits.ts';
import { parseSyntax } from './syntax.ts';
import { walk } from './walk.ts';
import type { Spot, Spots } from './walk.ts';

/**
 * Reads one YAML file strictly: UTF-8, one document, YAML 1.2 core schema, no tags, no merge keys,
 * no duplicate keys, finite numbers, within `limits`. The value is plain data whose maps have no
 * prototype. Time is linear in the size of the text. Problems name file and line: the first one of
 * the syntax, or up to 20 of the content.
 */
export function readYaml(
  file: string,
  content: string | Uint8Array,
  limits: Limits = DEFAULT_LIMITS,
): Reading<Document> {
  const bytes =
    typeof content === 'string' ? new TextEncoder().encode(content).length : content.length;
  if (bytes > limits.yamlBytes)
    return failed(file, 0, `is ${bytes} bytes; the limit is ${limits.yamlBytes}`);
  const text = decode(content);
  if (text === null) return failed(file, 0, 'is not UTF-8 text');
  const flaw = fileFlaw(text);
  if (flaw !== null) return failed(file, lineAt(text, flaw.index), flaw.message);
  const syntax = parseSyntax(text, limits);
  if (!syntax.ok) return failed(file, syntax.line, syntax.message);
  const root = syntax.document.contents;
  if (root === null || (isScalar(root) && root.value === null && root.source === ''))
    return failed(file, 0, 'is empty');

  const { value, problems, spots, line } = walk(root, file, syntax.lines, limits);
  return problems.length > 0
    ? { ok: false, problems }
    : { ok: true, value: locate(file, text, value, line, spots) };
}

function decode(content: string | Uint8Array): string | null {
  if (typeof content === 'string') return content.startsWith('\uFEFF') ? content.slice(1) : content;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    return null;
  }
}

function failed(file: string, line: number, message: string): { ok: false; problems: Problem[] } {
  return { ok: false, problems: [problem({ file, line }, message)] };
}

function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < index; at = text.indexOf('\n', at + 1))
    line += 1;
  return line;
}

function locate(file: string, text: string, value: Json, rootLine: number, spots: Spots): Document {
  const spotOf = (path: Path): Spot | undefined => {
    for (let length = path.length; length > 0; length -= 1) {
      const parent = valueAt(value, path.slice(0, length - 1));
      const last = path[length - 1];
      if (typeof parent !== 'object' || parent === null || last === undefined) continue;
      const spot = spots.get(parent)?.get(last);
      if (spot !== undefined) return spot;
    }
    return undefined;
  };
  const placeOf = (path: Path): Place => ({ file, line: spotOf(path)?.line ?? rootLine });
  return {
    file,
    value,
    placeOf,
    placeOfText: (path, needle, occurrence) => {
      const spot = valueAt(value, path) === undefined ? undefined : spotOf(path);
      if (spot === undefined || spot.start < 0) return placeOf(path);
      const source = text.slice(spot.start, spot.end);
      let at = source.indexOf(needle);
      for (let skip = occurrence; skip > 0 && at !== -1; skip -= 1)
        at = source.indexOf(needle, at + 1);
      return at === -1 ? placeOf(path) : { file, line: lineAt(text, spot.start + at) };
    },
  };
}
