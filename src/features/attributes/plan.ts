import type { PlanningRun } from '../../app/run/feature.ts';
import { SETTINGS_FILE } from '../../config/file-names.ts';
import type { SuiteComparison } from '../../kernel/plan/suite-run.ts';
import type { FeaturePlan, PlannedCalls } from '../../money/feature-plan.ts';
import { createAsker } from '../../trials/asker.ts';
import type { Completion, Grader, Request } from '../../types/model.ts';
import type { Notice } from '../../types/plain.ts';
import { rateReference } from './affinity.ts';
import {
  AUTO_REFERENCES,
  FEWEST_COMPARED,
  MOST_INSIGHT_CALLS,
  PER_QUESTION,
  byReferences,
  explainCalls,
  referenceTokens,
  sampleReferences,
} from './cost.ts';
import { pinnedFor, taskFor, type PinnedAttributes } from './file.ts';
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

export async function planExplain(
  run: PlanningRun<PinnedAttributes>,
): Promise<FeaturePlan<ExplainOwn> | null> {
  const { gate, head, suites, read: pinned } = run;
  const { mode, code, again } = run.input;
  const { qualeval: settings, seed, file } = head.project.settings;
  const own = { settings, pinned, seed };
  const isGate = gate.attributes === 'fail';
  if (again !== undefined || settings.enabled === 'off')
    return isGate ? { own: null, notices: [ungatedNotice('qualeval is off')] } : null;
  const calls = countExplainCalls(suites, { qualeval: settings, pinned, mode });
  const possible = calls.possible + insightCalls(run, calls);
  const notices = isGate && calls.possible > 0 ? [ungatedNotice(ONLY_WHERE_WORSE)] : [];
  const found = createAsker(head, code) ?? { asker: { grader: null, unasked: null }, problems: [] };
  const { grader, unasked } = found.asker;
  if (calls.certain === 0)
    return {
      own,
      notices,
      ...(grader !== null && { possible }),
      asker: found.asker,
    };
  const { problems } = found;
  if (grader === null) return { own, notices, asker: { grader, unasked: null }, problems };
  const missing = calls.certain - (await countStored(run, grader));
  const asked: PlannedCalls = {
    target: grader.target,
    parameters: {},
    purpose: 'qualeval',
    calls: missing,
    tokens: calls.tokens,
    place: { file: file ?? SETTINGS_FILE, line: 0 },
  };
  return {
    own,
    notices,
    problems,
    certain: missing > 0 ? [asked] : [],
    possible,
    asker: { grader, unasked },
  };
}

/** Calls to find and try changes of the prompt, if attributes may regress. */
function insightCalls(
  { input: { mode }, head }: PlanningRun<unknown>,
  { certain, possible }: ExplainCalls,
): number {
  const isPossible = mode === 'diff' && certain + possible > 0;
  return isPossible ? (head.project.settings.qualeval.insight_calls ?? MOST_INSIGHT_CALLS) : 0;
}

/** How many questions about pinned attributes the store can answer. */
async function countStored(
  { input: { mode }, head, suites, read: pinned, tools }: PlanningRun<PinnedAttributes>,
  grader: Grader,
): Promise<number> {
  if (pinned === null) return 0;
  const { qualeval, seed } = head.project.settings;
  const stored = await tools.stored();
  let known = 0;
  const look = (request: Request): Promise<Completion> => {
    if (stored(request)) known += 1;
    return Promise.resolve({ status: 'error', kind: 'aborted', message: 'only looked for' });
  };
  const groups = byReferences(suites.filter((suite) => isExplainable(suite, mode)));
  for (const { path, references, suites: sharing } of groups) {
    const [attributes, task] = [pinnedFor(pinned, path), taskFor(pinned, path)];
    if (attributes.length === 0) continue;
    const compared = new Set(
      sharing.flatMap((suite) => suite.compared.map(({ affected }) => affected.reference.id)),
    );
    const all = references.map((each) => ({ ...each, compared: compared.has(each.id) }));
    const asking = { grader, random: tools.random, complete: look, task };
    for (const reference of sampleReferences(all, qualeval.sample, seed))
      await rateReference(reference, attributes, asking);
  }
  return known;
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
