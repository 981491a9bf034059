import {
  code,
  joinLines,
  place,
  placeText,
  strong,
  text,
  type Inline,
  type Line,
} from '../../report/sections/document.ts';
import { count, counted } from '../../text/amounts.ts';
import { cutOut } from '../../text/cut-out.ts';
import { shorten, visibleLine } from '../../text/visible.ts';
import type { ChangeUnit } from '../../trials/change-unit.ts';
import type { Cause, SuiteCauses } from './result.ts';

/** In characters. */
const UNIT_TEXT = 80;
const NAMED_UNITS = 5;

/** What an experiment, or a fall confirmed by new answers of both sides, proves is a cause. */
function causeWords({ relation, confirmed }: Cause): string {
  if (relation !== 'only-change') return 'Cause';
  return confirmed === true ? 'Cause: the only change' : 'The only change';
}

/** `Cause: prompts/support.yaml:7 (…). Setting it back alone fixes 5 of 5 references …`. */
export function causeLine(cause: Cause, suite: SuiteCauses, named: Line): Line {
  const proof = proofWords(cause);
  return [
    strong(causeWords(cause)),
    ...named,
    text(': '),
    ...unitsLine(cause),
    text(proof === '' ? '.' : `. ${proof}${restWords(suite)}`),
  ];
}

function unitsLine({ relation, units }: Cause): Line {
  const shown = units.slice(0, NAMED_UNITS).map(unitLine);
  const more = units.length - shown.length;
  const between = relation === 'either' ? ' or ' : ' and ';
  return [
    ...joinLines(shown, between),
    ...(more > 0 ? [text(` and ${count(more)} more`)] : []),
    text(RELATIONS[relation]),
  ];
}

const RELATIONS: Readonly<Record<Cause['relation'], string>> = {
  alone: '',
  together: ', only together',
  either: ', either alone',
  'only-change': '',
};

const NAMED_KINDS: ReadonlySet<ChangeUnit['kind']> = new Set([
  'model',
  'provider',
  'parameter',
  'role',
]);

/** A unit by what it is, or by its line and text; where it only takes away, the line is base's. */
function unitLine(unit: ChangeUnit): Line {
  const { kind, name, file, side, lines, base_text, head_text } = unit;
  const at = place(file, lines.from, side);
  if (kind === 'tool') return [text('the tool '), code(name ?? ''), text(', '), at];
  // A program of the same name that has other code.
  if (kind === 'provider' && base_text === head_text)
    return [text('the code of '), settingValue(head_text), text(', '), at];
  if (NAMED_KINDS.has(kind)) {
    const what = kind === 'parameter' ? code(name ?? '') : text(`the ${kind}`);
    return [
      what,
      text(' ('),
      settingValue(base_text),
      text(' → '),
      settingValue(head_text),
      text('), '),
      at,
    ];
  }
  const [did, words] = prefixedUnitText(unit);
  const shown = shorten(visibleLine(words.trim()), UNIT_TEXT);
  return [at, text(` (${did}`), code(shown, UNIT_TEXT), text(')')];
}

function prefixedUnitText(unit: ChangeUnit): ['removed: ' | 'moved: ' | '', string] {
  const { kind, side, base_text, head_text } = unit;
  const cut = cutOut(base_text ?? '', head_text ?? '');
  if (side === 'base' || cut !== null) return ['removed: ', cut ?? base_text ?? ''];
  return [kind === 'moved line' ? 'moved: ' : '', head_text ?? base_text ?? ''];
}

function settingValue(written: string | null): Inline {
  return written === null ? text('not set') : code(written, UNIT_TEXT);
}

/** `Setting it back alone fixes 5 of 5 references (14 of 15 tries pass)`. */
export function proofWords({ relation, units, references, held }: Cause): string {
  if (relation === 'only-change') return '';
  const all = counted(references.length, 'reference');
  const sum = (pick: 'restored' | 'broken', of: 'passes' | 'tries'): number =>
    references.reduce((total, reference) => total + reference[pick][of], 0);
  const passes = references.filter(({ restored }) => 2 * restored.passes > restored.tries).length;
  const tries = `(${count(sum('restored', 'passes'))} of ${count(sum('restored', 'tries'))} tries pass)`;
  const what = {
    alone: 'Setting it back alone',
    together: units.length > 2 ? 'Setting any one of them back' : 'Setting either back',
    either: 'Setting them all back',
  }[relation];
  const fixed = `${what} fixes ${count(passes)} of ${all} ${tries}`;
  const broken = sum('broken', 'tries') - sum('broken', 'passes');
  const fails = { alone: 'alone it fails', together: 'together they fail' };
  const how =
    relation === 'alone' || relation === 'together' ? fails[relation] : 'alone each fails';
  const put = `put into base ${how} ${count(broken)} of ${count(sum('broken', 'tries'))} tries`;
  const cost =
    held.of > held.references
      ? `; of ${count(held.of)} references that hold, ${count(held.of - held.references)} then fail`
      : '';
  return `${fixed}; ${put}${cost}`;
}

export function restWords({ causes: all, explained }: SuiteCauses): string {
  const { harmless, unexplained } = explained;
  const rest =
    harmless.length > 0 && all.length === 1
      ? `; the other ${harmless.length === 1 ? 'change does' : `${count(harmless.length)} changes do`} ` +
        `nothing to ${all[0]?.references.length === 1 ? 'it' : 'them'}`
      : '';
  const open =
    unexplained.length > 0 && all.length > 0
      ? `. ${counted(unexplained.length, 'more reference')} fell, which it does not explain`
      : '';
  return `${rest}${open}.`;
}

/** ` This reference: 3 of 3 tries pass with it set back, 0 of 3 with it put into base.` */
export function ownProof({ relation, units, references }: Cause, id: string): Line {
  const own = references.find((reference) => reference.id === id);
  if (own === undefined || relation === 'only-change') return [];
  const { restored, broken } = own;
  const it = units.length === 1 ? 'it' : 'them';
  return [
    text(
      ` This reference: ${count(restored.passes)} of ${count(restored.tries)} tries pass ` +
        `with ${it} set back, ${count(broken.passes)} of ${count(broken.tries)} with ${it} put ` +
        'into base.',
    ),
  ];
}

export function openLine(
  { causes: found, explained: { reason, calls } }: SuiteCauses,
  named: Line,
): Line {
  if (found.length > 0 || reason === null) return [];
  return [strong('Cause'), ...named, text(`${calls === 0 ? ' not looked for' : ''}: ${reason}.`)];
}

export function causeSentence(cause: Cause, suite: SuiteCauses): string {
  return plainText(causeLine(cause, suite, []));
}

function plainText(line: Line): string {
  return line
    .map((part) => {
      if (part.kind === 'place') return placeText(part);
      return part.kind === 'text' || part.kind === 'strong' || part.kind === 'code'
        ? part.text
        : '';
    })
    .join('');
}
