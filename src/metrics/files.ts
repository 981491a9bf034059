import { z } from 'zod';
import { counted } from '../text/amounts.ts';
import { shorten } from '../text/visible.ts';
import type { Part } from '../types/answer.ts';
import type { Json } from '../types/plain.ts';
import { defineComparison } from './comparison.ts';
import { offByDefault, passOrFail } from './definition.ts';
import { listed } from './measures/json-differences.ts';
import { f1 } from './measures/words.ts';

interface FileEntry {
  /** Null for an image. */
  path: string | null;
  content: string | null;
  sha256: string | null;
}

const digest = z
  .string()
  .regex(/^[0-9a-f]{64}$/i)
  .toLowerCase();

const wantedFile = z.union([
  z.string().transform((path): FileEntry => ({ path, content: null, sha256: null })),
  z
    .strictObject({ path: z.string(), content: z.string().nullable().default(null) })
    .transform((file): FileEntry => ({ ...file, sha256: null })),
  z
    .strictObject({ image: digest })
    .transform(({ image }): FileEntry => ({ path: null, content: null, sha256: image })),
]);

const NOT_FILES =
  'expected must contain paths, maps with path and content, or maps with image (its sha256)';

function wantedFiles(expected: Json): FileEntry[] | null {
  return z.array(wantedFile).safeParse([expected].flat()).data ?? null;
}

function givenFiles(parts: readonly Part[]): FileEntry[] {
  return parts.flatMap((part): FileEntry[] => {
    if (part.type === 'image') return [{ path: null, content: null, sha256: part.digest }];
    return part.type === 'file' ? [{ path: part.path, content: part.diff, sha256: null }] : [];
  });
}

function isMeant(given: FileEntry, wanted: FileEntry): boolean {
  return given.path === wanted.path && (given.path !== null || given.sha256 === wanted.sha256);
}

function fileProblem(given: FileEntry | undefined, wanted: FileEntry): string | null {
  if (given === undefined) return `${fileName(wanted)} missing`;
  if (wanted.content !== null && given.content !== wanted.content)
    return `${fileName(wanted)}: ${lineDifference(given.content ?? '', wanted.content)}`;
  return null;
}

const fileName = ({ path, sha256 }: FileEntry): string =>
  path === null ? `image ${(sha256 ?? '').slice(0, 12)}…` : shorten(path, 120);

function lineDifference(given: string, wanted: string): string {
  const own = given.split('\n');
  const other = wanted.split('\n');
  const at = other.findIndex((line, index) => line !== own[index]);
  const index = at === -1 ? other.length : at;
  const quoted = (line: string | undefined) =>
    line === undefined ? 'missing' : JSON.stringify(shorten(line, 60));
  return other[index] === undefined
    ? `${counted(own.length - other.length, 'line')} more, from line ${index + 1} on`
    : `line ${index + 1} is ${quoted(own[index])}, not ${quoted(other[index])}`;
}

export const fileMatch = defineComparison({
  name: 'file_match',
  group: 'structured',
  summary:
    'The answer contains the expected files and images. Each is a path, a map with `path` ' +
    'and `content`, or a map with `image` (its SHA-256). The value is the F1 score of the ' +
    'matches.',
  parameters: {
    ignore_extra: offByDefault('Ignore additional files and images.'),
  },
  range: '0 to 1',
  passes: 'if the files and images are the expected ones',
  source: 'own definition; files of agents and programs, images by digest',
  example: {
    output: 'Done.',
    completion: {
      parts: [
        { type: 'file', path: 'a.md', diff: 'A' },
        { type: 'file', path: 'b', diff: '' },
      ],
    },
    expected: [{ path: 'a.md', content: 'A' }],
    value: 2 / 3,
    pass: false,
  },
  expects: () => ({
    reads: 'value',
    wrong: (expected) => (wantedFiles(expected) === null ? NOT_FILES : null),
  }),
  measure({ answer, expected, options: { ignore_extra } }) {
    const wanted = wantedFiles(expected) ?? [];
    const given = givenFiles(answer.completion.parts);
    const ofWanted = wanted.map((want) =>
      fileProblem(
        given.find((each) => isMeant(each, want)),
        want,
      ),
    );
    const extra = given.filter((each) => !wanted.some((want) => isMeant(each, want)));
    const problems = [
      ...ofWanted.filter((problem) => problem !== null),
      ...(ignore_extra ? [] : extra.map((each) => `${fileName(each)} not expected`)),
    ];
    const matched = ofWanted.filter((problem) => problem === null).length;
    const size = ignore_extra ? given.length - extra.length : given.length;
    return passOrFail(problems.length === 0, listed(problems), f1(matched, size, wanted.length));
  },
});
