import type { FeaturePlan, PlannedCalls } from '../money/feature-plan.ts';
import { counted } from '../text/amounts.ts';
import type { Grader } from '../types/model.ts';
import type { Notice, Place } from '../types/plain.ts';

type Graders = readonly Pick<Grader, 'target' | 'parameters'>[];

/** A judge of one side, with the answers that people labelled for it. */
export interface LabelledJudge<Judge, Example> {
  judge: Judge;
  graders: Graders;
  examples: readonly Example[];
  labels: readonly (string | boolean)[];
  /** Equal if two judges judge alike, and if their examples are equal. */
  identity: { judge: string; examples: string };
}

/** Tests a judge on labelled examples. `base` is null unless base judges differently. */
export interface JudgeTest<Judge, Example> {
  name: string;
  place: Place;
  examples: readonly Example[];
  base: Judge | null;
  head: Judge;
  calls: PlannedCalls[];
}

/** Null if there is nothing to test. `decides`: the judge alone judges a suite that runs. */
export function judgeTestOf<Judge, Example>(
  { name, place, decides }: { name: string; place: Place; decides: boolean },
  purpose: PlannedCalls['purpose'],
  base: LabelledJudge<Judge, Example> | null,
  head: LabelledJudge<Judge, Example>,
): JudgeTest<Judge, Example> | null {
  const { judge, graders, examples } = head;
  if (examples.length === 0 || graders.length === 0 || isKnown(base, head, decides)) return null;
  const isOther = base?.identity.judge !== head.identity.judge && base?.graders.length !== 0;
  const other = isOther ? base : null;
  const all = [...(other?.graders ?? []), ...graders];
  const calls = judgeCalls(all, examples.length, purpose, place);
  return { name, place, examples, base: other?.judge ?? null, head: judge, calls };
}

/** An unchanged judge that decides is tested again, if its labels differ. */
function isKnown(base: Labelled | null, { identity, labels }: Labelled, decides: boolean): boolean {
  const isSame =
    base?.identity.judge === identity.judge && base.identity.examples === identity.examples;
  return isSame && !(decides && new Set(labels).size > 1);
}

type Labelled = Pick<LabelledJudge<unknown, unknown>, 'examples' | 'labels' | 'identity'>;

export function judgeCalls(
  graders: Graders,
  calls: number,
  purpose: PlannedCalls['purpose'],
  place: Place,
): PlannedCalls[] {
  return graders.map(({ target, parameters }) => ({
    target,
    parameters,
    purpose,
    calls,
    tokens: null,
    place,
  }));
}

/** Null if a judge without labelled examples is not worth a notice. */
export function whyUntested(
  base: Labelled | null,
  head: Labelled,
): 'is new and has no' | 'lost its' | 'changed and has no' | null {
  if (head.examples.length > 0) return null;
  if (base === null) return 'is new and has no';
  if (base.examples.length > 0) return 'lost its';
  return base.identity.judge === head.identity.judge ? null : 'changed and has no';
}

export function unreadNotice(
  who: string,
  unread: number,
  { examples, place }: { examples: number; place: Place },
  side: string,
): Notice[] {
  if (unread === 0) return [];
  const message =
    `${who} gave no readable verdict on ${unread} of ` +
    `${counted(examples, 'labelled example')} on ${side}; those are not counted`;
  return [{ kind: 'ungraded', place, message }];
}

function keylessNotice({
  name,
  place,
}: Pick<JudgeTest<unknown, unknown>, 'name' | 'place'>): Notice {
  const message = `${name} was not tested on its labelled examples, because a key is missing`;
  return { kind: 'ungraded', message, place };
}

/** A run that compares nothing tests nothing. A test without a key is left out, with a notice. */
export function planJudgeTests<
  Test extends Pick<JudgeTest<unknown, unknown>, 'name' | 'place' | 'calls'>,
>(
  { mode, again }: { mode: 'diff' | 'sweep'; again?: unknown },
  select: () => { tests: Test[]; notices: Notice[] },
): FeaturePlan<Test[]> {
  if (mode === 'sweep' || again !== undefined) return { own: [] };
  const selected = select();
  const planOf = (own: Test[], notices: Notice[]): FeaturePlan<Test[]> => ({
    own,
    certain: own.flatMap(({ calls }) => calls),
    tested: own.length,
    notices,
  });
  return {
    ...planOf(selected.tests, selected.notices),
    withKeys(hasKeys) {
      const { open = [], left = [] } = Object.groupBy(selected.tests, ({ calls }) =>
        hasKeys(calls.map(({ target }) => target)) ? 'open' : 'left',
      );
      return planOf(open, left.map(keylessNotice));
    },
  };
}
