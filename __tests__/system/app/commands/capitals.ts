/**
 * A prompt that starts with these words, for `capitals` or another suite with the same references.
 */
export const promptBeginning = (words: string, name = 'capitals'): Record<string, string> => ({
  [`prompts/${name}.yaml`]: `name: ${name}
model: m
defaults: [tests/capitals]
variables: [{ name: q }]
messages: [{ role: user, content: "${words} {q}" }]
`,
});

/** Settings with this gate, and this number of questions whose answer is Oslo. */
export const capitals = (references: number, gate: string): Record<string, string> => ({
  'evaldiff.yaml': `models:\n  m: { provider: openai, endpoint: local, model: model-1 }\ngate: ${gate}\n`,
  'prompts/tests/capitals.yaml': `metrics: [{ name: has, uses: contains, with: { value: Oslo } }]
references:
${Array.from({ length: references }, (_, i) => `  - { id: r${i}, input: { q: "Question ${i}?" } }\n`).join('')}`,
});
