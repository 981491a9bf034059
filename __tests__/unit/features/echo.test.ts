import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { ownKeys, suiteKeysOf, type Feature } from '../../../src/app/run/feature.ts';
import type { Edges } from '../../../src/app/run/input.ts';
import { readSides } from '../../../src/app/run/read-sides.ts';
import { run } from '../../../src/app/run/run.ts';
import type { SuiteKey } from '../../../src/config/suite-key.ts';
import { valueAt } from '../../../src/documents/document.ts';
import { readResultValue } from '../../../src/kernel/result/result.ts';
import type { Answered, OwnSuite, SuiteKind } from '../../../src/kernel/suite/own-suite.ts';
import { scoreMetric } from '../../../src/metrics/index.ts';
import { NO_LIST } from '../../../src/money/price.ts';
import type { Completion, Request } from '../../../src/types/model.ts';
import { answer } from '../app/run/builders.ts';
import { hash, optionsOf, treeOf } from '../config/tree.ts';

/*
 * A feature that only this test knows. In its suites, `echo: voice.txt` names a file; each answer is
 * what the model said, in the words of that file, and passes unless the file says `bad`.
 */

declare module '../../../src/kernel/result/feature-parts.ts' {
  interface TryParts {
    echo?: string;
  }
  interface SuiteParts {
    echoed?: number;
  }
}

function echoed(voice: string, single: Omit<Answered, 'own'>): Answered {
  const { completion } = single;
  if (completion.status === 'error') return { ...single, own: null };
  const status = voice.startsWith('bad') ? 'fail' : 'pass';
  return {
    ...single,
    completion: { ...completion, output: `${voice}: ${completion.output}` },
    own: {
      record: single,
      scores: [{ metric: 'echo', status, value: null, reason: null, skip: false }],
      parts: { echo: voice },
      failedElsewhere: false,
      calls: ['prompt'],
    },
  };
}

const kind: SuiteKind<string> = {
  key: 'echo',
  scores: ['echo'],
  soleScore: () => null,
  answererOf: (own) => ({
    own,
    fingerprint: 'echo',
    parts: {},
    graders: [],
    mostCalls: 1,
    problems: () => [],
    async answer({ messages, ask, dependencies: [voice] }) {
      const completion = (await ask?.([...messages])) ?? answer('recorded');
      return echoed(voice?.id ?? '', { messages: [...messages], completion });
    },
    judgeAgain: async (given) => given,
    firstAnswer: (record) => record as Omit<Answered, 'own'>,
  }),
};

const suiteKey: SuiteKey = {
  key: 'echo',
  schema: z.string().describe('The file with the words that each answer begins with.'),
  async read(document, { load }, problems): Promise<OwnSuite<string> | null> {
    const [value, place] = [valueAt(document.value, ['echo']), document.placeOf(['echo'])];
    const loaded = typeof value === 'string' ? await load(value, place, problems) : null;
    if (loaded === null) return null;
    const id = new TextDecoder().decode(loaded.content).trim();
    return { kind, value: id, place, models: [], dependencies: [{ file: loaded.file, id }] };
  },
};

const echo: Feature = {
  key: 'echo',
  suiteKey,
  result: {
    tries: { echo: z.string().exactOptional() },
    suite: { echoed: z.number().exactOptional() },
  },
  suiteParts: ({ run: { deciding, runs } }) =>
    deciding.tests.own?.kind === kind
      ? { parts: { echoed: runs.length }, remark: ' Echoed.' }
      : { parts: {}, remark: '' },
};

const commitOf = (commit: string, voice: string) => ({
  ...treeOf({
    'evaldiff.yaml': 'n_tries: 3\nbudget: { max_cost_usd: null }\n',
    'prompts/p.yaml':
      'name: p\nmodel: gpt-4o\nvariables: [{ name: q }]\nmessages: [{ role: user, content: "{q}" }]\ntests:\n  echo: voice.txt\n  references:\n' +
      [...'01234567'].map((at) => `    - { id: r${at}, input: { q: ask ${at} } }\n`).join(''),
    'prompts/voice.txt': `${voice}\n`,
  }),
  commit: commit.repeat(40),
});

const nothing = () => undefined;
const never = () => Promise.reject(new Error('not asked here'));
const QUIET = { guard: nothing, planned: nothing, answered: nothing, halted: () => null };
const pricing = async () => ({ list: NO_LIST, stored: () => false });
const ASKED = { hash, random: () => 'delimiter', missingKeys: () => [], pricing };
const WORLD = { ...QUIET, ...ASKED, evaluate: never, solve: never };
const NO_CAPS = { withheld: null, maxCalls: null, maxCost: null, failOn: null };

async function ran(before: string, after: string) {
  const requests: Request[] = [];
  const complete = async (request: Request): Promise<Completion> => {
    requests.push(request);
    return answer(`you said ${request.messages.at(-1)?.content ?? ''}`);
  };
  const [base, head] = [commitOf('b', before), commitOf('a', after)];
  const read = optionsOf({ suiteKeys: suiteKeysOf([echo]) });
  const edges: Edges = {
    ...WORLD,
    complete,
    scoreMetric,
    readSides: (of) => readSides(of, { read, hash }),
  };
  const rules = { mode: 'diff', trust: 'member', code: 'off', today: '2026-01-01' } as const;
  const input = { ...rules, ...NO_CAPS, base, head, features: [echo] };
  return { result: await run(input, edges), requests };
}

test('a suite of a kind that only its feature knows is read, answered, judged and reported', async () => {
  const { result, requests } = await ran('good', 'bad');
  expect(result.problems).toEqual([]);
  const [suite] = result.suites;
  expect(suite).toMatchObject({
    because: [{ key: 'echo', file: 'prompts/voice.txt' }],
    verdict: 'regressed',
    summary: expect.stringMatching(/ Echoed\.$/) as unknown,
    echoed: 8,
    metrics: [{ name: 'echo' }],
  });
  expect(suite?.references[0]?.head?.tries[0]).toMatchObject({
    actual: 'bad: you said ask 0',
    scores: [{ metric: 'echo', status: 'fail' }],
    echo: 'bad',
  });
  expect(requests).toHaveLength(2 * 3 * 8);
  const saved: unknown = JSON.parse(JSON.stringify(result));
  expect(readResultValue('result.json', saved, ownKeys([echo])).problems).toEqual([]);
});

test('a suite of its own kind is not asked where neither it nor its dependencies changed', async () => {
  const { result, requests } = await ran('good', 'good');
  expect([result.outcome.kind, requests]).toEqual(['nothing-to-run', []]);
});
