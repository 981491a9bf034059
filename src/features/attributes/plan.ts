import type { PlanningRun } from '../../app/run/feature.ts';
import { SETTINGS_FILE } from '../../config/file-names.ts';
import type { SuiteComparison } from '../../kernel/plan/suite-run.ts';
import { NOTHING_PLANNED, type FeaturePlan } from '../../money/feature-plan.ts';
import { createAsker } from '../../trials/asker.ts';
import type { Notice } from '../../types/plain.ts';
import {
  AUTO_REFERENCES,
  FEWEST_COMPARED,
  PER_QUESTION,
  byReferences,
  explainCalls,
  referenceTokens,
} from './cost.ts';
import { pinnedFor, type PinnedAttributes } from './file.ts';
import type { QualEvalSettings } from './settings.ts';
import { FEWEST_REFERENCES, attributeLimit } from './text.ts';

/** Null if attributes are off. */
export type ExplainOwn = {
  settings: QualEvalSettings;
  pinned: PinnedAttributes | null;
  seed: number;
} | null;

interface ExplainCalls {
  /** Calls that are certain, for pinned attributes or `qualeval: on`. */
  certain: number;
  /** Additional calls if a suite regresses. */
  possible: number;
  tokens: { input: number; output: number };
}

export function planExplain({
  input: { mode, code, again },
  gate,
  head,
  suites,
  read: pinned,
}: PlanningRun<PinnedAttributes>): FeaturePlan<ExplainOwn> | null {
  const { qualeval: settings, seed, file } = head.project.settings;
  const own = { settings, pinned, seed };
  const isGate = gate.attributes === 'fail';
  if (again !== undefined || settings.enabled === 'off')
    return isGate
      ? { ...NOTHING_PLANNED, own: null, notices: [ungatedNotice('qualeval is off')] }
      : null;
  const calls = countExplainCalls(suites, { qualeval: settings, pinned, mode });
  const notices = isGate && calls.possible > 0 ? [ungatedNotice(ONLY_WHERE_WORSE)] : [];
  const found = createAsker(head, code) ?? { asker: { grader: null, unasked: null }, problems: [] };
  const { grader, unasked } = found.asker;
  const plan = { ...NOTHING_PLANNED, own, notices };
  if (calls.certain === 0)
    return { ...plan, possible: grader === null ? 0 : calls.possible, asker: found.asker };
  return grader === null
    ? { ...plan, asker: { grader, unasked: null }, problems: found.problems }
    : {
        ...plan,
        certain: [
          {
            target: grader.target,
            parameters: {},
            purpose: 'qualeval',
            calls: calls.certain,
            tokens: calls.tokens,
            place: { file: file ?? SETTINGS_FILE, line: 0 },
          },
        ],
        possible: calls.possible,
        asker: { grader, unasked },
        problems: found.problems,
      };
}

const ONLY_WHERE_WORSE =
  'attributes are computed only if a suite already regressed; pin ' +
  'them (evaldiff discover), or set qualeval: on';

function ungatedNotice(why: string): Notice {
  return {
    kind: 'qualeval',
    place: null,
    message: `gate.attributes is fail, but attributes cannot fail this run: ${why}`,
  };
}

export function isExplainable(
  { run: { runs }, compared, policy }: SuiteComparison,
  mode: 'diff' | 'sweep',
): boolean {
  return mode === 'sweep'
    ? runs.length > 0
    : policy.kind !== 'pairs' && compared.length >= FEWEST_COMPARED;
}

/** An upper limit, because it ignores stored answers. */
function countExplainCalls(
  suites: readonly SuiteComparison[],
  { qualeval, pinned, mode }: Deciding,
): ExplainCalls {
  const each = byReferences(suites.filter((comparison) => isExplainable(comparison, mode))).flatMap(
    (group) => suiteCalls(group, { qualeval, pinned, mode }),
  );
  const sum = (pick: (suite: (typeof each)[number]) => number) =>
    each.reduce((total, suite) => total + pick(suite), 0);
  const mean = (pick: (suite: (typeof each)[number]) => number) =>
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
  mode: 'diff' | 'sweep';
}

function suiteCalls(
  { path, references, suites }: ReturnType<typeof byReferences<SuiteComparison>>[number],
  { qualeval: { enabled, max_attributes: most, alignment, sample }, pinned: file, mode }: Deciding,
) {
  const own = file === null ? 0 : pinnedFor(file, path).length;
  const isCertain = enabled === 'on' || own > 0;
  if (
    references.length < FEWEST_REFERENCES ||
    (!isCertain && (mode === 'sweep' || references.length < AUTO_REFERENCES))
  )
    return [];
  const pinned = own > 0 ? own : null;
  const rated = Math.min(references.length, sample);
  const shared = explainCalls(rated, { pinned, most, alignment: false });
  const calls =
    shared + suites.length * (explainCalls(rated, { pinned, most, alignment }) - shared);
  const attributes =
    ATTRIBUTE_TOKENS * Math.min(PER_QUESTION, pinned ?? 2 * attributeLimit(rated, most));
  return [
    {
      isCertain,
      calls,
      input:
        calls * (QUESTION_FRAME + attributes + referenceTokens(references) / references.length),
      output: calls * attributes,
    },
  ];
}

/** Estimated tokens of an attribute in a prompt, or its rating in a reply. */
const ATTRIBUTE_TOKENS = 40;

const QUESTION_FRAME = 350;
