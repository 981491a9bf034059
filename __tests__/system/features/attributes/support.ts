/**
 * A support desk of sixty references in the whole pipeline: real files, real store, scripted model
 * and grader.
 */
import { planAndRun } from '../../../../src/app/run/plan-and-run.ts';
import { readSides } from '../../../../src/app/run/read.ts';
import type { Edges, RunInput } from '../../../../src/app/run/record.ts';
import { createAsking, sha256 } from '../../../../src/app/session/cached-complete.ts';
import type { Store } from '../../../../src/edges/store/index.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { createRandom, nextFloat } from '../../../../src/kernel/statistics/random.ts';
import { scoreMetric } from '../../../../src/metrics/index.ts';
import { createLedger } from '../../../../src/money/ledger.ts';
import type { Plan } from '../../../../src/money/prepared.ts';
import { NO_LIST } from '../../../../src/money/price.ts';
import type { Completion, Request } from '../../../../src/types/model.ts';
import { FEATURES } from '../../../stand-ins/features.ts';
import { answer } from '../../../unit/app/run/builders.ts';
import { optionsOf, treeOf } from '../../../unit/config/tree.ts';
import { scripted, type Script } from './scripted-grader.ts';
import { reader, sixty } from './sixty.ts';
import { solveHere } from './solvers.ts';

const MAILS = sixty(() => 1);
const SETTINGS =
  'n_tries: 3\ngrader: judge\nbudget: { max_cost_usd: null }\nmodels: { judge: { provider: openai, model: judge }, desk: { provider: openai, model: desk } }\n';

/** The project's files. A pull request changes `tone`. */
export function desk(
  tone: string,
  more: Record<string, string> = {},
  references = 60,
): Record<string, string> {
  const written = MAILS.slice(0, references).map(({ id, input, expected }) => {
    const mail = JSON.stringify(input['mail']);
    return `  - { id: ${id}, input: { mail: ${mail} }, expected: ${JSON.stringify(expected)} }\n`;
  });
  const system = JSON.stringify(tone);
  return {
    'evaldiff.yaml': SETTINGS,
    'prompts/support.yaml': `defaults: [tests/support]\nname: support\nmodel: desk\nvariables: [{ name: mail }]\nmessages: [{ role: system, content: ${system} }, { role: human, content: "{mail}" }]\n`,
    'prompts/tests/support.yaml': `metrics: [{ name: right, uses: exact_match }]\nreferences:\n${written.join('')}`,
    ...more,
  };
}

export interface Desk {
  base: Record<string, string>;
  head: Record<string, string>;
  /** Rate of correct answers by tone and topic. */
  rate?(tone: string, topic: string): number;
  script?: Script;
  input?: Partial<RunInput>;
  edges?: Partial<Edges>;
  store?: Store;
}

export interface DeskRun {
  result: Result;
  asked: Request[];
  plan: Plan | null;
  of(purpose: Request['purpose']): number;
}

/** Friendly answers to billing mails are mostly wrong. */
export const friendlyIsWrong = (tone: string, topic: string): number =>
  tone === 'Be friendly.' && topic === 'billing' ? 0.2 : 0.95;

/** Runs everything from files to result with the product's caching and caps. */
export async function runDesk({
  base,
  head,
  rate = friendlyIsWrong,
  script = reader,
  input = {},
  edges = {},
  store,
}: Desk): Promise<DeskRun> {
  const grader = scripted(script);
  const asked: Request[] = [];
  let ledger = createLedger({ maxCalls: null, maxCost: null }, () => null);
  const paid = async (request: Request): Promise<Completion> => {
    const [hold] = await ledger.reserve([ledger.outgoing(request)]);
    hold?.settle('nothing');
    if (hold === undefined)
      return {
        status: 'error',
        kind: 'budget',
        message: `no call was made: ${ledger.halt()?.why ?? ''}`,
      };
    asked.push(request);
    return request.purpose === 'prompt' ? reply(request, rate) : grader.tools.complete(request);
  };
  const asking = createAsking({
    complete: paid,
    ledger: () => ledger,
    openStores: async () => (store === undefined ? [] : [store]),
    record: null,
    access: { endpoints: new Map() },
  });
  const seen: { plan: Plan | null } = { plan: null };
  const result = await planAndRun(
    {
      mode: 'diff',
      base: treeOf(base),
      head: treeOf(head),
      maxCalls: null,
      maxCost: null,
      failOn: null,
      code: 'sandbox',
      today: '2026-01-01',
      trust: 'member',
      features: FEATURES,
      withheld: null,
      ...input,
    },
    {
      complete: asking.complete,
      evaluate: async () => {
        throw new Error('no code runs here');
      },
      random: grader.tools.random,
      hash: sha256,
      readSides: (given) => readSides(given, { read: optionsOf(), hash: sha256 }),
      scoreMetric,
      solve: solveHere,
      pricing: async () => ({ list: NO_LIST }),
      stored: asking.reader,
      ledger: (given) => {
        ledger = given;
      },
      halted: () => null,
      missingKeys: () => [],
      planned: ({ plan }) => {
        seen.plan = plan;
      },
      answered: () => undefined,
      ...edges,
    },
  );
  return {
    result,
    asked,
    plan: seen.plan,
    of: (purpose) => asked.filter((request) => request.purpose === purpose).length,
  };
}

/** The model answers correctly at the given rate, and always the same for the same try. */
function reply({ messages, try: index }: Request, rate: NonNullable<Desk['rate']>) {
  const [tone = '', mail = ''] = [messages[0]?.content, messages.at(-1)?.content];
  return answer(rightAnswer({ tone, mail, index }, rate));
}

export function rightAnswer(
  { tone, mail, index }: { tone: string; mail: string; index: number },
  rate: NonNullable<Desk['rate']>,
): string {
  const topic = /about (\w+),/.exec(mail)?.[1] ?? '';
  const drawn = nextFloat(createRandom(`${tone} ${mail} ${index}`));
  if (drawn >= rate(tone, topic)) return `something else, ${index}`;
  return String(MAILS.find(({ input }) => input['mail'] === mail)?.expected);
}
