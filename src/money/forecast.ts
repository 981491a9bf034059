import type { NextTries } from '../kernel/plan/suite-run.ts';
import { type Request, modelLabel } from '../types/model.ts';
import type { Purpose } from '../types/plain.ts';
import type { Price } from '../types/price.ts';
import { judgingCalls } from './judging-calls.ts';
import { plannedQuestions, type Prepared } from './prepared.ts';
import { priceCounts, type Forecast, type ForecastCount } from './priced-calls.ts';
import { createInputCounter, expectedOutput, fileTokens, outputLimit } from './tokens.ts';

export interface ForecastTools {
  price: Price;
  stored(request: Request): boolean;
}

const GRADER_FRAME = 400;

/** Stored answers are free. */
export function forecast(prepared: Prepared, tools: ForecastTools): Forecast {
  const runsCode = prepared.suites.some(
    ({ run: { suite, runs } }) =>
      runs.length > 0 && (suite.head?.suite.prompt.code ?? null) !== null,
  );
  return { ...countPlan(prepared, tools).forecast, ...(runsCode && { own_code: true as const }) };
}

export interface Portion {
  part: number;
  whole: number;
}

/** In US dollars. Stored answers are not free, so that parts add up to the whole. */
export function portionOfCost(whole: Prepared, part: Prepared): Portion | null {
  const tools: ForecastTools = { price: whole.price, stored: () => false };
  const inputOf = createInputCounter();
  const all = countPlan(whole, tools, inputOf);
  const own = countPlan(part, tools, inputOf, all.question);
  return all.forecast.cost_usd === null || own.forecast.cost_usd === null
    ? null
    : { part: own.forecast.cost_usd, whole: all.forecast.cost_usd };
}

function countPlan(
  { suites, next, features }: Prepared,
  { price, stored }: ForecastTools,
  inputOf = createInputCounter(),
  question: number | null = null,
): { forecast: Forecast; question: number } {
  const counts = new Map<string, ForecastCount>();
  const agents = { runs: 0, most_calls: 0, most_usd: 0 };
  let found = 0;
  let questions = 0;
  let answers = 0;
  let files = 0;
  const add: AddPortion = ({ target, parameters }, purpose, calls, input, output) => {
    if (target.provider === 'replay') return;
    const key = `${purpose} ${modelLabel(target)}`;
    const none = { calls: 0, input_tokens: 0, output_tokens: 0 };
    const count: ForecastCount = counts.get(key) ?? { purpose, target, ...none };
    counts.set(key, count);
    noteLimits(count, parameters, input);
    count.calls += calls;
    count.input_tokens += calls * input;
    count.output_tokens += calls * output;
  };
  const wanted = next(suites);
  const runs = suites.map(({ run }) => run);
  for (const { generation, tries } of plannedQuestions(runs, wanted)) {
    if (generation.kind !== 'request') continue;
    const { kind: _, fingerprint: __, draw: ___, ...asked } = generation;
    const first = { ...asked, try: 0, schema: null, purpose: 'prompt' as const };
    const { target } = first;
    const input = inputOf(first);
    questions += tries * input;
    answers += tries;
    const all = Array.from({ length: tries }, (_, index) => ({ ...first, try: index }));
    const missing = tries - all.filter(stored).length;
    found += tries - missing;
    if (target.provider === 'program' && target.calls !== undefined) {
      agents.runs += missing;
      agents.most_calls += missing * target.calls.most;
      agents.most_usd += missing * target.calls.usd;
    } else if (missing > 0) {
      files += missing * fileTokens(first);
      add(first, 'prompt', missing, input, expectedOutput('prompt', first));
    }
  }
  const mean = question ?? (answers === 0 ? 0 : questions / answers);
  addJudging({ suites, wanted, features }, mean, add);
  const priced = priceCounts([...counts.values()], found, price);
  return {
    forecast: {
      ...priced,
      ...(agents.runs === 0 ? {} : { agents }),
      ...(files === 0 ? {} : { file_tokens: files }),
    },
    question: mean,
  };
}

function noteLimits(count: ForecastCount, parameters: Request['parameters'], input: number): void {
  const { target, purpose } = count;
  const limit = outputLimit({ target, parameters, purpose });
  if (limit !== null && limit >= (count.limited?.output ?? 0))
    count.limited = { input, output: limit };
}

type AddPortion = (
  asked: Pick<Request, 'target' | 'parameters'>,
  purpose: Purpose,
  calls: number,
  input: number,
  output: number,
) => void;

function addJudging(
  { suites, wanted, features }: Pick<Prepared, 'suites' | 'features'> & { wanted: NextTries },
  question: number,
  add: AddPortion,
): void {
  const answer = expectedOutput('prompt');
  const judged = question === 0 ? 0 : question + answer;
  const judge = (asked: Pick<Request, 'target' | 'parameters'>, purpose: Purpose, calls: number) =>
    add(asked, purpose, calls, GRADER_FRAME + judged, expectedOutput(purpose, asked));
  const runs = suites.map(({ run }) => run);
  for (const { asked, purpose, calls } of judgingCalls(runs, wanted)) {
    const readsAnswer = purpose === 'embedding' || purpose === 'moderation';
    if (readsAnswer) add(asked, purpose, calls, answer, 0);
    else judge(asked, purpose, calls);
  }
  for (const planned of features.flatMap(({ certain }) => certain)) {
    const { purpose, calls, tokens } = planned;
    if (tokens === null) judge(planned, purpose, calls);
    else add(planned, purpose, calls, tokens.input, tokens.output);
  }
}
