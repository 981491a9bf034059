import { inflateRawSync } from 'node:zlib';

/** What a page's script unpacks: the contents of the list, and rows that are stored compressed. */
export function packedIn(html: string): {
  rows: [number, number, number, number[]?, number[]?][];
  packed: string[];
} {
  const packs = [...html.matchAll(/<div class="pack" hidden>([^<]*)<\/div>/g)].map(
    ([, text = '']) =>
      JSON.parse(inflateRawSync(Buffer.from(text, 'base64')).toString()) as unknown,
  );
  const [contents, ...others] = packs as [
    { rows: [number, number, number, number[]?, number[]?][] },
    ...string[][],
  ];
  return { rows: contents.rows, packed: others.flat() };
}
