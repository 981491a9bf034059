import type { ReadResult } from '../../src/documents/document.ts';
import { readYaml } from '../../src/documents/yaml.ts';
import { attributesOf, type PinnedAttributes } from '../../src/features/attributes/file.ts';

export function readAttributes(
  file: string,
  content: string | Uint8Array,
): ReadResult<PinnedAttributes> {
  const reading = readYaml(file, content);
  return reading.ok ? attributesOf(reading.value) : reading;
}
