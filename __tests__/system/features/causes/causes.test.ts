import { readPrompt } from '../../../../src/config/prompt.ts';
import { Field } from '../../../../src/documents/document.ts';
import { readYaml } from '../../../../src/documents/yaml.ts';
import type { SuiteCauses } from '../../../../src/features/causes/result.ts';
import type { CauseSettings } from '../../../../src/features/causes/settings.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { DEFAULT_GATE, type GateSettings } from '../../../../src/kernel/suite/gate-settings.ts';
import type { Settings } from '../../../../src/project/settings.ts';
import type { Metric } from '../../../../src/types/metric.ts';
import type { Request } from '../../../../src/types/model.ts';
import type { SourceTree } from '../../../../src/types/repository.ts';
import { wholeResultSchema } from '../../../stand-ins/features.ts';
import { inTerminal, annotations, renderComment } from '../../../stand-ins/reports.ts';
import { metric, project, settings } from '../../../unit/app/run/builders.ts';
import { runPipeline, shop, type Given } from '../../app/run/pipeline.ts';

const BASE = [
  'You answer {q} for a shop.',
  'Say yes where a refund is due.',
  'Be polite.',
  'Never guess.',
  'Use short words.',
  'Sign as Ada.',
];
const HEAD = [
  'You answer {q} for our shop.',
  'Say that it depends.',
  'Be very polite.',
  'Never guess a date.',
  'Use short sentences.',
  'Sign as Ada L.',
];

/** The prompt file in the repository, with these lines from line 6 on. */
function treeOf(commit: string, lines: readonly string[]) {
  const text = ['name: p', 'model: m', 'variables:', '  - name: q', 'messages:']
    .concat(
      ['  - role: user', '    content: |-'],
      lines.map((line) => `      ${line}`),
    )
    .join('\n');
  return {
    commit,
    files: new Map([['prompts/p.yaml', { id: commit }]]),
    irregular: new Map(),
    read: () => Promise.resolve(new TextEncoder().encode(text)),
  } as unknown as SourceTree;
}

function promptsIn(file: string, text: string) {
  const document = readYaml(file, text);
  const read = document.ok ? readPrompt(new Field(document.value, [])) : null;
  return read === null ? [] : [read.prompt];
}

interface Setup extends Given {
  base?: readonly string[];
  head?: readonly string[];
  explain?: CauseSettings;
  count?: number;
  /** Head's scoring; default: base's. */
  scoring?: Metric;
  gate?: Partial<GateSettings>;
  more?: Partial<Settings>;
}

/** Runs base's lines against head's. `says` is the model and receives the prompt as sent. */
function runLines(
  says: (prompt: string, request: Request) => string | Error,
  {
    base = BASE,
    head = HEAD,
    explain,
    count = 8,
    scoring,
    gate = {},
    more = {},
    edges,
    ...given
  }: Setup = {},
) {
  const own = settings({
    n_tries: 'adaptive',
    gate: { ...DEFAULT_GATE, ...gate },
    ...(explain === undefined ? {} : { explain }),
    ...more,
  });
  return runPipeline(
    project([shop(base.join('\n'), count)], { settings: own }),
    project(
      [
        shop(
          head.join('\n'),
          count,
          scoring === undefined ? {} : { tests: { metrics: [scoring] } },
        ),
      ],
      { settings: own },
    ),
    (request, question) => says(question, request),
    {
      ...given,
      edges: {
        ...edges,
        sources: { base: treeOf('b', base), head: treeOf('h', head) },
        reread: (file, text) => Promise.resolve(promptsIn(file, text)),
      },
    },
  );
}

const depends = (prompt: string): string => (prompt.includes('it depends') ? 'it depends' : 'yes');

function only({ causes }: Result): SuiteCauses {
  const [suite] = causes ?? [];
  if (suite === undefined) throw new Error('no suite was examined');
  return suite;
}

describe('a pull request with one bad line among six', () => {
  test('names that line and the proof in every report', async () => {
    const { result } = await runLines(depends);
    const { causes, explained } = only(result);
    expect(wholeResultSchema.safeParse(JSON.parse(JSON.stringify(result))).success).toBe(true);
    expect(causes).toHaveLength(1);
    const unit = {
      ...{ kind: 'line', file: 'prompts/p.yaml', side: 'head', lines: { from: 9, to: 9 } },
      ...{ base_text: BASE[1], head_text: HEAD[1] },
    };
    expect(causes[0]).toMatchObject({ relation: 'alone', units: [unit] });
    expect(causes[0]?.references).toHaveLength(8);
    expect(explained).toMatchObject({ status: 'found', reason: null, units: 6, unexplained: [] });
    expect(explained.harmless.map(({ lines }) => lines.from)).toEqual([8, 10, 11, 12, 13]);
    const comment = renderComment(result);
    expect(comment).toContain(
      '`prompts/p.yaml:9`. Putting the old line back fixes 8 of 8 tests; the new line on base breaks them.',
    );
    expect(inTerminal(result)).toContain('prompts/p.yaml:9');
    const [annotation] = annotations(result, [
      { path: 'prompts/p.yaml', deleted: false, lines: [{ start: 8, end: 13 }] } as never,
    ]);
    expect(annotation).toMatchObject({ path: 'prompts/p.yaml', startLine: 9 });
    expect(annotation?.message).toContain('Putting the old line back fixes');
  });

  test('has the same verdict, rates and tries as without the search for the cause', async () => {
    const found = await runLines(depends);
    const without = await runLines(depends, { explain: { max_calls: 0, fix: false } });
    expect(only(without.result)).toMatchObject({
      causes: [],
      explained: { status: 'not-started', reason: 'explain.max_calls is 0', calls: 0 },
    });
    expect(renderComment(without.result, { marker: '' })).toContain(
      '**Cause** not looked for: `explain.max_calls` is 0',
    );
    const { causes: _, usage: __, ...rest } = found.result;
    expect(without.result).toMatchObject(JSON.parse(JSON.stringify(rest)) as object);
    const taken = found.requests.length - without.requests.length;
    expect(taken).toBe(only(found.result).explained.calls);
    expect(taken).toBeGreaterThan(0);
  });

  test('never sends a prompt twice with the same try number', async () => {
    const { requests } = await runLines(depends);
    const keys = requests.map(({ messages, try: at }) => JSON.stringify([messages, at]));
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('stays within its cap and reports what it could not determine', async () => {
    const found = await runLines(depends, { explain: { max_calls: 5, fix: false } });
    const without = await runLines(depends, { explain: { max_calls: 0, fix: false } });
    expect(found.requests.length - without.requests.length).toBeLessThanOrEqual(5);
    expect(only(found.result)).toMatchObject({
      causes: [],
      explained: { status: 'not-settled', reason: '5 calls were not enough' },
    });
  });
});

const ONE = BASE.map((line) => line.replace('Say yes where a refund is due.', 'Say no.'));
const saysNo = (prompt: string): string => (prompt.includes('Say no.') ? 'no' : 'yes');

test('the only change is named without a model call', async () => {
  const found = await runLines(saysNo, { head: ONE });
  const [cause] = only(found.result).causes;
  expect(cause).toMatchObject({ relation: 'only-change', p: null, calls: 0 });
  expect(only(found.result).explained.calls).toBe(0);
});

test('with explain.max_calls: 0, the only change and its fix are not tested, and the report says why', async () => {
  const { result } = await runLines(saysNo, { head: ONE, explain: { max_calls: 0, fix: true } });
  expect(only(result)).toMatchObject({
    causes: [],
    explained: { status: 'not-started', reason: 'explain.max_calls is 0', calls: 0 },
  });
  expect(renderComment(result, { marker: '' })).toContain(
    '**Cause** not looked for: `explain.max_calls` is 0',
  );
});

test('the search for a cause is announced when it starts', async () => {
  const said: string[] = [];
  const looking = (words: string) => said.push(words);
  await runLines(depends, { edges: { onStage: looking } });
  expect(said).toEqual(['looking for what made p worse, in 6 changes']);
  await runLines(() => 'yes', { edges: { onStage: looking } });
  expect(said).toHaveLength(1);
});

describe('when the scoring changes together with the prompt', () => {
  const scoring = metric('has', { source: { kind: 'built-in', uses: 'exact_match', with: {} } });

  test.each([
    ['warn', 'success'],
    ['fail', 'failure'],
  ] as const)(
    'no cause is sought if only the scoring made results worse, with gate.scoring: %s',
    async (does, conclusion) => {
      const { result, requests } = await runLines(() => 'yes indeed', {
        scoring,
        gate: { scoring: does },
      });
      expect(result).toMatchObject({ conclusion, scoring: [expect.anything()] });
      expect(result.causes).toBeUndefined();
      const prompts = requests.map(({ messages }) => messages.at(-1)?.content ?? '');
      for (const prompt of prompts)
        expect([prompt, prompt.includes('our shop')]).toEqual([prompt, prompt.endsWith('Ada L.')]);
    },
  );

  test('the search finds the prompt line that made answers worse under the same scoring', async () => {
    const { result } = await runLines(depends, { scoring });
    expect(result.scoring).toHaveLength(1);
    const [cause] = only(result).causes;
    expect(cause).toMatchObject({ relation: 'alone', units: [{ lines: { from: 9, to: 9 } }] });
  });
});

test('the search finds no cause if calls fail for prompts that mix lines of base and head', async () => {
  const known = [BASE.join('\n'), HEAD.join('\n')].map((text) => text.slice(-40));
  const { result } = await runLines((prompt) =>
    known.some((end) => prompt.endsWith(end)) &&
    prompt.includes('it depends') === prompt.endsWith('L.')
      ? depends(prompt)
      : new Error('no such recording'),
  );
  const { causes, explained } = only(result);
  expect(causes).toEqual([]);
  expect(explained.status).toBe('not-settled');
});

describe('with explain.fix', () => {
  const explain: CauseSettings = { max_calls: null, fix: true };

  test('putting the old line back is tested on broken and passing tests, and the comment shows that line', async () => {
    const { result } = await runLines(
      (prompt, { messages }) =>
        (messages.at(-1)?.content ?? '').includes('r00 ') ? 'yes' : depends(prompt),
      { explain, count: 8 },
    );
    const [cause] = only(result).causes;
    expect(cause?.fix).toMatchObject({
      kind: 'set back',
      file: 'prompts/p.yaml',
      lines: { from: 9, to: 9 },
      replacement: '      Say yes where a refund is due.',
      costs: { references: 0, of: 1 },
    });
    expect(cause?.fix?.restores.references).toBe(cause?.fix?.restores.of);
    const comment = renderComment(result, { marker: '' });
    expect(comment).toContain('tests and broke none of 1 other that passed');
    expect(wholeResultSchema.safeParse(JSON.parse(JSON.stringify(result))).success).toBe(true);
  });

  test.each(['off', 'auto'] as const)('a fix is drafted even with qualeval %s', async (enabled) => {
    const { qualeval } = settings();
    const { result } = await runLines(
      (prompt) =>
        prompt.includes('insights')
          ? '{"insights": [{ "was": "Say that it depends.", "becomes": "Say yes, or that it may depend." }]}'
          : prompt.includes('it depends') && !prompt.includes('r00 ')
            ? 'it depends'
            : 'yes',
      {
        explain,
        more: {
          grader: { model: 'gpt-4o', parameters: {}, place: { file: '', line: 0 } },
          qualeval: { ...qualeval, enabled },
        },
      },
    );
    expect(only(result).causes[0]?.fix).toMatchObject({
      kind: 'draft',
      replacement: '      Say yes, or that it may depend.',
    });
    expect(result.usage.by_purpose.fix?.calls).toBe(1);
    expect(wholeResultSchema.safeParse(JSON.parse(JSON.stringify(result))).error).toBeUndefined();
  });

  test('a fix that breaks passing tests is not shown', async () => {
    const { result } = await runLines(
      (prompt) => {
        const holds = prompt.includes('r00 ');
        return prompt.includes('it depends') === holds || (holds && prompt.endsWith('Sign as Ada.'))
          ? 'yes'
          : 'no';
      },
      { explain, count: 8 },
    );
    expect(only(result).causes[0]).toMatchObject({
      fix: null,
      no_fix: 'the only candidate that ran does not fix what broke without breaking other tests',
    });
    expect(renderComment(result, { marker: '' })).toContain('**No fix is proven**: the only');
  });
});
