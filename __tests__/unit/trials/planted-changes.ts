import { createRandom, nextIndex, type Random } from '../../../src/kernel/statistics/random.ts';
import { composeText, mergeTexts } from '../../../src/trials/merged-text.ts';
import { createPlaces } from '../../../src/trials/unit-places.ts';
import { prompt } from '../app/run/builders.ts';

const WORDS = 'name refund window carrier polite brief shop greet style facts order never'.split(
  ' ',
);

/** How the prompt's text is stored: a YAML block in a prompt file, or a text file. */
export type Style = '|' | '|-' | 'txt';

function sentence(random: Random) {
  const words = Array.from(
    { length: 4 + nextIndex(random, 5) },
    () => WORDS[nextIndex(random, 12)],
  );
  return `${words.join(' ')}.`;
}

/** Random lines of a prompt before and after an edit that rewords, removes and adds lines. */
function randomLines(random: Random): [string[], string[]] {
  const base = Array.from({ length: 7 }, (_, i) =>
    i % 6 > 0 && nextIndex(random, 6) === 0 ? '' : sentence(random),
  );
  const head = [...base];
  for (let edits = 3; edits > 0; edits -= 1) {
    const at = 1 + nextIndex(random, head.length - 1);
    const kind = nextIndex(random, 3);
    const line = head[at] ?? '';
    if (kind === 0 && line !== '') head[at] = line.replace(/ \w+/, ' changed');
    else if (kind === 1) head.splice(at, 1);
    else head.splice(at, 0, nextIndex(random, 4) === 0 ? '' : sentence(random));
  }
  return [base, head];
}

const trimmed = (lines: readonly string[]) => lines.join('\n').replace(/\n+$/, '');

/** Lines of the file that contains this text as its one message. */
function fileOf(text: string, style: Style) {
  if (style === 'txt') return `${text}\n`.split('\n');
  return [
    'name: x',
    'messages:',
    '  - role: system',
    `    content: ${style}`,
    ...trimmed([text])
      .split('\n')
      .map((line) => (line === '' ? '' : `      ${line}`)),
    '  - role: human',
    '    content: "{q}"',
    '',
  ];
}

/** One random edit of a prompt: files and prompts of both sides, and the units of the change. */
export function plantedChange(seed: string, style: Style) {
  const random = createRandom(seed);
  const file = style === 'txt' ? 'p.txt' : 'p.yaml';
  const sides = randomLines(random).map((lines) => {
    const text = `${trimmed(lines)}${style === '|' ? '\n' : ''}`;
    const place = { file, line: style === 'txt' ? 1 : 3 };
    const own = prompt({ file, messages: [{ role: 'system', content: text, place }] });
    return { text, file: fileOf(text, style), prompt: own, place };
  });
  const [base, head] = sides;
  if (base === undefined || head === undefined) throw new TypeError('an edit has two sides');
  const merged = mergeTexts(base.text, head.text, 'lines');
  const places = createPlaces(base.prompt, head.prompt, (side) => ({ base, head })[side].file);
  const texts = { base: base.text, head: head.text };
  const units = merged.units.map((unit) =>
    places.unitOf(unit, texts, { base: base.place, head: head.place }),
  );
  const without = (unit: number) => composeText(merged, (other) => other !== unit);
  return { base, head, merged, units, without };
}
