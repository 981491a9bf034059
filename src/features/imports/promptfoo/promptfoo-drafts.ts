import type { FormatTools } from '../../../config/formats.ts';
import { pathsOf } from '../../../config/templates.ts';
import { type Document, valueAt } from '../../../documents/document.ts';
import { counted } from '../../../text/amounts.ts';
import type { JsonMap, Place } from '../../../types/plain.ts';
import {
  A_TEST,
  createDraft,
  isScalar,
  judgeTheRest,
  type DraftFile,
  type ImportFiles,
  type Imported,
  type Share,
  uniqueNames,
  lose,
  addRemark,
} from '../shared/draft.ts';
import { pathIn } from './assertion-parts.ts';
import { ON_TRANSFORMED, changesAnswer, convertAssertion } from './assertions.ts';
import { reportUnreadAssertionKeys } from './promptfoo-assertions.ts';
import type { ForeignPrompt } from './promptfoo-prompts.ts';
import type { ForeignTest } from './promptfoo-values.ts';
import { inputOf } from './templates.ts';

export interface ImportContext extends Omit<FormatTools, 'files'> {
  files: ImportFiles;
}

interface TestsContext extends ImportContext {
  document: Document;
  prompts: readonly ForeignPrompt[];
  /** A reference's input: `vars` as checks see them, or `sent` with templates filled in. */
  inputs: 'vars' | 'sent';
  /** Whether all models have a response schema. Code checks then get parsed data. */
  asData: boolean;
  imported: Imported;
}

export async function testsDraft(
  tests: readonly ForeignTest[],
  context: TestsContext,
): Promise<{ draft: DraftFile | null; carried: Share[] }> {
  const { document, imported, hasGrader } = context;
  const draft = createDraft({ file: document.file, line: document.placeOf(['tests']).line });
  const structured = structuredNames(tests);
  const texts = await namedFiles(tests, context);
  const paths = context.prompts.flatMap(({ messages }) =>
    messages.flatMap(({ template }) => pathsOf(template)),
  );
  reportMissingValues(tests, paths, imported);
  reportSingleBraces(tests, context.prompts, imported);
  const ids = idsOf(tests);
  const references: JsonMap[] = [];
  let kept = 0;
  const rows: NonNullable<Imported['judged']>['rows'] = [];
  for (const test of tests) {
    const metrics = testMetrics(test, { context, structured, texts });
    kept += metrics.length;
    rows.push({
      given: test.given,
      vars: test.vars,
      assertions: metrics.map(({ assertion }) => assertion),
    });
    const path = ['references', references.length];
    draft.from(path, test.place);
    metrics.forEach(({ place, file }, index) => {
      draft.from([...path, 'metrics', index], place);
      for (const key of file === null ? [] : ['code', 'with'])
        draft.from([...path, 'metrics', index, key], { file: file ?? '', line: 1 });
    });
    for (const [name, file] of Object.entries(test.files))
      draft.from([...path, 'input', name], { file, line: 1 });
    const named = ids.get(test);
    const id = named === undefined ? {} : { id: named };
    references.push({
      ...id,
      input: inputOf(test[context.inputs], paths),
      ...(metrics.length === 0 ? {} : { metrics: metrics.map(({ metric }) => metric) }),
    });
  }
  const carried = testShares(tests, references.length, kept, imported);
  if (references.length === 0) return { draft: null, carried };
  imported.judged = { tests: draft, rows };
  const repeat = valueAt(document.value, ['evaluateOptions', 'repeat']);
  if (typeof repeat === 'number') draft.value['n_tries'] = repeat;
  draft.value['references'] = references;
  judgeTheRest(
    draft,
    document.placeOf(['tests']),
    hasGrader || imported.grader !== null,
    imported.remarks,
  );
  return { draft, carried };
}

/** Names of variables that are maps or lists, which evaldiff passes as JSON text. */
export function structuredNames(tests: readonly ForeignTest[]): string[] {
  const names = tests.flatMap(({ vars }) =>
    Object.entries(vars).flatMap(([name, value]) =>
      isScalar(value) || value === null ? [] : [name],
    ),
  );
  return [...new Set(names)];
}

function reportMissingValues(
  tests: readonly ForeignTest[],
  paths: readonly (readonly (string | number)[])[],
  { remarks }: Imported,
): void {
  const names = new Map(paths.map((path) => [path.join('.'), path]));
  for (const [name, path] of names) {
    const without = tests.filter(({ vars }) => (valueAt(vars, path) ?? null) === null);
    const [first] = without;
    if (first !== undefined)
      addRemark(
        remarks,
        first.place,
        `{{${name}}} has no value in ${counted(without.length, 'test')} and is empty there`,
      );
  }
}

function reportSingleBraces(
  tests: readonly ForeignTest[],
  prompts: readonly ForeignPrompt[],
  { remarks }: Imported,
): void {
  const names = new Set(tests.flatMap(({ vars }) => Object.keys(vars)));
  for (const { messages, place } of prompts) {
    const texts = messages.flatMap(({ template }) =>
      template.parts.flatMap((part) => ('text' in part ? [part.text] : [])),
    );
    const found = texts
      .flatMap((text) => [...text.matchAll(/\{(\w+)\}/g)])
      .find(([, name = '']) => names.has(name));
    if (found !== undefined)
      addRemark(
        remarks,
        place,
        `${found[0]} is literal text, although the tests have a variable of this name; for a ` +
          `variable write {${found[0]}}`,
      );
  }
}

function testShares(
  tests: readonly ForeignTest[],
  references: number,
  metrics: number,
  { left }: Imported,
): Share[] {
  const lost = left.filter(({ what }) => what === A_TEST).length;
  const written = tests.reduce((sum, { assertions }) => sum + assertions.length, 0);
  return [
    { unit: 'test', of: tests.length + lost, carried: references },
    { unit: 'assertion', of: written, carried: metrics },
  ];
}

/**
 * Ids come from descriptions and file names, so that they stay the same when the file is edited.
 */
function idsOf(tests: readonly ForeignTest[]): Map<ForeignTest, string> {
  const named = tests.flatMap((test): [ForeignTest, string][] => {
    const { description, vars, files } = test;
    if (description !== null) return [[test, description]];
    const parts = Object.entries(vars).map(
      ([name, value]) => `${name}: ${files[name] ?? (isScalar(value) ? String(value) : '')}`,
    );
    const words = parts.join(', ').replace(/\s+/g, ' ');
    return Object.keys(files).length === 0 ? [] : [[test, words.slice(0, LONGEST_ID)]];
  });
  const times = Map.groupBy(named, ([, id]) => id);
  return new Map(named.filter(([, id]) => times.get(id)?.length === 1));
}

const LONGEST_ID = 200;

async function namedFiles(
  tests: readonly ForeignTest[],
  { files, document }: TestsContext,
): Promise<Map<string, { file: string; text: string }>> {
  const named = new Map(
    tests
      .flatMap(({ assertions }) => assertions)
      .flatMap(({ value: { value }, place }) =>
        (Array.isArray(value) ? value : [value]).flatMap((each): [string, Place][] => {
          const path = typeof each === 'string' ? pathIn(each) : null;
          const line = place.file === document.file ? place.line : 0;
          return path === null ? [] : [[path, { file: document.file, line }]];
        }),
      ),
  );
  const texts = new Map<string, { file: string; text: string }>();
  for (const [path, place] of named) {
    const [found] = await files.texts(path, place);
    if (found !== undefined) texts.set(path, found);
  }
  return texts;
}

interface MetricsContext {
  context: TestsContext;
  structured: readonly string[];
  texts: ReadonlyMap<string, { file: string; text: string }>;
}

function testMetrics(
  test: ForeignTest,
  {
    context: {
      builtIns,
      asData,
      inputs,
      imported: { left },
    },
    structured,
    texts,
  }: MetricsContext,
): { metric: JsonMap; place: Place; file: string | null; assertion: JsonMap }[] {
  const unique = uniqueNames();
  if (test.isTransformed && test.assertions.length === 0)
    lose(left, test.place, 'options.transform', 'answers are shown unchanged');
  return test.assertions.flatMap((assertion) => {
    const { value, place } = assertion;
    const type = isScalar(value['type']) ? String(value['type']) : 'an assertion';
    let { file } = assertion;
    const converted = convertAssertion(value, {
      vars: test.vars,
      unlike: Object.fromEntries(
        Object.entries(test.vars).filter(([name, own]) => own !== test[inputs][name]),
      ),
      builtIns,
      structured,
      asData,
      textOf: (path) => {
        file = texts.get(path)?.file ?? null;
        return texts.get(path)?.text ?? null;
      },
    });
    const changed = changesAnswer(value, test.isTransformed);
    if ('why' in converted || changed !== null) {
      if ('why' in converted) lose(left, place, `the assertion ${type}`, converted.why);
      else lose(left, place, ON_TRANSFORMED, changed ?? '');
      return [];
    }
    reportUnreadAssertionKeys(assertion, type, left);
    const label = value['metric'] ?? value['label'];
    const name = unique(
      typeof label === 'string' && label !== '' && !label.includes('{{') ? label : type,
    );
    return [
      {
        place,
        file,
        assertion: value,
        metric: { name, ...converted.metric, ...(value['weight'] === 0 ? { skip: true } : {}) },
      },
    ];
  });
}
