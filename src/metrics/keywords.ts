/** The first names come from FlexEval, the others from other tools. */
const KEYWORDS = {
  conversation: 'conversation',
  context: 'context',
  content: 'content',
  turn: 'content',
  completion: 'completion',
  tool_calls: 'tool_calls',
  expected: 'expected',
  ideal: 'expected',
  input: 'input',
  output: 'completion',
} as const;

export type Material = (typeof KEYWORDS)[keyof typeof KEYWORDS];

/**
 * Only these names can be in double braces, as autoevals writes them. Any other `{{name}}` stands
 * for the literal text `{name}`.
 */
const MUSTACHE = new Set(['input', 'output', 'expected']);

export interface Keyword {
  name: string;
  start: number;
  end: number;
  material: Material | null;
  literal: string | null;
}

const BRACES =
  /\{\{\{ {0,3}(\w{1,40}) {0,3}\}\}\}|\{\{ {0,3}(\w{1,40}) {0,3}\}\}|\{([A-Za-z_]\w{0,39})\}/g;

export function findKeywords(prompt: string): Keyword[] {
  return [...prompt.matchAll(BRACES)].map((found) => {
    const [text, triple, double, plain] = found;
    const name = triple ?? double ?? plain ?? '';
    const range = { name, start: found.index, end: found.index + text.length };
    if (plain === undefined && !MUSTACHE.has(name))
      return { ...range, material: null, literal: text.slice(1, -1) };
    return {
      ...range,
      material: Object.hasOwn(KEYWORDS, name) ? KEYWORDS[name as keyof typeof KEYWORDS] : null,
      literal: null,
    };
  });
}

export function materialUsed(prompt: string): Set<Material> {
  return new Set(
    findKeywords(prompt)
      .map(({ material }) => material)
      .filter((material) => material !== null),
  );
}

const JUDGED_MATERIALS = ['conversation', 'content', 'completion', 'tool_calls'] as const;

/** True if the rubric's prompt does not quote the answer. The answer is then appended. */
export function showsNothing(prompt: string): boolean {
  const used = materialUsed(prompt);
  if (used.has('context') && prompt.includes('[BEGIN DATA]')) return false;
  return !JUDGED_MATERIALS.some((material) => used.has(material));
}

/** Keywords in the inserted texts are not replaced. If `put` returns null, the keyword stays. */
export function fillKeywords(prompt: string, put: (keyword: Keyword) => string | null): string {
  let result = '';
  let from = 0;
  for (const keyword of findKeywords(prompt)) {
    const { start, end, literal } = keyword;
    result += prompt.slice(from, start) + (literal ?? put(keyword) ?? prompt.slice(start, end));
    from = end;
  }
  return result + prompt.slice(from);
}
