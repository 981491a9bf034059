import { NOT_JUDGED } from '../errors.ts';
import type { AttributeResult } from '../result/attributes.ts';
import { ungradedInAll, worseAlone } from '../result/counts.ts';
import type { Override, Result, YardstickResult } from '../result/result.ts';
import type { SuiteResult } from '../result/suite-result.ts';
import type { GateSettings } from '../suite/suite.ts';
import { percent, plural, pointsBetween } from '../text/amounts.ts';
import type { Conclusion } from '../types/plain.ts';

export const NO_TEST = 'No test ran, so there is no verdict.';

/** GitHub's limit for titles that annotations and checks share. */
const TITLE_LIMIT = 255;

export interface GateInput {
  suites: readonly SuiteResult[];
  yardstick: readonly YardstickResult[];
  settings: GateSettings;
  /** References that the change affects; 0 means that there was nothing to run. */
  affected: number;
  /** References that base gates on and head removes or newly skips, `suite: id`. */
  removed: readonly string[];
  /** Rubrics that were tested on their examples. */
  testedRubrics: number;
  /** Suites that preference alone judges and that have no answers of base to compare with. */
  uncomparable: readonly string[];
  /** References that ran and count for the verdict. */
  counted: number;
  /**
   * Kinds of inputs as they were judged, and the suites in which they were wanted and could not be.
   */
  attributes: readonly AttributeResult[];
  unexplained: readonly string[];
  /** The change holds something that is not used at this level of trust. */
  unused: boolean;
}

export interface Decision {
  conclusion: Conclusion;
  title: string;
  reasons: string[];
}

/** What was to gate and could not be looked at is no success. */
export function unexplainedSuites({ settings, unexplained }: GateInput): string[] {
  return settings.attributes === 'fail'
    ? unexplained.map(
        (name) =>
          `${name}: its attributes could not be worked out (the notices say why), and gate.attributes is fail`,
      )
    : [];
}

export function withTitle(decision: Omit<Decision, 'title'>, input: GateInput): Decision {
  const ungraded = decision.conclusion === 'error' ? null : ungradedInAll(input.suites);
  const end = ungraded === null ? '' : `; ${ungraded}`;
  const title = end === '' ? titleOf(decision, input) : titleOf(decision, input).replace(/\.$/, '');
  const room = TITLE_LIMIT - end.length;
  return {
    ...decision,
    title: `${title.length > room ? `${title.slice(0, room - 1)}…` : title}${end}`,
  };
}

function titleOf({ conclusion, reasons }: Omit<Decision, 'title'>, input: GateInput): string {
  const { suites, affected, removed, counted } = input;
  const regressed = suites.filter(({ verdict }) => verdict === 'regressed');
  const open = suites.filter(({ verdict }) => verdict === 'inconclusive').length;
  const ran = suites.filter(({ references }) =>
    references.some(({ base, head }) => base !== null || head !== null),
  ).length;
  if (conclusion === 'error') return `Not judged: ${reasons[0] ?? 'no verdict'}`;
  if (regressed.length > 0) return `Regressed: ${regressed.map(inShort).join(', ')}`;
  if (conclusion === 'failure') return reasons[0] ?? 'Failed';
  if (counted === 0 && (affected > 0 || removed.length === 0)) return reasons[0] ?? NO_TEST;
  if (affected === 0)
    return `Nothing to run: ${plural(removed.length, 'reference')} removed or newly skipped`;
  if (open > 0) return `Cannot tell for ${plural(open, 'suite')} of ${String(ran)}${alone(suites)}`;
  return plainTitle(input, ran);
}

/** Nothing got worse, as far as everything that gates could be looked at. */
function plainTitle(input: GateInput, ran: number): string {
  const [unexplained] = unexplainedSuites(input);
  if (unexplained !== undefined) return unexplained;
  const size = `${plural(input.affected, 'affected reference')} of ${plural(ran, 'suite')}`;
  return worseAlone(input.suites) === 0
    ? `No regression in ${size}`
    : `No suite regressed in ${size}${alone(input.suites)}`;
}

function alone(suites: readonly SuiteResult[]): string {
  const worse = worseAlone(suites);
  return worse === 0 ? '' : `; ${plural(worse, 'reference')} got worse`;
}

function inShort({ name, pass_rate: { base, head } }: SuiteResult): string {
  return `${name} ${percent(base)} → ${percent(head)} (${pointsBetween(base, head)})`;
}

export function listed(ids: readonly string[]): string {
  const shown = ids.slice(0, 10).join(', ');
  return ids.length > 10 ? `${shown} and ${String(ids.length - 10)} more` : shown;
}

/** Letters of a reason that are kept. */
export const LONGEST_REASON = 500;

/** GitHub's limit for titles that annotations and checks share. */
const TITLE_LIMIT_override = 255;

/** What a pull request says of itself now: its labels with their descriptions, and its text. */
export interface PullWords {
  labels: readonly { name: string; description: string | null }[];
  body: string;
}

export type FoundOverride =
  | { status: 'none' }
  /** The label is there, but nobody wrote why. */
  | { status: 'no-reason'; message: string }
  | { status: 'found'; override: Override };

/**
 * Whether the override label is on the pull request, and why: a line of its text that begins with
 * the label's name and a colon, else the label's own description. Without a reason it does not
 * count, for then nobody could learn it later.
 */
export function findOverride({ labels, body }: PullWords, label: string): FoundOverride {
  const found = labels.find(({ name }) => name.toLowerCase() === label.toLowerCase());
  if (found === undefined) return { status: 'none' };
  const start = `${label.toLowerCase()}:`;
  const line = body
    .split(/\r?\n/)
    .map((one) => one.trim())
    .find((one) => one.toLowerCase().startsWith(start) && one.slice(start.length).trim() !== '');
  const reason = (line?.slice(start.length) ?? found.description ?? '')
    .trim()
    .slice(0, LONGEST_REASON);
  if (reason !== '') return { status: 'found', override: { label: found.name, reason } };
  return {
    status: 'no-reason',
    message: `The label "${label}" does not override the gate, because nobody says why: add a line "${label}: the reason" to the pull request's text, or give the label a description.`,
  };
}

/** Sets a red verdict aside, in sight of everybody. What could not be judged stays an error. */
export function withOverride(result: Result, override: Override): Result {
  if (result.conclusion !== 'failure') return result;
  const reasons = [
    `Not red, because the label "${override.label}" overrides the gate: ${override.reason}`,
    ...result.reasons,
  ];
  return {
    ...result,
    conclusion: 'neutral',
    title: `Overridden: ${result.title}`.slice(0, TITLE_LIMIT_override),
    reasons,
    override,
  };
}

/**
 * 0: pass or cannot tell; 1: the gate failed; 2: nothing was judged, because of configuration or
 * infrastructure.
 */
export function exitCode(conclusion: Conclusion): 0 | 1 | 2 {
  if (conclusion === 'error') return NOT_JUDGED;
  return conclusion === 'failure' ? 1 : 0;
}
