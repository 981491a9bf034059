import { z } from 'zod';
import { readSaved } from '../../../src/app/commands/files.ts';
import type { CommandRow } from '../../../src/app/commands/terminal.ts';
import type { Feature } from '../../../src/app/run/feature.ts';
import type { SessionRow } from '../../../src/app/session/session-row.ts';
import type { SuiteKey } from '../../../src/config/suite-key.ts';
import type { Answered, OwnSuite, SuiteKind } from '../../../src/kernel/suite/own-suite.ts';
import { paragraph } from '../../../src/report/sections/document.ts';
import type { FeatureReport } from '../../../src/report/sections/feature-report.ts';
import { renderTerminal } from '../../../src/report/terminal.ts';
import { partsOf, textOf } from '../../../src/types/answer.ts';
import { runCommits } from '../../stand-ins/run-commits.ts';
import { answer } from '../app/run/builders.ts';
import { treeOf } from '../config/tree.ts';

/*
 * A feature defined only in this test. Its suites have a key `echo: bad.txt`. It puts the prompt's
 * first message before each answer, and an answer fails if that begins with the file's word.
 */

declare module '../../../src/kernel/result/feature-parts.ts' {
  interface TryParts {
    echo?: string;
  }
  interface SuiteParts {
    echoed?: number;
  }
}

function echoed(bad: string, single: Omit<Answered, 'own'>): Answered {
  const { completion, messages } = single;
  const voice = messages[0]?.content ?? '';
  if (completion.status === 'error') return { ...single, own: null };
  const status = voice.startsWith(bad) ? 'fail' : 'pass';
  return {
    ...single,
    completion: { ...completion, parts: partsOf(`${voice}: ${textOf(completion)}`) },
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
    async answer({ messages, ask }) {
      const completion = (await ask?.([...messages])) ?? answer('recorded');
      return echoed(own.value, { messages: [...messages], completion });
    },
    judgeAgain: async (given) => given,
    firstAnswer: (record) => record as Omit<Answered, 'own'>,
  }),
};

const suiteKey: SuiteKey = {
  key: 'echo',
  schema: z.string().describe('The file with the word that each failing answer begins with.'),
  async read({ value, place, problems }, { load }): Promise<OwnSuite<string> | null> {
    const loaded = typeof value === 'string' ? await load(value, place, problems) : null;
    if (loaded === null) return null;
    const id = new TextDecoder().decode(loaded.content).trim();
    return { kind, value: id, place, models: [] };
  },
};

const report: FeatureReport = {
  sections: { why: ({ suites }) => [paragraph(`Echoed ${suites[0]?.echoed ?? 0}.`)] },
};
const keys = { tries: z.string().exactOptional(), suite: z.number().exactOptional() };

const echo: Feature & SessionRow & CommandRow = {
  key: 'echo',
  suiteKey,
  result: { tries: { echo: keys.tries }, suite: { echoed: keys.suite } },
  judge: () => ({ ofSuite: ({ comparison }) => ({ echoed: comparison.run.runs.length }) }),
  report: async () => report,
};

const commitOf = (commit: string, voice: string) => ({
  ...treeOf({
    'evaldiff.yaml': 'n_tries: 3\nbudget: { max_cost_usd: null }\n',
    'prompts/p.yaml':
      'name: p\nmodel: gpt-4o\nvariables: [{ name: q }]\nmessages: [{ role: system, content: ' +
      `${voice} }, { role: user, content: "{q}" }]\ntests:\n  echo: bad.txt\n  references:\n` +
      [...'01234567'].map((at) => `    - { id: r${at}, input: { q: ask ${at} } }\n`).join(''),
    'prompts/bad.txt': 'bad\n',
  }),
  commit: commit.repeat(40),
});

const run = (before: string, after: string) =>
  runCommits(commitOf('b', before), commitOf('a', after), [echo], (asked) => `you said ${asked}`);

test('a feature can add a kind of suite that is read, run, judged and reported', async () => {
  const { result, requests } = await run('good', 'bad');
  expect(result.problems).toEqual([]);
  const [suite] = result.suites;
  expect(suite).toMatchObject({
    because: [{ key: 'messages', file: 'prompts/p.yaml' }],
    verdict: 'regressed',
    echoed: 8,
    metrics: [{ name: 'echo' }],
  });
  expect(suite?.references[0]?.head?.tries[0]).toMatchObject({
    parts: partsOf('bad: you said ask 0'),
    scores: [{ metric: 'echo', status: 'fail' }],
    echo: 'bad',
  });
  expect(requests).toHaveLength(2 * 3 * 8);
  expect(renderTerminal(result, [report], { width: 80, colour: false })).toContain('Echoed 8.');
  const saved = readSaved('result.json', JSON.stringify(result), [echo]);
  expect(saved).toMatchObject({ kind: 'result', result: { suites: [{ echoed: 8 }] } });
});

test('a suite of a kind that a feature adds does not run if it is unchanged', async () => {
  const { result, requests } = await run('good', 'good');
  expect([result.outcome.kind, requests]).toEqual(['nothing-to-run', []]);
});
