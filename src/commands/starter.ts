import { schemaLine } from '../config/imports/index.ts';
import { factsOf, type VendorName } from '../types/vendors.ts';

/**
 * The settings, an example prompt and its tests. Everything that a new user changes first is in
 * them once.
 */
export function starterFiles(vendor: VendorName): Map<string, string> {
  const model = factsOf(vendor).starterModel;
  return new Map([
    ['evaldiff.yaml', starterSettings(vendor)],
    [
      'prompts/support.yaml',
      `${schemaLine('prompt')}# A prompt. Keys that evaldiff does not know are model parameters and go to the vendor as written.
defaults: [tests/support]
name: support
model: ${model}
variables:
  - name: question
messages:
  - role: system
    content: |
      You answer customers of a small online shop.
      Returns are possible within 30 days. Parcels go with Northmail.
      Answer in at most two sentences.
  - role: human
    content: "{question}"
`,
    ],
    [
      'prompts/tests/support.yaml',
      `${schemaLine('tests')}# What is asked of the prompt, and what judges its answers.
metrics:
  - { name: fact, uses: contains, with: { ignore_case: true } }
  - { name: brief, uses: word_count, with: { max: 60 } }
references:
  - { id: returns, input: { question: "How long can I send a jacket back?" }, expected: "30" }
  - { id: carrier, input: { question: "Who brings my parcel?" }, expected: Northmail, tags: [critical] }
  - { id: late, input: { question: "I bought a scarf six weeks ago. Can I return it?" }, expected: "30" }
`,
    ],
  ]);
}

/**
 * The settings alone, for a project that has prompts already. `unpriced`: models of its whose price
 * nobody knows, with which no limit in dollars could be kept.
 */
export function starterSettings(vendor: VendorName, unpriced: readonly string[] = []): string {
  const cap = unpriced.length === 0 ? ', max_cost_usd: 10' : '';
  return `${schemaLine('settings')}# Every key is optional; these are the ones that projects set first.
n_tries: adaptive # two tries of every affected reference, more only where the verdict is open
grader: { model: ${factsOf(vendor).starterModel} } # judges metrics like llm_rubric; not asked unless one is used
budget: { max_calls: 2000${cap} } # a run that would need more is refused before anything is sent
`;
}
