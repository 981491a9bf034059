import type { Feature } from '../../app/run/feature.ts';
import { planAndRun } from '../../app/run/plan-and-run.ts';
import { certainWords, planRun } from '../../app/run/plan.ts';
import type { Edges, PlannedRun, RunInput } from '../../app/run/record.ts';
import type { AnswerExchange } from '../../app/session/cached-complete.ts';
import { runInput, withEdges } from '../../app/session/evaluate.ts';
import type { Session } from '../../app/session/session.ts';
import type { Sides } from '../../app/session/sides.ts';
import type { ParsedDocuments } from '../../documents/files.ts';
import type { SideResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { Columns } from '../../kernel/suite/suite.ts';
import { partExpected } from '../../metrics/comparison.ts';
import { metrics as builtIns } from '../../metrics/index.ts';
import { materialUsed } from '../../metrics/keywords.ts';
import { forecastWords } from '../../money/cost-cap.ts';
import type { Prepared } from '../../money/prepared.ts';
import { callsLine } from '../../report/plan.ts';
import { loadReports, type Reports } from '../../report/sections/feature-report.ts';
import { promptKey } from '../../report/sections/order.ts';
import { sentPrompts, type SentPrompts } from '../../report/sections/reference-view.ts';
import type { Metric, Rubric } from '../../types/metric.ts';
import type { Completion, Request } from '../../types/model.ts';
import type { Problem } from '../../types/plain.ts';
import type { Price } from '../../types/price.ts';

export interface WorkLook {
  result: Result;
  /** Also contains references that were not compared. Null if not loaded. */
  all: Result | null;
  reports: Reports;
  sent: SentLookup;
  /** The key is {@link promptKey}. */
  prompts: ReadonlyMap<string, WrittenPrompt>;
  texts: ReadonlyMap<string, string>;
  files: string[];
  missing: boolean;
  interrupted: boolean;
  alone: string | null;
  /** A file's unsaved text. It runs instead of the saved one. */
  draft: { file: string; text: string } | null;
}

interface SentLookup {
  get(key: string): SentPrompts | undefined;
}

export interface WrittenPrompt {
  name: string;
  path: string;
  variables: string[];
  /** The file with the prompt's tests, which may be the prompt's file. */
  tests: string;
  tool: string | null;
  references: number;
  columns: ReadonlyMap<string, Columns>;
  rubrics: RubricChoice[];
  /** Names of metrics that look for `expected` as a part of the answer. */
  spans: string[];
}

export interface RubricChoice {
  name: string;
  file: string;
  labels: readonly string[];
  showsExpected: boolean;
  examples: Rubric['examples'];
}

export interface Evaluation extends Pick<
  WorkLook,
  'result' | 'reports' | 'sent' | 'prompts' | 'missing'
> {
  whole: boolean;
}

interface HowToAsk {
  documents: ParsedDocuments;
  stored: boolean;
  exchange?: AnswerExchange;
  /** `cost` is in US dollars. Null if the price is unknown. */
  paid?(cost: number | null): void;
  assumesCost?: boolean;
  /** Runs instead of the project's features. */
  feature?: Feature | undefined;
}

/** What the feature would ask, in words. */
export function planSides(
  session: Session,
  sides: Pick<Sides, 'base' | 'head'>,
  how: Omit<HowToAsk, 'stored'>,
): Promise<string | Problem[]> {
  return withEdges({ ...session, parsed: how.documents }, sides, async (edges) => {
    const input = lookInput(session, sides, how);
    const planned = await planRun(input, edges);
    if (!planned.ready) return planned.result.problems;
    const graders = planned.features.flatMap(({ asker }) => asker?.grader?.target ?? []);
    const missing = edges.missingKeys(graders);
    if (missing.length > 0) return missing;
    const { plan, forecast } = planned;
    return `${callsLine(plan, certainWords(plan, input.features))}; ${forecastWords(forecast)}`;
  });
}

function lookInput(
  session: Session,
  sides: Pick<Sides, 'base' | 'tip' | 'head'>,
  { assumesCost, feature }: Pick<HowToAsk, 'assumesCost' | 'feature'>,
): RunInput {
  return {
    ...runInput(session, sides.base === null ? 'sweep' : 'diff', sides),
    mayBeEmpty: true,
    ...(assumesCost === true ? { assumesCost } : {}),
    ...(feature === undefined ? {} : { features: [feature] }),
  };
}

/** With `stored`, makes no model calls. */
export async function runSides(
  session: Session,
  sides: Pick<Sides, 'base' | 'tip' | 'head'>,
  { documents, stored, exchange, paid, ...how }: HowToAsk,
): Promise<Evaluation> {
  const found: PlannedRun[] = [];
  const watched: AnswerExchange = {
    given: (key) => exchange?.given(key) ?? null,
    keep(key, request, completion, lasting) {
      exchange?.keep(key, request, completion, lasting);
      const price = found[0]?.price;
      if (price !== undefined && wasMade(completion)) paid?.(callCost(price, request, completion));
    },
  };
  let missing = false;
  const result = await withEdges(
    { ...session, parsed: documents },
    sides,
    (edges) =>
      planAndRun(lookInput(session, sides, how), {
        ...edges,
        ...(stored
          ? storedOnly(edges, () => {
              missing = true;
            })
          : {}),
        planned(ready) {
          edges.planned(ready);
          found.push(ready);
        },
      }),
    watched,
  );
  const [ready] = found;
  return {
    result: stored ? withoutUnasked(result) : result,
    reports: await loadReports(session.features),
    sent: sentIn(ready),
    prompts: ready === undefined ? new Map() : writtenPrompts(ready),
    missing,
    whole: ready !== undefined && isWhole(ready, result),
  };
}

/** A call with a rejected key does not count, because it costs nothing. */
function wasMade(completion: Completion): boolean {
  if (completion.status === 'ok') return !completion.reused;
  return completion.unsent !== true && !['budget', 'aborted', 'key'].includes(completion.kind);
}

function callCost(price: Price, { target }: Request, completion: Completion): number | null {
  if (completion.status === 'error') return 0;
  const { usage, cached } = completion;
  return usage === null ? null : price(target, usage, cached);
}

function sentIn(prepared: Prepared | undefined): SentLookup {
  let all: ReturnType<typeof sentPrompts> | null = null;
  return {
    get: (key) => (prepared === undefined ? undefined : (all ??= sentPrompts(prepared)).get(key)),
  };
}

function isWhole(planned: PlannedRun, { suites }: Result): boolean {
  const run = planned.suites.map(({ run: { suite } }) => suite);
  return (
    !planned.sweepsFurther &&
    run.every(({ unaffected }) => unaffected === 0) &&
    run.filter(({ references }) => references.length > 0).length === suites.length
  );
}

function writtenPrompts({ suites }: Prepared): Map<string, WrittenPrompt> {
  return new Map(
    suites.flatMap(({ run: { suite, scoring } }): [string, WrittenPrompt][] => {
      if (suite.head === null) return [];
      const { prompt, tests } = suite.head.suite;
      const { tool = null, metrics, own, references } = tests;
      const rubrics = [...scoring.rubrics.values()].flatMap((rubric) =>
        tool === null && /\.ya?ml$/.test(rubric.place.file) ? [choiceOf(rubric)] : [],
      );
      return [
        [
          promptKey(suite),
          {
            name: suite.name,
            path: suite.path,
            variables: prompt.variables.map(({ name }) => name),
            tests: metrics[0]?.place.file ?? own?.place.file ?? tests.file,
            tool,
            references: references.length,
            columns: new Map(
              references.flatMap(({ id, columns }) =>
                columns === undefined ? [] : [[id, columns]],
              ),
            ),
            rubrics,
            spans: metrics.filter(expectsPart).map((metric) => metric.name),
          },
        ],
      ];
    }),
  );
}

function expectsPart({ source }: Metric): boolean {
  if (source.kind !== 'built-in') return false;
  return builtIns.get(source.uses)?.expects(source.with) === partExpected;
}

function choiceOf({ name, prompt, choice_scores, examples, place }: Rubric): RubricChoice {
  const showsExpected = materialUsed(prompt).has('expected');
  return { name, file: place.file, labels: [...choice_scores.keys()], showsExpected, examples };
}

const UNASKED = 'only stored answers are shown';

/** Removes tries without a stored answer, because they would count as errors. */
function withoutUnasked(result: Result): Result {
  const cleaned = (side: SideResult | null): SideResult | null =>
    side === null
      ? null
      : { ...side, tries: side.tries.filter(({ error }) => error?.endsWith(UNASKED) !== true) };
  return {
    ...result,
    notices: result.notices.filter(({ kind }) => kind !== 'error' && kind !== 'ungraded'),
    suites: result.suites.map((suite) => ({
      ...suite,
      references: suite.references.map((reference) => {
        const base = cleaned(reference.base);
        const head = cleaned(reference.head);
        const left = (base?.tries.length ?? 0) + (head?.tries.length ?? 0);
        const had = (reference.base?.tries.length ?? 0) + (reference.head?.tries.length ?? 0);
        return {
          ...reference,
          base,
          head,
          status: left < had ? ('inconclusive' as const) : reference.status,
        };
      }),
    })),
  };
}

function storedOnly(edges: Edges, refused: () => void): Partial<Edges> {
  const { kept } = edges;
  let why: string | null = null;
  const refuse = (): string => {
    refused();
    why = UNASKED;
    return why;
  };
  return {
    isPreview: true,
    missingKeys: () => [],
    // Stored answers must not be added to the history again.
    ...(kept === undefined
      ? {}
      : { kept: async () => (await kept()).map(({ outcomes, note }) => ({ outcomes, note })) }),
    // No calls are made, so prices and caps do not matter.
    stored: async () => () => true,
    ledger: (ledger) =>
      edges.ledger({ ...ledger, halt: () => ({ code: 'budget', why: refuse() }) }),
    halted: () => (why === null ? edges.halted() : { code: 'budget', why }),
  };
}
