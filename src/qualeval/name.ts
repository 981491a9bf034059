import type { Attribute } from '../types.ts';

/** Longest name and explanation of an attribute, in UTF-16 units. */
export const NAME_LENGTH = 80;
export const EXPLANATION_LENGTH = 300;

/**
 * One spelling of a name: composed and lower case, without invisible characters; hyphens,
 * underscores and runs of blanks are one blank, and marks at the ends are left out. Equal spellings
 * are one attribute. `C`, `C++` and `C#` stay three.
 */
export function foldName(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu, ' ')
    .replace(/[\s_\-‐‑‒–—]+/gu, ' ')
    .trim()
    .replace(/^["'`*.:,; ]+|["'`*.:,; ]+$/gu, '');
}

/**
 * Readable ids for names of both kinds, in their order: `domain-late-parcels`, numbered where the
 * letters are equal.
 */
export function withIds(named: readonly Omit<Attribute, 'id'>[]): Attribute[] {
  const used = new Map<string, number>();
  return named.map((one) => {
    const slug = foldName(one.name)
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 40);
    const plain = slug === '' ? one.kind : `${one.kind}-${slug}`;
    const earlier = used.get(plain) ?? 0;
    used.set(plain, earlier + 1);
    return { id: earlier === 0 && slug !== '' ? plain : `${plain}.${String(earlier + 1)}`, ...one };
  });
}
