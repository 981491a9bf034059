import { readFileSync } from 'node:fs';
import { filePathsBelow } from '../../scripts/entries-below.ts';
import { renderVendors, withVendors } from '../../scripts/vendor-docs.ts';
import { loadListPrices } from '../../src/app/session/edges.ts';
import { apiOf, refusedIn } from '../../src/types/apis.ts';
import { retirementDate, passportOf } from '../../src/types/passports.ts';
import type { Json } from '../../src/types/plain.ts';
import type { VendorName } from '../../src/types/vendors/names.ts';
import { factsOf, vendorNames } from '../../src/types/vendors.ts';
import { refusedByModel } from '../stand-ins/models/rules.ts';
import { tightTables } from '../tight-tables.ts';

const sdk = (path: string) => readFileSync(`node_modules/${path}`, 'utf8');

/** The string literals of a union type. */
function namesIn(text: string, type: string) {
  const declared = new RegExp(`export type ${type} = ([^;]+);`).exec(text)?.[1] ?? '';
  return [...declared.matchAll(/'([^']+)'/g)].map(([, name = '']) => name);
}

const SHARED = sdk('openai/resources/shared.d.ts');
const CLAUDE = sdk('@anthropic-ai/sdk/resources/messages/messages.d.ts');
const MODELS: Readonly<Partial<Record<VendorName, readonly string[]>>> = {
  openai: namesIn(SHARED, 'ChatModel'),
  anthropic: namesIn(CLAUDE, 'Model'),
};
const at = (provider: VendorName, model: string) => ({ provider, endpoint: null, model });

/** Starter models of the vendors, and a few more that examples need. */
const EXAMPLES: readonly (readonly [VendorName, string])[] = [
  ...vendorNames().map((vendor) => [vendor, factsOf(vendor).starterModel] as const),
  ['openai', 'gpt-5.4'],
  ['openai', 'gpt-5.5'],
  // Examples sweep over temperatures, which this model accepts.
  ['anthropic', 'claude-sonnet-4-6'],
];

/** Names of public models as they appear in text. */
const PUBLIC =
  /\b(?:gpt-\d|claude-(?!sonnet\b(?!-))|gemini-\d|grok-\d|deepseek-(?!api)|o\d-)[\w.-]*\w/g;

function filesIn(folder: string) {
  return filePathsBelow(folder).map((path) => `${folder}/${path}`);
}

/** Retirement dates in the SDKs, by model. */
function endsInSdks() {
  const ends = new Map<string, string>();
  const [, listed = ''] = SHARED.split('* Deprecated values:');
  const text = listed.slice(0, listed.indexOf('*/')).replace(/\n \* ?/g, ' ');
  for (const item of text.split(/ - (?=")/)) {
    const day = /shutdown\s+date:\s+(\d{4}-\d\d-\d\d)/.exec(item)?.[1];
    if (day === undefined) continue;
    for (const [, name = ''] of item.matchAll(/"([^"]+)"/g)) ends.set(name, day);
  }
  const [, claude = ''] = sdk('@anthropic-ai/sdk/resources/messages/messages.js').split(
    'const DEPRECATED_MODELS = {',
  );
  for (const [, name = '', day = ''] of claude
    .slice(0, claude.indexOf('}'))
    .matchAll(/'([^']+)': '([^']+)'/g)) {
    const date = new Date(`${day.replace(/(\d)(st|nd|rd|th)/, '$1')} UTC`);
    ends.set(name, date.toISOString().slice(0, 10));
  }
  return ends;
}

describe('the table of models', () => {
  test("has the same retirement dates as the vendors' SDKs", () => {
    const ours = (Object.keys(MODELS) as VendorName[]).flatMap((vendor) =>
      Object.entries(factsOf(vendor).ends).flatMap(([day, models]) =>
        models.map((model) => [model, day]),
      ),
    );
    expect(ours.length).toBeGreaterThan(50);
    const listed = endsInSdks();
    expect(listed.size).toBeGreaterThan(50);
    expect(Object.fromEntries(ours)).toMatchObject(Object.fromEntries(listed));
  });

  test.each([
    ['claude-opus-4-1', '2026-08-05'],
    ['claude-sonnet-4-20250514', '2026-06-15'],
    ['claude-opus-4-0', '2026-06-15'],
    ['claude-3-haiku-20240307', '2026-04-20'],
    ['claude-3-7-sonnet-latest', '2026-02-19'],
    ['claude-3-5-haiku-20241022', '2026-02-19'],
    ['claude-3-opus-20240229', '2026-01-05'],
    ['claude-3-5-sonnet-20241022', '2025-10-28'],
    ['claude-2.1', '2025-07-21'],
  ])('knows when %s was retired, although the SDK no longer lists it', (model, day) => {
    expect(retirementDate(at('anthropic', model))).toBe(day);
  });

  test.each<[VendorName, string, string]>([
    ['openai', 'gpt-5-pro', '2026-12-11'],
    ['openai', 'o3-pro-2025-06-10', '2026-12-11'],
    ['openai', 'o1-pro', '2026-10-23'],
    ['openai', 'gpt-5.3-codex', '2027-04-01'],
    ['gemini', 'gemini-3-pro-preview', '2026-03-09'],
    ['groq', 'llama-3.3-70b-versatile', '2026-08-16'],
  ])('has the retirement date of %s model %s, which no SDK states', (vendor, model, day) => {
    expect(retirementDate(at(vendor, model))).toBe(day);
  });

  test('has every chat model in the SDKs that is still available', () => {
    for (const [vendor, models] of Object.entries(MODELS) as [VendorName, string[]][]) {
      expect(models.length).toBeGreaterThan(15);
      const unknown = models.filter(
        (model) =>
          passportOf(at(vendor, model)) === null &&
          (retirementDate(at(vendor, model)) ?? '9') > '2026-11-22',
      );
      expect(unknown.filter((model) => !/audio|mythos-preview|5\.1-mini/.test(model))).toEqual([]);
    }
  });

  test('assigns the Responses API to models that the SDK lists only for that API', () => {
    const alone = namesIn(SHARED, 'ResponsesModel').filter(
      (model) => !namesIn(SHARED, 'ChatModel').includes(model),
    );
    expect(alone.length).toBeGreaterThan(15);
    for (const model of alone)
      expect([model, passportOf(at('openai', model))?.api]).toEqual([model, 'responses']);
    for (const model of MODELS.openai ?? [])
      if (!/-pro|codex/.test(model)) expect(passportOf(at('openai', model))?.api).toBeUndefined();
  });

  test('has a source and a date for each entry', () => {
    for (const { source, checked } of vendorNames().flatMap(
      (vendor) => factsOf(vendor).passports,
    )) {
      expect(source).toMatch(/^https:\/\//);
      expect(checked).toMatch(/^20\d\d-\d\d-\d\d$/);
    }
  });

  test('rejects the same parameters as the fake model servers', () => {
    const budget = { type: 'enabled', budget_tokens: 1024 };
    const [adaptive, disabled] = [{ type: 'adaptive' }, { type: 'disabled' }];
    const bodies: Record<string, Record<string, Json>[]> = {
      any: [{ temperature: 0 }, { temperature: 1 }, {}],
      openai: [
        ...[{ reasoning_effort: 'none' }, { reasoning_effort: 'low' }].flatMap((effort) => [
          effort,
          { ...effort, temperature: 0 },
          { ...effort, top_p: 0.5 },
          { ...effort, tools: [{ type: 'function', function: { name: 'f' } }] },
        ]),
        { reasoning_effort: 'minimal' },
        { presence_penalty: 1 },
        { frequency_penalty: 1 },
        { tools: [{ type: 'function', function: { name: 'f' } }] },
        { logprobs: true },
        { max_tokens: 5 },
        { max_completion_tokens: 5 },
      ],
      anthropic: [
        ...[budget, adaptive, disabled].flatMap((thinking) => [
          { thinking },
          { thinking, temperature: 0 },
          { thinking, temperature: 1 },
          { thinking, top_k: 5 },
          { thinking, tool_choice: { type: 'any' } },
        ]),
        { tool_choice: { type: 'tool', name: 'f' } },
        { tool_choice: { type: 'auto' } },
        { top_k: 5 },
        { top_p: 0.9 },
        { top_p: 0.9, temperature: 1 },
      ],
    };
    for (const [vendor, models] of Object.entries(MODELS) as [VendorName, string[]][])
      for (const model of models) {
        const passport = passportOf(at(vendor, model));
        if (passport === null || passport.api !== undefined) continue;
        for (const body of [...(bodies['any'] ?? []), ...(bodies[vendor] ?? [])]) {
          const said = refusedByModel(
            factsOf(vendor).speaks,
            { model, ...body },
            factsOf(vendor).headers,
          );
          // Chat completions reject these tools, so the Responses API is used.
          if (vendor === 'openai' && apiOf(at(vendor, model), body) === 'responses') {
            expect([said?.param, 'tools' in body]).toEqual(['reasoning_effort', true]);
            continue;
          }
          const ours = refusedIn(at(vendor, model), body).length > 0;
          const what = { model, body };
          expect({ ...what, ours }).toEqual({ ...what, ours: said !== null });
        }
      }
  });

  test('matches docs/vendors.md and docs/models.md (if not, run npm run generate)', () => {
    expect(tightTables(readFileSync('docs/vendors.md', 'utf8'))).toBe(tightTables(renderVendors()));
    const models = tightTables(readFileSync('docs/models.md', 'utf8'));
    expect(models).toBe(tightTables(withVendors(models)));
  });

  test('contains all example models that pages, help texts and messages name', () => {
    const pages = [
      'README.md',
      'SECURITY.md',
      'CONTRIBUTING.md',
      'action.yml',
      ...filesIn('docs'),
      ...filesIn('examples'),
      ...filesIn('src'),
    ].filter(
      (path) =>
        /\.(md|ya?ml|ts)$/.test(path) && !/^docs\/vendors\.md$|^src\/types\/vendors/.test(path),
    );
    const others = pages.flatMap((path) =>
      readFileSync(path, 'utf8')
        .split('\n')
        // `replaces` contains old names on purpose, and users do not see comments.
        .map((line) => line.replace(/replaces: \[[^\]]*\]/, ''))
        .filter((line) => !path.endsWith('.ts') || !/^\s*(\/?\*|\/\/)/.test(line))
        .flatMap((line) => line.match(PUBLIC) ?? [])
        .filter((name) => !name.startsWith('claude-code'))
        // FlexEval's own default.
        .filter((name) => name !== 'gpt-3.5-turbo' || !path.includes('flexeval'))
        .filter((name) => !EXAMPLES.some(([, model]) => model === name))
        .map((name) => `${path}: ${name}`),
    );
    expect(others).toEqual([]);
  });

  // Tests of the command line have a fake clock, but the action and shipped files do not.
  test('has no retirement date for models in the demo or in tests that use the current date', () => {
    const files = [
      ...filesIn('fixtures/demo'),
      ...filesIn('__tests__/system/end-to-end'),
      '__tests__/full/shard-inputs.test.ts',
    ].filter((path) => /\.(ya?ml|ts)$/.test(path));
    expect(files.length).toBeGreaterThan(20);
    const named = files.flatMap((path) =>
      (readFileSync(path, 'utf8').match(PUBLIC) ?? []).map((model) => ({ path, model })),
    );
    expect(
      named.filter(({ model }) =>
        vendorNames().some((vendor) => retirementDate(at(vendor, model)) !== null),
      ),
    ).toEqual([]);
  });

  test('has the models of new projects and examples, with known prices and no retirement date', async () => {
    const prices = await loadListPrices(new Date('2026-11-22'));
    for (const [vendor, model] of EXAMPLES) {
      expect([model, retirementDate(at(vendor, model))]).toEqual([model, null]);
      const priced = factsOf(vendor).priceId === null ? null : expect.any(Function);
      expect([model, prices(vendor, model)]).toEqual([model, priced]);
      // Other vendors have no known rules: the first request discovers them.
      if (factsOf(vendor).passports.length > 0)
        expect(passportOf(at(vendor, model))).not.toBeNull();
      if (MODELS[vendor] !== undefined) expect(MODELS[vendor]).toContain(model);
    }
  });
});
