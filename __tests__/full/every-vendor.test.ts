import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { main } from '../../src/app/commands/program.ts';
import type { Result } from '../../src/kernel/result/result.ts';
import { answerText } from '../../src/report/answers/text.ts';
import { factsOf, isVendor, vendorNames } from '../../src/types/vendors.ts';
import { untilTestEnds } from '../stand-ins/after-test.ts';
import { FEATURES } from '../stand-ins/features.ts';
import { isGrading, startPlace, type PlaceServer } from '../stand-ins/models/place-server.ts';
import { PLACES, type Place } from '../stand-ins/models/places.ts';
import {
  createRepository,
  fixtureEnvironment,
  type FixtureRepository,
} from '../stand-ins/repository.ts';
import { ROOT } from '../system/end-to-end/runner.ts';
import { testClock } from '../unit/edges/providers/providers-setting.ts';

const KEY = 'key-of-the-place-51fgTY7qqPPab90XYZ';
const page = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const MODELS = page('docs/models.md');

/** The README's block that starts with this path. */
function shown(path: string): string {
  const [, block = ''] =
    new RegExp(`\`\`\`yaml\\n(# ${path}\\n[\\s\\S]*?)\`\`\``).exec(page('README.md')) ?? [];
  return block;
}

/** The row of docs/models.md that starts with these words. */
function row(label: string): string {
  return MODELS.split('\n').find((line) => line.startsWith(`| ${label} `)) ?? '';
}

/** The settings that docs/models.md gives for a server. */
function recipe({ name, model, api }: Place): { settings: string; line: string | null } {
  if (isVendor(name)) {
    const [settings = ''] = /models: \{.*\} \}/.exec(row(factsOf(name).label)) ?? [];
    return { settings, line: null };
  }
  const [, line = '', endpoint = ''] = /\| `((\w+)=[^`]+)`/.exec(row(name)) ?? [];
  const provider = api === 'messages' ? 'anthropic' : 'openai';
  return {
    settings: `models: { '${model}': { provider: ${provider}, endpoint: ${endpoint} } }`,
    line,
  };
}

interface Asked {
  code: number;
  out: string;
  err: string;
}

interface Setting {
  server: PlaceServer;
  repository: FixtureRepository;
  evaldiff(...argv: string[]): Promise<Asked>;
}

/** The README's first prompt with a model of this server, in a new repository. */
async function setUp(place: Place): Promise<Setting> {
  const server = await untilTestEnds(
    startPlace(place, {
      key: KEY,
      say: (asked, form) =>
        form === 'json'
          ? '{"reasons":"It names it.","choice":"Yes"}'
          : /Denmark/.test(asked)
            ? 'Copenhagen'
            : 'Berlin',
    }),
  );
  const { settings, line } = recipe(place);
  const repository = createRepository();
  repository.commit('Begin', {
    'evaldiff.yaml': `n_tries: 1\ngrader: { model: '${place.model}', temperature: 0 }\n${settings}\n`,
    'prompts/capitals.yaml': shown('prompts/capitals.yaml')
      .replace(/^model: .*$/m, `model: '${place.model}'\ntemperature: 0`)
      .replace('metrics:\n', 'metrics:\n  - { name: named, rubric: named, threshold: 1 }\n')
      .replace(
        'references:\n',
        `  - { name: brief, code: 'metric = len(actual); result = metric < 40' }\nreferences:\n`,
      ),
    'rubrics/named.yaml':
      'named:\n  prompt: "Is a city named? {completion}"\n  choice_scores: { "Yes": 1, "No": 0 }\n',
  });
  return { server, repository, evaldiff: terminalAt(repository, server, place, line) };
}

function terminalAt(
  { directory }: FixtureRepository,
  { origin }: PlaceServer,
  place: Place,
  line: string | null,
): Setting['evaldiff'] {
  const variables = isVendor(place.name)
    ? [factsOf(place.name).keyVariable]
    : [...(line ?? '').matchAll(/(?:key=|header=[\w-]+:)(\w+)/g)].map(([, name = '']) => name);
  const reach = isVendor(place.name)
    ? { vendorUrls: { [place.name]: `${origin}${new URL(factsOf(place.name).host).pathname}` } }
    : {};
  return async (...argv) => {
    const texts = { out: '', err: '' };
    const code = await main(
      [
        ...argv,
        ...(line === null ? [] : ['--endpoint', line.replace(/https?:\/\/[^/\s]+/, origin)]),
      ],
      {
        env: fixtureEnvironment(Object.fromEntries(variables.map((name) => [name, KEY]))),
        cwd: directory,
        isTerminal: false,
        width: 160,
        features: FEATURES,
        testOverrides: { ...reach, clock: testClock() },
        out: (text) => void (texts.out += text),
        err: (text) => void (texts.err += text),
      },
    );
    return { code, ...texts };
  };
}

function resultOf({ out, err }: Asked): Result {
  if (!out.startsWith('{')) throw new Error(`no result: ${out}${err}`);
  return JSON.parse(out) as Result;
}

const triesIn = ({ suites }: Result) =>
  suites.flatMap(({ references }) => references.flatMap(({ head }) => head?.tries ?? []));

/** Removes the lines from the prompt that the messages name. */
function removeAsTold({ repository }: Setting, { out, err }: Asked): string[] {
  const told = [...`${out}${err}`.matchAll(/prompts\/capitals\.yaml:\d+: .*remove line (\d+)/g)];
  const prompt = readFileSync(join(repository.directory, 'prompts/capitals.yaml'), 'utf8');
  const lines = told.map(([, line]) => Number(line) - 1);
  repository.commit('As told', {
    'prompts/capitals.yaml': prompt
      .split('\n')
      .filter((_, at) => !lines.includes(at))
      .join('\n'),
  });
  return lines.map((at) => prompt.split('\n')[at] ?? '');
}

const isKnown = ({ name }: Place): boolean => isVendor(name) && factsOf(name).passports.length > 0;

const CASES = PLACES.map((place) => [`${place.name} (${place.model})`, place] as const);

describe('the tested model servers', () => {
  test('cover all vendors and every server in docs/models.md', () => {
    const names = new Set(PLACES.map(({ name }) => name));
    expect([...names].filter(isVendor).sort()).toEqual([...vendorNames()].sort());
    const lines = MODELS.split('\n').flatMap(
      (line) => /^\| ([^|]+?) +\| `\w+=/.exec(line)?.[1] ?? [],
    );
    expect([...names].filter((name) => !isVendor(name)).sort()).toEqual([...lines].sort());
  });

  test("use the hosts and headers in the vendors' documentation", () => {
    for (const { name, host, key } of PLACES.filter(({ host }) => host !== null)) {
      if (!isVendor(name)) throw new Error(name);
      const facts = factsOf(name);
      expect([name, new URL(facts.host).host]).toEqual([name, host]);
      expect([name, facts.keyHeader]).toEqual([name, key?.header]);
    }
  });
});

describe.each(CASES)("on %s, the README's first prompt", (_name, place) => {
  test('runs and is graded once the parameters that validate rejects are removed', async () => {
    const at = await setUp(place);
    const { temperature: takes } = place;
    if (!takes) {
      expect(removeAsTold(at, await at.evaldiff('validate'))).toEqual(['temperature: 0']);
      expect([...at.server.answered, ...at.server.refused]).toEqual([]);
    }
    const asked = await at.evaldiff('run', '--json');
    const { code, err } = asked;
    expect({ code, err }).toEqual({ code: 0, err: expect.any(String) });
    const tries = triesIn(resultOf(asked));
    expect(tries.map(({ parts, outcome }) => [answerText({ parts }), outcome])).toEqual([
      ['Copenhagen', 'pass'],
      ['Berlin', 'pass'],
    ]);
    expect(tries.map(({ scores }) => scores.map(({ metric }) => metric))).toEqual([
      ['named', 'correct', 'brief'],
      ['named', 'correct', 'brief'],
    ]);
    // Only a grader's answer format is refused, never the prompt.
    const asIs = at.server.answered.filter((body) => !isGrading(body));
    expect(asIs.map(({ temperature }) => temperature)).toEqual(
      takes ? [0, 0] : [undefined, undefined],
    );
    const refused = at.server.refused.filter((each) => !/format|output|tool_choice/.test(each));
    // Known models need no requests to discover their parameters.
    expect(isKnown(place) ? at.server.refused : refused).toEqual([]);
  });
});
