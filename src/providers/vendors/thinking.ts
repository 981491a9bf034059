/** What models that think inline write around their thinking; `close` is found case-insensitively. */
const MARKS: readonly { open: RegExp; close: RegExp }[] = [
  { open: /\s*<think>/iy, close: /<\/think>/gi },
  { open: /\s*<thought>/iy, close: /<\/thought>/gi },
  { open: /\s*<seed:think>/iy, close: /<\/seed:think>/gi },
  { open: /\s*\[THINK\]/iy, close: /\[\/THINK\]/gi },
  { open: /\s*◁think▷/iy, close: /◁\/think▷/gi },
  {
    open: /\s*(?:<\|start\|>assistant)?<\|channel\|>analysis<\|message\|>/iy,
    close: /(?:<\|end\|>)?(?:<\|start\|>assistant)?<\|channel\|>final<\|message\|>/gi,
  },
];

/**
 * The text without the thinking at its front: whole blocks, a block that never ends, and one whose
 * opening mark was part of the model's template. `inside`: the mark of the thinking; null: none.
 */
export function withoutThinking(text: string): { said: string; inside: string | null } {
  let at = 0;
  let inside: string | null = null;
  for (;;) {
    const opened = MARKS.flatMap((mark) =>
      matchAt(mark.open, text, at).map((end) => ({ mark, end })),
    );
    const [block] = opened;
    if (block === undefined) break;
    inside = text.slice(at, block.end).trim();
    const end = matchAt(block.mark.close, text, block.end);
    if (end[0] === undefined) return { said: '', inside };
    at = end[0];
  }
  if (inside !== null) return { said: text.slice(at).trimStart(), inside };
  return withoutUnopened(text);
}

/** Where the pattern ends that is found from `from` on: no place, or one. */
function matchAt(pattern: RegExp, text: string, from: number): number[] {
  pattern.lastIndex = from;
  return pattern.test(text) ? [pattern.lastIndex] : [];
}

/** A closing mark in backticks is spoken of; any other ends thinking that began in the template. */
function withoutUnopened(text: string): ReturnType<typeof withoutThinking> {
  const [, before, mark] = /^([^]*?[^`]|)(<\/think>)(?!`)/i.exec(text) ?? [];
  return before === undefined || mark === undefined || /<think>/i.test(before)
    ? { said: text, inside: null }
    : { said: text.slice(before.length + mark.length).trimStart(), inside: mark };
}

/** A part of an answer, as vendors send them. */
interface ContentPart {
  type?: string | null | undefined;
  text?: string | null | undefined;
  /** Google's mark of a part that is thinking. */
  thought?: unknown;
}

/** What an answer says, and where the server sent thinking; null: nowhere. */
export interface SaidText {
  said: string;
  thinking: string | null;
}

/**
 * The one rule on thinking: it is not the answer, in whatever member, part or inline mark the server
 * sends it. `beside`: members that hold nothing else.
 */
export function saidIn(
  content: string | readonly ContentPart[] | null | undefined,
  beside: Readonly<Record<string, unknown>> = {},
): SaidText {
  const parts = typeof content === 'string' ? [{ text: content }] : (content ?? []);
  const said = parts.filter((part) => !isThinking(part));
  const text = withoutThinking(said.map(({ text: words }) => words ?? '').join(''));
  const member = Object.keys(beside).find((name) => isFilled(beside[name]));
  const block = said.length < parts.length ? 'blocks of thinking' : null;
  return { said: text.said, thinking: member ?? block ?? text.inside };
}

function isThinking({ type, thought }: ContentPart): boolean {
  return thought === true || /think|reason/i.test(type ?? '');
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : typeof value === 'string' && value.trim() !== '';
}
