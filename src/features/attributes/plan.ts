import type { Plan } from '../../kernel/plan/plan.ts';
import type { Price } from '../../kernel/plan/price.ts';
import type { SuiteComparison } from '../../kernel/plan/suite-run.ts';
import { gradersOf, type ProjectSide } from '../../kernel/select/targets.ts';
import type { GateSettings } from '../../kernel/suite/gate-settings.ts';
import type { QualEvalSettings } from '../../kernel/suite/suite.ts';
import type { CostCap } from '../../money/price.ts';
import { createInputCounter } from '../../money/tokens.ts';
import type { Grader, Target } from '../../types/model.ts';
import type { Notice, Problem } from '../../types/plain.ts';
import {
  AUTO_REFERENCES,
  FEWEST_COMPARED,
  PER_QUESTION,
  byReferences,
  explainCalls,
} from './cost.ts';
import { pinnedFor, type PinnedAttributes } from './file.ts';
import { FEWEST_REFERENCES, attributeLimit, referenceText } from './text.ts';

/**
 * How a run says which attributes got worse: the part of its plan that asks about attributes.
 */
export interface ExplainPlan {
  settings: QualEvalSettings;
  pinned: PinnedAttributes | null;
  seed: number;
  /**
   * Reads the references; null: no grader is asked, and plain sentences take the place of attributes.
   */
  grader: Grader | null;
  /** Why no grader is asked, as a clause; null: the settings name none. */
  unasked: string | null;
  calls: ExplainCalls;
}

/** The grader that drafts fixes; null: none. `unasked`: why a named one is not asked, as a clause. */
export type Drafter = Pick<ExplainPlan, 'grader' | 'unasked'>;

interface ExplainCalls {
  /** The most calls that are made in any case: attributes are pinned, or `qualeval` is on. */
  certain: number;
  /** The most calls that are made only where something regresses. */
  possible: number;
  /** Estimated tokens of one such call. */
  tokens: { input: number; output: number };
}

interface ExplainPlanOptions {
  mode: 'diff' | 'sweep';
  gate: Pick<GateSettings, 'attributes'>;
  head: ProjectSide;
  suites: readonly SuiteComparison[];
  pinned: PinnedAttributes | null;
  code: 'sandbox' | 'host' | 'off';
  /** Base is compared with itself: nothing changed, so there is nothing to explain. */
  again: boolean;
}

/**
 * What will, or may, be asked about attributes; null where that is switched off. A grader that may
 * be asked is not a condition for the run.
 */
export function planExplain({
  mode,
  gate,
  head,
  suites,
  pinned,
  code,
  again,
}: ExplainPlanOptions): {
  explaining: ExplainPlan | null;
  problems: Problem[];
  notices: Notice[];
} {
  const { qualeval: settings, seed, grader: named } = head.project.settings;
  if (again || settings.enabled === 'off')
    return {
      explaining: null,
      problems: [],
      notices: gate.attributes === 'fail' ? [ungatedNotice('qualeval is off')] : [],
    };
  const { grader, problems } =
    named === null ? { grader: null, problems: [] } : oneGrader(head, code);
  const calls = countCalls(suites, { qualeval: settings, pinned, mode });
  const isCertain = calls.certain > 0;
  return {
    explaining: {
      settings,
      pinned,
      seed,
      grader,
      unasked: isCertain ? null : (problems[0]?.message ?? null),
      calls: grader === null ? { ...calls, certain: 0, possible: 0 } : calls,
    },
    problems: isCertain ? problems : [],
    notices:
      gate.attributes === 'fail' && calls.possible > 0
        ? [
            ungatedNotice(
              'attributes are worked out only where something regressed already; pin them (evaldiff discover), or set qualeval: on',
            ),
          ]
        : [],
  };
}

function ungatedNotice(why: string): Notice {
  return {
    kind: 'qualeval',
    place: null,
    message: `gate.attributes is fail, and will not make this run red: ${why}`,
  };
}

/** The grader that drafts fixes: the one of attributes, even where these are switched off. */
export function drafterOf(head: ProjectSide, code: ExplainPlanOptions['code']): Drafter | null {
  if (head.project.settings.grader === null) return null;
  const { grader, problems } = oneGrader(head, code);
  return { grader, unasked: problems[0]?.message ?? null };
}

/**
 * The grader that is asked about attributes: the first one alone, for several graders vote on
 * grades only.
 */
function oneGrader(
  { project, context }: ProjectSide,
  code: ExplainPlanOptions['code'],
): { grader: Grader | null; problems: Problem[] } {
  const problems: Problem[] = [];
  // Asked directly in sweeps too: a few questions in several steps, each of which would be a batch
  // of its own.
  const [grader = null] = gradersOf(
    {
      project: { ...project, settings: { ...project.settings, voters: [] } },
      context: { ...context, batches: false },
    },
    problems,
  );
  if (grader?.target.provider !== 'program' || code === 'host') return { grader, problems };
  const message = `the grader "${grader.target.model}" is a program of this repository. It runs only with code: host (input code, or --code host).`;
  return {
    grader: null,
    problems: [{ place: { file: project.settings.file ?? 'evaldiff.yaml', line: 0 }, message }],
  };
}

/**
 * Whether attributes can say anything about a suite: it has references enough that count, judged one
 * by one.
 */
export function isExplainable(
  { run: { runs }, compared, policy }: SuiteComparison,
  mode: ExplainPlanOptions['mode'],
): boolean {
  return mode === 'sweep'
    ? runs.length > 0
    : policy.kind !== 'pairs' && compared.length >= FEWEST_COMPARED;
}

/** Counts calls as if nothing of them were stored. */
function countCalls(
  suites: readonly SuiteComparison[],
  { qualeval, pinned, mode }: Deciding,
): ExplainCalls {
  const each = byReferences(suites.filter((comparison) => isExplainable(comparison, mode))).flatMap(
    (group) => suiteCalls(group, { qualeval, pinned, mode }),
  );
  const sum = (pick: (suite: SuiteCalls) => number): number =>
    each.reduce((total, suite) => total + pick(suite), 0);
  const mean = (pick: (suite: SuiteCalls) => number): number =>
    each.length === 0 ? 0 : Math.round(sum(pick) / sum(({ calls }) => calls));
  return {
    certain: sum(({ isCertain, calls }) => (isCertain ? calls : 0)),
    possible: sum(({ isCertain, calls }) => (isCertain ? 0 : calls)),
    tokens: { input: mean(({ input }) => input), output: mean(({ output }) => output) },
  };
}

interface Deciding {
  qualeval: QualEvalSettings;
  pinned: PinnedAttributes | null;
  mode: ExplainPlanOptions['mode'];
}

/** `input` and `output`: tokens of all its calls. */
interface SuiteCalls {
  isCertain: boolean;
  calls: number;
  input: number;
  output: number;
}

/**
 * Suites with the same references share what is asked about these: only answers and insights are
 * their own.
 */
function suiteCalls(
  { references, suites }: ReturnType<typeof byReferences<SuiteComparison>>[number],
  { qualeval: { enabled, max_attributes: most, alignment }, pinned: file, mode }: Deciding,
): SuiteCalls[] {
  const own = file === null ? 0 : pinnedFor(file, suites[0]?.run.suite.path ?? '').length;
  const isCertain = enabled === 'on' || own > 0;
  if (
    references.length < FEWEST_REFERENCES ||
    (!isCertain && (mode === 'sweep' || references.length < AUTO_REFERENCES))
  )
    return [];
  const pinned = own > 0 ? own : null;
  const shared = explainCalls(references.length, { pinned, most, alignment: false }) - 1;
  const calls =
    shared +
    suites.length * (explainCalls(references.length, { pinned, most, alignment }) - shared);
  const attributes =
    ATTRIBUTE_TOKENS *
    Math.min(PER_QUESTION, pinned ?? 2 * attributeLimit(references.length, most));
  const inputOf = createInputCounter();
  const texts = references.reduce(
    (sum, reference) =>
      sum +
      inputOf({ messages: [{ role: 'user', content: referenceText(reference) }], schema: null }),
    0,
  );
  return [
    {
      isCertain,
      calls,
      input: calls * (QUESTION_FRAME + attributes + texts / references.length),
      output: calls * attributes,
    },
  ];
}

/**
 * Estimated tokens of one attribute in a question, or of its rating with the evidence in a reply.
 */
const ATTRIBUTE_TOKENS = 40;

const QUESTION_FRAME = 350;

/** A plan with the calls about attributes. */
export function withExplainCalls(plan: Plan, explaining: ExplainPlan | null): Plan {
  const { certain = 0, possible = 0 } = explaining?.calls ?? {};
  return { ...plan, qualeval_calls: certain, qualeval_possible: possible };
}

/** The calls that are made in any case, with the model asked and the tokens of one call. */
export function certainCalls(
  explaining: ExplainPlan | null,
): { target: Target; calls: number; input: number; output: number }[] {
  if (explaining === null || explaining.grader === null || explaining.calls.certain === 0)
    return [];
  return [
    {
      target: explaining.grader.target,
      calls: explaining.calls.certain,
      ...explaining.calls.tokens,
    },
  ];
}

/**
 * A cap on cost that the user set cannot be kept with a grader of unknown price, so optional
 * questions to it are left out.
 */
export function affordable<T extends Drafter>(
  explaining: T | null,
  price: Price,
  cap: CostCap | null,
): T | null {
  if (explaining === null || explaining.grader === null || cap === null || cap.by === 'default')
    return explaining;
  const { target } = explaining.grader;
  if (price(target, { input_tokens: 0, output_tokens: 0 }) !== null) return explaining;
  return {
    ...explaining,
    grader: null,
    unasked: `no price is known for the grader "${target.model}", so the cap ${cap.by} could not be kept; give it one (models.<name>.price)`,
  };
}

/**
 * A grader without a key is not asked; what it would have said is missing, and the notice says
 * which key that takes.
 */
export function askable<T extends Drafter>(
  explaining: T | null,
  missingKeys: (targets: readonly Target[]) => Problem[],
): T | null {
  if (explaining === null || explaining.grader === null) return explaining;
  const [missing] = missingKeys([explaining.grader.target]);
  return missing === undefined
    ? explaining
    : { ...explaining, grader: null, unasked: missing.message };
}
