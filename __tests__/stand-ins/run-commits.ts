import type { CommandFeatures } from '../../src/app/commands/terminal.ts';
import { planAndRun } from '../../src/app/run/plan-and-run.ts';
import { readSides } from '../../src/app/run/read.ts';
import type { Edges } from '../../src/app/run/record.ts';
import { suiteKeysOf } from '../../src/app/session/session-row.ts';
import type { Result } from '../../src/kernel/result/result.ts';
import { scoreMetric } from '../../src/metrics/index.ts';
import { NO_LIST } from '../../src/money/price.ts';
import type { Request } from '../../src/types/model.ts';
import type { SourceTree } from '../../src/types/repository.ts';
import { answer } from '../unit/app/run/builders.ts';
import { hash, optionsOf } from '../unit/config/tree.ts';

/** A whole run over two in-memory commits. `reply` answers the last message of each request. */
export async function runCommits(
  base: SourceTree,
  head: SourceTree,
  features: CommandFeatures,
  reply: (asked: string) => string,
  description?: string,
): Promise<{ result: Result; requests: Request[] }> {
  const requests: Request[] = [];
  const never = () => Promise.reject(new Error('not asked here'));
  const read = optionsOf({ suiteKeys: suiteKeysOf(features) });
  const edges: Edges = {
    complete: async (request) => {
      requests.push(request);
      return answer(reply(request.messages.at(-1)?.content ?? ''));
    },
    readSides: (input) => readSides(input, { read, hash }),
    pricing: async () => ({ list: NO_LIST }),
    stored: async () => () => false,
    evaluate: never,
    scoreMetric,
    solve: never,
    hash,
    random: () => 'delimiter',
    missingKeys: () => [],
    ledger: () => undefined,
    planned: () => undefined,
    answered: () => undefined,
    halted: () => null,
  };
  const input = {
    mode: 'diff' as const,
    trust: 'member' as const,
    code: 'off' as const,
    today: '2026-01-01',
    withheld: null,
    maxCalls: null,
    maxCost: null,
    failOn: null,
  };
  const sides = { base, head, ...(description === undefined ? {} : { description }) };
  return { result: await planAndRun({ ...input, ...sides, features }, edges), requests };
}
