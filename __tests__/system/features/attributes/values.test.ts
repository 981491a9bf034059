import { describe, expect, jest, test } from '@jest/globals';
import { attributesReport } from '../../../../src/features/attributes/report.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { headline } from '../../../../src/report/sections/outcomes.ts';
import type { Completion, Request } from '../../../../src/types/model.ts';
import { answer } from '../../../unit/app/run/builders.ts';
import { scripted } from './scripted-grader.ts';
import { reader } from './sixty.ts';
import { runDesk } from './support.ts';

jest.setTimeout(120_000);

const DOMAINS = ['birds', 'rivers', 'trains', 'bread', 'chess', 'clouds'];

const WORDS = 'one two three four five six seven eight nine ten'.split(' ');

/** The first words are as expected, the others are not. */
const said = (known: number): string =>
  WORDS.map((word, at) => (at < known ? word : `other${String(at)}`)).join(' ');

const TALKS = DOMAINS.flatMap((domain) =>
  Array.from({ length: 8 }, (_, at) => ({ id: `${domain}-${String(at)}`, domain })),
);

/** Six domains with eight tests each. A pull request changes `tone`. */
function talks(tone: string, { metrics, settings = '' }: Written): Record<string, string> {
  const references = TALKS.map(
    ({ id, domain }) =>
      `  - { id: ${id}, input: { talk: about ${domain} ${id} }, expected: ${WORDS.join(' ')} }\n`,
  );
  return {
    'evaldiff.yaml':
      'grader: judge\nbudget: { max_cost_usd: null }\nmodels: { judge: { provider: openai, model: judge }, desk: { provider: openai, model: desk } }\n' +
      settings,
    'evaldiff.attributes.yaml': `domains: [${DOMAINS.map((name) => `{ name: ${name} }`).join(', ')}]\nsubtasks: [{ name: answer }]\n`,
    'prompts/talks.yaml': `defaults: [tests/talks]\nname: talks\nmodel: desk\nvariables: [{ name: talk }]\nmessages: [{ role: system, content: ${tone} }, { role: human, content: "{talk}" }]\n`,
    'prompts/tests/talks.yaml': `metrics: ${metrics}\nreferences:\n${references.join('')}`,
  };
}

interface Written {
  metrics: string;
  settings?: string;
}

/** The number of words as expected, by tone and domain. */
type Known = (tone: string, domain: string) => number;

const affinity = (text: string, list: { id: string; name: string }[]) => ({
  ratings: list.map(({ id, name }) => ({
    ...{ id, evidence: '' },
    score: name === 'answer' || text.includes(`about ${name} `) ? 5 : 1,
  })),
});

async function run(written: Written, known: Known): Promise<Result> {
  const grader = scripted({ ...reader, affinity });
  const complete = (request: Request): Promise<Completion> => {
    if (request.purpose !== 'prompt') return grader.tools.complete(request);
    const [system, user] = request.messages.map(({ content }) => content);
    const domain = DOMAINS.find((name) => user?.includes(`about ${name} `)) ?? '';
    return Promise.resolve(answer(said(known(system ?? '', domain))));
  };
  const files = { base: talks('old', written), head: talks('new', written) };
  return (await runDesk({ ...files, edges: { complete } })).result;
}

const birdsFall: Known = (tone, domain) => (tone === 'new' && domain === 'birds' ? 3 : 7);

const firstScreen = (result: Result): string => {
  const { outcome, subject, rows, note } = headline(result, [attributesReport]);
  const plain = (line: readonly object[]): string =>
    line.map((piece) => ('text' in piece ? String(piece.text) : '')).join('');
  return [`${outcome}: ${plain(subject)}`, ...rows.map(plain), plain(note)].join('\n');
};

describe('a suite that no answer of base passes', () => {
  test('is red if the values of one domain fall, and names metric, domain and both means', async () => {
    const result = await run({ metrics: '[{ name: rouge, uses: rouge_l }]' }, birdsFall);
    console.log(
      result.title,
      '\n',
      firstScreen(result),
      '\n',
      JSON.stringify(result.reasons),
      JSON.stringify(result.suites[0]!.reason),
      JSON.stringify(
        result.attributes.map(({ name, verdict, p, values }) => [name, verdict, p, values]),
      ),
    );
    expect(result.conclusion).toBe('failure');
  });
});
