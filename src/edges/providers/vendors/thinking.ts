const THINKING_MARKS = [
  ['<(think|thought|seed:think)>', '</(think|thought|seed:think)>'],
  ['\\[THINK\\]', '\\[/THINK\\]'],
  ['◁think▷', '◁/think▷'],
  [
    '(<\\|start\\|>assistant)?<\\|channel\\|>analysis<\\|message\\|>',
    '<\\|channel\\|>final<\\|message\\|>',
  ],
].map(([open, close]) => ({
  open: new RegExp(`\\s*${open ?? ''}`, 'iy'),
  close: new RegExp(close ?? '', 'gi'),
}));

/** `inside`: the tag around the thinking, such as `<think>`. */
export function withoutThinking(text: string): { said: string; inside: string | null } {
  let at = 0;
  let inside: string | null = null;
  for (;;) {
    const mark = THINKING_MARKS.find(({ open }) => matchEnd(open, text, at) !== null);
    if (mark === undefined) break;
    inside = text.slice(at, mark.open.lastIndex).trim();
    const end = matchEnd(mark.close, text, mark.open.lastIndex);
    if (end === null) return { said: '', inside };
    at = end;
  }
  return inside === null ? withoutUnopened(text) : { said: text.slice(at).trimStart(), inside };
}

function matchEnd(pattern: RegExp, text: string, from: number): number | null {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : null;
}

/** A closing tag without an opening one ends the thinking, unless the tag is quoted. */
function withoutUnopened(text: string): ReturnType<typeof withoutThinking> {
  const [, before, mark] = /^([^]*?[^`"']|)(<\/think>)(?![`"'])/i.exec(text) ?? [];
  return before === undefined || mark === undefined || /<think>/i.test(before)
    ? { said: text, inside: null }
    : { said: text.slice(before.length + mark.length).trimStart(), inside: mark };
}

interface ContentPart {
  type?: string | null | undefined;
  text?: string | null | undefined;
  thought?: unknown;
}

export interface SaidText {
  said: string;
  thinking: string | null;
}

export function separateThinking(
  content: string | readonly ContentPart[] | null | undefined,
  beside: Readonly<Record<string, unknown>> = {},
): SaidText {
  const parts: readonly ContentPart[] =
    typeof content === 'string' ? [{ text: content }] : (content ?? []);
  const said = parts.filter(
    ({ type, thought }) => thought !== true && !/think|reason/i.test(type ?? ''),
  );
  const text = withoutThinking(said.map(({ text: words }) => words ?? '').join(''));
  const member = Object.keys(beside).find((name) => isNonEmpty(beside[name]));
  const block = said.length < parts.length ? 'blocks of thinking' : null;
  return { said: text.said, thinking: member ?? block ?? text.inside };
}

function isNonEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : typeof value === 'string' && value.trim() !== '';
}
