import type { ReferenceResult } from '../../kernel/result/reference-result.ts';
import { andMore } from '../../text/amounts.ts';
import { visibleLine } from '../../text/visible.ts';
import { code, joinLines, placeLink, strong, type Line } from './document.ts';

/** If the reference's id is generated, adds the first words of its input. */
export function linkedFace(reference: ReferenceResult): Line {
  const words = inputLabel(reference);
  return words === null
    ? [placeLink(reference.id, reference)]
    : [placeLink(words, reference, FACE_CHARACTERS), ' – ', code(reference.id)];
}

/** For example `What it did: australia`. */
export function titledFace(title: string, reference: ReferenceResult): Line {
  return [strong(title), ' ', ...linkedFace(reference)];
}

export function shortFace(reference: ReferenceResult): string {
  const words = inputLabel(reference);
  if (words === null) return reference.id;
  const line = visibleLine(words).replace(/\s+/g, ' ').trim();
  if (line.length <= SHORT_FACE) return `${line} – ${reference.id}`;
  const kept = line.slice(0, SHORT_FACE + 1).replace(/\s+\S*$/, '');
  return `${kept.slice(0, SHORT_FACE).toWellFormed()}… – ${reference.id}`;
}

const SHORT_FACE = 40;

export function testNames(references: readonly ReferenceResult[], most: number): Line {
  const shown = references.slice(0, most);
  return [
    ...joinLines(
      shown.map((reference) => placeLink(shortFace(reference), reference)),
      ', ',
    ),
    andMore(references.length, shown.length),
  ];
}

export function shortFaceOf(id: string, references: readonly ReferenceResult[]): string {
  const reference = references.find((candidate) => candidate.id === id);
  return reference === undefined ? id : shortFace(reference);
}

function inputLabel({ id, input }: ReferenceResult): string | null {
  if (!MADE_ID.test(id)) return null;
  return (
    Object.values(input)
      .map(String)
      .find((value) => value.trim() !== '') ?? null
  );
}

const MADE_ID = /^[0-9a-f]{10}(-\d+)?$/;

const FACE_CHARACTERS = 60;
