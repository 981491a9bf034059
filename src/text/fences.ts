export interface OpenFence {
  mark: string;
  language: string;
  quotes: number;
  indent: number;
}

/** Groups: quotes, indentation or list marker, fence, info string. */
const LINE = /^((?: {0,3}>){0,9})([ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(`{3,}|~{3,})(.*)$/s;

/**
 * A fence that is indented this much does not close the block. If the opening fence is indented
 * that far itself, the limit is this much further.
 */
const CODE_INDENT = 4;

/** Follows CommonMark, except that a fence may open at any indentation. */
export function fenceAfter(open: OpenFence | null, line: string): OpenFence | null {
  const found = fenceIn(line);
  if (open === null || quotesOf(line) < open.quotes) return found?.opening ?? null;
  const most = open.indent < CODE_INDENT ? CODE_INDENT : open.indent + CODE_INDENT;
  const closes = found?.isAlone === true && found.mark.startsWith(open.mark) && found.indent < most;
  return closes && quotesOf(line) === open.quotes ? null : open;
}

function fenceIn(line: string) {
  const parts = LINE.exec(line);
  if (parts === null) return null;
  const [, quote = '', lead = '', mark = '', info = ''] = parts;
  const indent = lead.replaceAll('\t', '    ').length - (quote === '' ? 0 : 1);
  const [language = ''] = info
    .trim()
    .toLowerCase()
    .split(/[\s,{:]/);
  const isSpan = mark.startsWith('`') && info.includes('`');
  const opening: OpenFence | null = isSpan
    ? null
    : { mark, language, quotes: quotesOf(line), indent };
  return { mark, indent, opening, isAlone: info.trim() === '' && lead.trim() === '' };
}

function quotesOf(line: string): number {
  return (/^(?: {0,3}>){0,9}/.exec(line)?.[0] ?? '').split('>').length - 1;
}

interface CodeBlock {
  language: string;
  content: string;
  begins: boolean;
  ends: boolean;
}

/** A block without a closing fence extends to the end. */
export function codeBlocks(text: string): CodeBlock[] {
  const lines = text.split(/\r\n|\n|\r/);
  const first = lines.findIndex((line) => line.trim() !== '');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  const blocks: CodeBlock[] = [];
  let open: OpenFence | null = null;
  let from = 0;
  for (const [index, line] of [...lines, null].entries()) {
    const next: OpenFence | null = line === null ? null : fenceAfter(open, line);
    if (next === open) continue;
    if (open !== null) {
      const { language, quotes, indent } = open;
      const content = lines.slice(from + 1, index).map((inner) => dedent(inner, quotes, indent));
      const [begins, ends] = [from <= first, index >= last];
      blocks.push({ language, content: content.join('\n'), begins, ends });
    }
    from = index;
    open = next;
  }
  return blocks;
}

function dedent(line: string, quotes: number, indent: number): string {
  let rest = line;
  for (let count = 0; count < quotes; count++) rest = rest.replace(/^ {0,3}> ?/, '');
  return rest.replace(/^[ \t]+/, (blanks) => blanks.slice(Math.max(0, indent)));
}

export function codeIn(text: string, languages: readonly string[]): string | null {
  const blocks = codeBlocks(text);
  const block =
    blocks.find(({ language }) => languages.includes(language)) ??
    blocks.find(({ language }) => language === '') ??
    blocks[0];
  return block?.content ?? null;
}
