import {
  code,
  joinLines,
  place,
  strong,
  type Inline,
  type Line,
} from '../../report/sections/document.ts';
import { andMore, count, counted, countedTries } from '../../text/amounts.ts';
import { cutOut } from '../../text/cut-out.ts';
import { shorten, visibleLine } from '../../text/visible.ts';
import type { ChangeUnit } from '../../trials/change-unit.ts';
import { AGENT_WORD } from '../../trials/prompt-units.ts';
import type { Cause, SuiteCauses } from './result.ts';

/** In characters, for the shown text of a change. */
const UNIT_TEXT = 48;
const NAMED_UNITS = 5;
/** In characters. Longer values, such as descriptions, are not shown. */
const SHORT_VALUE = 24;

/** Whether the cause broke references (`fall`) or fixed them (`fix`). */
export type Effect = 'fall' | 'fix';

export function causeLine(
  cause: Cause,
  suite: SuiteCauses,
  named: Line,
  effect: Effect = 'fall',
): Line {
  const proof = proofWords(cause, suite, effect);
  const word = effect === 'fall' ? 'Cause' : 'Fixed by';
  return [
    strong(cause.relation === 'only-change' ? 'The only change' : word),
    ...named,
    ': ',
    ...unitsLine(cause),
    proof === '' ? '.' : `. ${proof}`,
  ];
}

function unitsLine({ relation, units }: Pick<Cause, 'relation' | 'units'>): Line {
  const shown = units.slice(0, NAMED_UNITS).map((unit, i) => unitLine(unit, units[i - 1]));
  const between = relation === 'either' ? ' or ' : ' and ';
  return [...joinLines(shown, between), andMore(units.length, shown.length), RELATIONS[relation]];
}

const RELATIONS: Readonly<Record<Cause['relation'], string>> = {
  alone: '',
  together: ', only together',
  either: ', each alone',
  'only-change': '',
};

const NAMED_KINDS: ReadonlySet<ChangeUnit['kind']> = new Set([
  'model',
  'provider',
  'parameter',
  'role',
]);

function unitLine(unit: ChangeUnit, previous?: ChangeUnit): Line {
  const { file, side, lines } = unit;
  const at = place(file, lines.from, side);
  const named = causePlaceLine(unit);
  if (named !== null) return unit.files === undefined ? [...named, at] : named.slice(0, -1);
  const isSameFile = lines.from > 0 && previous?.file === file && previous.side === side;
  return [isSameFile ? `line ${lines.from}` : at, ...excerptOf(unit)];
}

function causePlaceLine(unit: ChangeUnit): Line | null {
  const { kind, name, base_text, head_text } = unit;
  if (kind === 'tool') return ['the tool ', code(name ?? ''), ', '];
  if (kind === 'property') return [...propertyWords(unit), ', '];
  if (kind === 'file') return [`the ${fileWord(unit)}file `];
  // The two programs have the same name, but different code or settings.
  if (kind === 'provider' && base_text === head_text)
    return [`the ${differingPart(unit)} of `, settingValue(head_text), ', '];
  if (!NAMED_KINDS.has(kind)) return null;
  return [
    kind === 'parameter' ? code(name ?? '') : `the ${kind}`,
    ...[' (', settingValue(base_text), ' → ', settingValue(head_text), '), '],
  ];
}

function differingPart({ head_text }: ChangeUnit): 'settings' | 'code' {
  return head_text?.endsWith(`(${AGENT_WORD})`) === true ? 'settings' : 'code';
}

function fileWord({ base_text, head_text }: ChangeUnit): string {
  if (base_text === null) return 'new ';
  return head_text === null ? 'removed ' : '';
}

/** For example: `quantity` → `amount` in the tool `create_order`. */
function propertyWords({ name, of, base_text, head_text }: ChangeUnit): Line {
  const change = [settingValue(base_text), ' → ', settingValue(head_text)];
  const owner = [of?.tool ? ' in the tool ' : ' in ', code(of?.tool ?? of?.parameter ?? '')];
  if (name === null) return [...change, ...owner];
  if (base_text === null || head_text === null)
    return [base_text === null ? 'the new ' : 'the removed ', code(name), ...owner];
  const isShort = Math.max(base_text.length, head_text.length) <= SHORT_VALUE;
  return [code(name), ...(isShort ? [' (', ...change, ')'] : []), ...owner];
}

function excerptOf(unit: ChangeUnit): Line {
  const { kind, lines, base_text, head_text } = unit;
  const edit = editedPlace(unit);
  const did = edit === 'removed' || edit === 'moved' ? edit : '';
  const cut = cutText(unit);
  if (cut === null && kind !== 'sentence' && lines.from > 0) return did === '' ? [] : [` (${did})`];
  const shown = visibleLine((cut ?? head_text ?? base_text ?? '').trim());
  return [did === '' ? ' (' : ` (${did}: `, code(shorten(shown, UNIT_TEXT), UNIT_TEXT), ')'];
}

function editedPlace(unit: ChangeUnit): 'added' | 'removed' | 'moved' | 'changed' {
  if (unit.base_text === null) return 'added';
  if (unit.side === 'base' || cutText(unit) !== null) return 'removed';
  return unit.kind === 'moved line' ? 'moved' : 'changed';
}

function cutText({ kind, base_text, head_text }: ChangeUnit): string | null {
  const isText = kind === 'line' || kind === 'sentence';
  return isText ? cutOut(base_text ?? '', head_text ?? '') : null;
}

function settingValue(written: string | null): Inline {
  return written === null ? 'not set' : code(written, UNIT_TEXT);
}

const NOUNS: Readonly<Partial<Record<ChangeUnit['kind'], string>>> = {
  hunk: 'code',
  parameter: 'value',
  'moved line': 'line',
};

function trialWords({ relation, units }: Cause) {
  const [unit] = units;
  const [both, either] = units.length > 2 ? ['all', 'any'] : ['both', 'either'];
  if (relation === 'together') return { undone: `undoing ${either}`, made: `adding ${both}` };
  if (relation === 'either' || unit === undefined)
    return { undone: `undoing ${both}`, made: `adding ${either} to base` };
  const noun = NOUNS[unit.kind] ?? unit.kind;
  return {
    added: { undone: 'removing it', made: 'adding it to base' },
    removed: { undone: 'putting it back', made: 'removing it from base' },
    moved: { undone: 'moving it back', made: 'moving it on base' },
    changed: { undone: `putting the old ${noun} back`, made: `the new ${noun} on base` },
  }[editedPlace(unit)];
}

export function proofWords(
  cause: Cause,
  { causes: all, explained }: SuiteCauses,
  effect: Effect = 'fall',
): string {
  const { relation, references, held } = cause;
  if (relation === 'only-change') return '';
  const fixed = references.filter(({ restored }) => 2 * restored.passes > restored.tries).length;
  const broken = references.filter(({ broken: own }) => 2 * own.passes < own.tries).length;
  const of = references.length + (all.length > 1 ? 0 : explained.unexplained.length);
  const them = references.length === 1 ? 'it' : 'them';
  const breaks =
    broken === references.length
      ? `breaks ${them}`
      : broken === 0
        ? `makes ${them} fail more often`
        : `breaks ${count(broken)} of ${them}`;
  const { undone, made } = trialWords(cause);
  const [good, bad] = effect === 'fall' ? [undone, made] : [made, undone];
  const costs = effect === 'fall' ? held.of - held.references : 0;
  const cost = costs > 0 ? ` Undoing it breaks ${count(costs)} of ${count(held.of)} others.` : '';
  const first = good.charAt(0).toUpperCase() + good.slice(1);
  const by =
    explained.metrics === undefined ? '' : ` Judged by ${explained.metrics.join(', ')} alone.`;
  return `${first} fixes ${count(fixed)} of ${counted(of, 'test')}; ${bad} ${breaks}.${cost}${by}`;
}

export function trialFigures(
  cause: Cause,
  { causes: all, explained }: SuiteCauses,
  effect: Effect = 'fall',
): string {
  const { references, units, calls } = cause;
  const sum = (pick: 'restored' | 'broken', of: 'passes' | 'tries') =>
    references.reduce((total, reference) => total + reference[pick][of], 0);
  const { harmless, unexplained } = explained;
  const states =
    units.length === 1 ? ['it undone', 'it alone on base'] : ['them undone', 'them on base'];
  const [good = '', bad = ''] = effect === 'fall' ? states : states.toReversed();
  const failed = sum('broken', 'tries') - sum('broken', 'passes');
  const cleared =
    harmless.length === 1 ? '1 other change has' : `${count(harmless.length)} other changes have`;
  const did = effect === 'fall' ? 'broke' : 'were fixed';
  return [
    `With ${good} ${count(sum('restored', 'passes'))} of ${countedTries(sum('restored', 'tries'))} pass; ` +
      `with ${bad} ${count(failed)} of ${countedTries(sum('broken', 'tries'))} fail.`,
    ...(harmless.length > 0 && all.length === 1 ? [`${cleared} no effect on these tests.`] : []),
    ...(unexplained.length > 0
      ? [`${counted(unexplained.length, 'more test')} ${did}, which this change does not explain.`]
      : []),
    `The experiment took ${counted(calls, 'call')}.`,
  ].join(' ');
}

export function openLine({ causes: found, explained }: SuiteCauses, named: Line): Line {
  const { reason, calls, suspects = [] } = explained;
  if (found.length > 0 || reason === null) return [];
  if (suspects.length > 0)
    return [
      strong(suspects.length === 1 ? 'Likely the cause' : 'Likely one of'),
      ...named,
      ': ',
      ...unitsLine({ relation: 'either', units: suspects }).slice(0, -1),
      `. Not proven: ${reason}.`,
    ];
  return [strong('Cause'), ...named, ` not ${calls === 0 ? 'looked for' : 'found'}: ${reason}.`];
}
