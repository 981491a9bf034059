import { priceCounts, type Forecast } from '../../money/priced-calls.ts';
import type { Project } from '../../project/settings.ts';
import { taskText } from '../../trials/packet.ts';
import type { Complete, Grader } from '../../types/model.ts';
import type { Price } from '../../types/price.ts';
import { CHUNK, GROUP, discoveryCalls, referenceTexts, referenceTokens } from './cost.ts';
import { discover, type Discovery } from './discover.ts';
import { FEWEST_REFERENCES, attributeLimit, referenceText, type ReferenceText } from './text.ts';

interface DiscoveryPart {
  path: string;
  name: string;
  prompt: string;
  references: ReferenceText[];
  most: number;
}

export interface DiscoveryPlan {
  parts: DiscoveryPart[];
  calls: number;
  forecast: Forecast;
  left: string[];
}

/** Estimated tokens of a question without references, and of a proposed attribute. */
const FRAME = 300;
const PROPOSAL = 35;

export function planDiscovery(
  { suites, settings }: Project,
  grader: Grader,
  price: Price,
): DiscoveryPlan {
  const all = discoveryParts(suites, settings.qualeval.max_attributes);
  const parts = all.filter(({ references }) => references.length >= FEWEST_REFERENCES);
  const left = all
    .filter((part) => !parts.includes(part))
    .map(
      ({ path, references }) =>
        `${path}: attributes need at least ${FEWEST_REFERENCES} references; there ` +
        `${references.length === 1 ? 'is' : 'are'} ${references.length}`,
    );
  const callsOf = ({ references, most }: DiscoveryPart) => discoveryCalls(references.length, most);
  const calls = parts.reduce((sum, part) => sum + callsOf(part), 0);
  return { parts, calls, left, forecast: forecastOf(parts, calls, grader, price) };
}

/** Attributes are discovered per file, because a file's prompts share them. */
function discoveryParts(suites: Project['suites'], most: number): DiscoveryPart[] {
  const files = new Map<
    string,
    { names: string[]; prompt: string; largest: number; references: Map<string, ReferenceText> }
  >();
  for (const { prompt, tests } of suites) {
    const file = files.get(prompt.file) ?? {
      names: [],
      prompt: taskText(prompt),
      largest: 0,
      references: new Map<string, ReferenceText>(),
    };
    files.set(prompt.file, file);
    file.names.push(prompt.name);
    file.largest = Math.max(file.largest, tests.references.length);
    for (const reference of referenceTexts(tests.references))
      file.references.set(`${reference.id}\n${referenceText(reference)}`, reference);
  }
  return [...files].map(([path, { names, prompt, largest, references }]) => ({
    path,
    name: names.join(', '),
    prompt,
    references: [...references.values()],
    most: attributeLimit(largest, most),
  }));
}

function forecastOf(
  parts: readonly DiscoveryPart[],
  calls: number,
  { target }: Grader,
  price: Price,
): Forecast {
  const references = parts.flatMap((part) => part.references);
  const merging = Math.max(0, calls - Math.ceil(references.length / GROUP));
  const usage = {
    input_tokens: Math.round(
      referenceTokens(references) + calls * FRAME + merging * CHUNK * PROPOSAL,
    ),
    output_tokens: calls * 2 * GROUP * PROPOSAL,
  };
  return priceCounts([{ purpose: 'qualeval', target, calls, ...usage }], 0, price);
}

export interface Discovered extends Discovery {
  path: string;
  name: string;
  references: number;
}

export async function discoverAttributes(
  parts: readonly DiscoveryPart[],
  { settings: { seed } }: Project,
  tools: { complete: Complete; grader: Grader; random(purpose: string): string },
): Promise<Discovered[]> {
  return Promise.all(
    parts.map(async ({ path, name, prompt, references, most }): Promise<Discovered> => ({
      path,
      name,
      references: references.length,
      ...(await discover(references, { most, seed, prompt }, tools)),
    })),
  );
}
