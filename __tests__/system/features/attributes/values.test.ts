import { attributesReport } from '../../../../src/features/attributes/report.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { lineText } from '../../../../src/report/sections/document.ts';
import { headline } from '../../../../src/report/sections/outcomes.ts';
import type { Request } from '../../../../src/types/model.ts';
import { reasonsInWords } from '../../../../src/wording/reasons.ts';
import { wholeResultSchema } from '../../../stand-ins/features.ts';
import { answer } from '../../../unit/app/run/builders.ts';
import { scripted } from './scripted-grader.ts';
import { reader } from './sixty.ts';
import { runDesk } from './support.ts';

const DOMAINS = ['birds', 'rivers', 'trains', 'bread', 'chess', 'clouds'];

const WORDS = 'one two three four five six seven eight nine ten'.split(' ');

/** The first words are as expected, the others are not. */
const said = (known: number) =>
  WORDS.map((word, at) => (at < known ? word : `other${at}`)).join(' ');

const TALKS = DOMAINS.flatMap((domain) =>
  Array.from({ length: 8 }, (_, at) => ({ id: `${domain}-${at}`, domain })),
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

async function run(written: Written, known: Known, reply: (known: number) => string = said) {
  const grader = scripted({ ...reader, affinity });
  const complete = (request: Request) => {
    if (request.purpose !== 'prompt') return grader.tools.complete(request);
    const [system, user] = request.messages.map(({ content }) => content);
    const domain = DOMAINS.find((name) => user?.includes(`about ${name} `)) ?? '';
    return Promise.resolve(answer(reply(known(system ?? '', domain))));
  };
  const files = { base: talks('old', written), head: talks('new', written) };
  return (await runDesk({ ...files, edges: { complete } })).result;
}

const birdsFall: Known = (tone, domain) => (tone === 'new' && domain === 'birds' ? 3 : 7);

const firstScreen = (result: Result) => {
  const { outcome, subject, rows, note } = headline(result, [attributesReport]);
  return [`${outcome}: ${lineText(subject)}`, ...rows.map(lineText), lineText(note)].join('\n');
};

const regressed = ({ attributes }: Result) =>
  attributes.filter(({ verdict }) => verdict === 'regressed').map(({ name }) => name);

describe('a pull request that lowers the values of one domain', () => {
  test('is red if no answer of base passes, and names metric, domain and both means', async () => {
    const result = await run({ metrics: '[{ name: rouge, uses: rouge_l }]' }, birdsFall);
    expect(result.conclusion).toBe('failure');
    expect(result.title).toMatch(/^Regressed: talks: rouge 0\.70 → 0\.63, lower in 8 of 48 tests/);
    expect(firstScreen(result)).toBe(
      [
        'Regressed: talks',
        'talks: rouge 0.70 → 0.63, lower in 8 of 48 tests: clearly worse ' +
          '(under 0.1 % likely by chance), in birds (rouge 0.70 → 0.30)',
        'Nothing passes on base, so values decide: set a threshold that answers reach.',
      ].join('\n'),
    );
    expect(regressed(result)).toEqual(['birds']);
    expect(wholeResultSchema.safeParse(JSON.parse(JSON.stringify(result))).success).toBe(true);
  });

  test('is called improved if the values rose, and names no domain as regressed', async () => {
    const rise: Known = (tone, domain) => (tone === 'new' && domain === 'birds' ? 7 : 3);
    const result = await run({ metrics: '[{ name: rouge, uses: rouge_l }]' }, rise);
    expect(result.title).toMatch(/^Improved: talks: rouge 0\.30 → 0\.37, higher in 8 of 48 tests/);
    expect(result.attributes.filter(({ verdict }) => verdict === 'improved')).toMatchObject([
      { name: 'birds', base: null, values: { metric: 'rouge', tested: true } },
    ]);
    expect(regressed(result)).toEqual([]);
  });

  test('names the domain if gate.metrics and qualeval.metric name the value, although answers pass', async () => {
    const result = await run(
      {
        metrics: '[{ name: rouge, uses: rouge_l, threshold: 0.2 }]',
        settings: 'qualeval: { metric: rouge }\ngate: { metrics: { rouge: fail } }\n',
      },
      birdsFall,
    );
    expect(result.outcome.kind).toBe('failed');
    expect(result.title).toContain('the mean of rouge fell, 0.70 → 0.63, in 8 of 48 tests');
    expect(regressed(result)).toEqual(['birds']);
    expect(firstScreen(result)).toContain(', in birds (rouge 0.70 → 0.30)');
  });

  test('fails by gate.attributes with the means of the domain', async () => {
    const result = await run(
      {
        metrics:
          '[{ uses: word_count, better: lower }, { name: near, uses: levenshtein, threshold: 0.99 }]',
        settings: 'gate: { attributes: fail }\n',
      },
      birdsFall,
    );
    expect(reasonsInWords(result).join('\n')).toMatch(
      /talks: the domain "birds" regressed: near 0\.\d+ → 0\.\d+ over 8 tests; gate\.attributes is fail/,
    );
  });

  test('compares a value of which lower is better', async () => {
    const longer: Known = (tone, domain) => (tone === 'new' && domain === 'chess' ? 14 : 8);
    const result = await run({ metrics: '[{ uses: length, better: lower }]' }, longer, (known) =>
      'word '.repeat(known).trim(),
    );
    expect(result.title).toMatch(
      /^Regressed: talks: length 39\.0 → 44\.0, higher in 8 of 48 tests/,
    );
    expect(regressed(result)).toEqual(['chess']);
    expect(firstScreen(result)).toContain(', in chess (length 39.0 → 69.0)');
    expect(result.suites[0]).toMatchObject({
      unit: 'values',
      pass_rate: { base: null, head: null },
    });
  });

  test('is green, with the reason, if nothing passes on base and there are no values', async () => {
    const result = await run({ metrics: '[{ uses: contains }]' }, birdsFall);
    expect(result.conclusion).toBe('success');
    expect(result.title).toBe('Nothing could break: talks 0 → 0 %');
    expect(firstScreen(result)).toContain('Nothing passes on base, so nothing could break.');
  });

  test('stays green with a warning if some answers of base pass', async () => {
    const some: Known = (tone, domain) => (domain === 'bread' ? 9 : birdsFall(tone, domain));
    const result = await run({ metrics: '[{ name: rouge, uses: rouge_l }]' }, some);
    expect(result.conclusion).toBe('success');
    expect(reasonsInWords(result)).toEqual([
      'talks: the mean of rouge fell, 0.73 → 0.67, in 8 of 48 tests',
    ]);
  });
});
