import { pathsOf } from '../../../config/templates.ts';
import { valueAt, type Path } from '../../../documents/document.ts';
import { counted } from '../../../text/amounts.ts';
import { filledText, type Json, type JsonMap, type Place } from '../../../types/plain.ts';
import {
  A_TEST,
  isScalar,
  judgeTheRest,
  placed,
  type DraftFile,
  type Imported,
  type Share,
  uniqueNames,
} from '../shared/draft.ts';
import type { ImportFiles } from '../shared/files.ts';
import { refuse, tryConvert, tryConvertAsync } from '../shared/node.ts';
import type { NamedFile } from '../shared/text-assertions.ts';
import { convertAssertion, pathIn, reportUnreadAssertionKeys } from './assertions.ts';
import { linkedModules } from './foreign-code.ts';
import type { ModelContext } from './promptfoo-models.ts';
import type { ForeignPrompt } from './promptfoo-prompts.ts';
import type { ForeignTest } from './promptfoo-values.ts';
import { inputOf } from './templates.ts';

export interface TestsContext extends ModelContext {
  prompts: readonly ForeignPrompt[];
  models: readonly { transform: Json }[];
  /** A reference's input: `vars` as checks see them, or `sent` with templates filled in. */
  inputs: 'vars' | 'sent';
  /** Whether all models have a response schema. Code checks then get parsed data. */
  asData: boolean;
}

export async function testsDraft(
  tests: readonly ForeignTest[],
  context: TestsContext,
): Promise<{ draft: DraftFile | null; carried: Share[] }> {
  const { root, imported, hasGrader, prompts, inputs } = context;
  const written = root.at('tests');
  const readMetrics = await metricsReader(tests, context);
  const paths = prompts.flatMap(({ messages }) =>
    messages.flatMap(({ template }) => pathsOf(template)),
  );
  reportMissingValues(tests, paths);
  const ids = idsOf(tests);
  const rows: NonNullable<Imported['judged']>['rows'] = [];
  const references = tests.map((test): JsonMap => {
    const metrics = readMetrics(test);
    const { given, vars, files, node } = test;
    rows.push({ given, vars, assertions: metrics.map(({ assertion }) => assertion) });
    const id = ids.get(test);
    const named = Object.entries(files).map(([name, file]) => [name, { file, line: 1 }]);
    const input = inputOf(test[inputs], paths);
    return placed(node.place, {
      ...(id === undefined ? {} : { id }),
      input: placed(node.place, input, Object.fromEntries(named)),
      ...(metrics.length === 0 ? {} : { metrics: metrics.map(({ metric }) => metric) }),
    });
  });
  const lost = imported.left.filter(({ what }) => what === A_TEST).length;
  const carried: Share[] = [
    { unit: 'test', of: tests.length + lost, carried: tests.length },
    {
      unit: 'assertion',
      of: tests.flatMap(({ assertions }) => assertions).length,
      carried: rows.flatMap(({ assertions }) => assertions).length,
    },
  ];
  if (tests.length === 0) return { draft: null, carried };
  const { value: repeat } = root.at('evaluateOptions', 'repeat');
  const value = { ...(typeof repeat === 'number' ? { n_tries: repeat } : {}), references };
  const draft = { value, place: written.place };
  imported.judged = { tests: draft, rows };
  judgeTheRest(draft, written, hasGrader || imported.grader !== null);
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

function reportMissingValues(tests: readonly ForeignTest[], paths: readonly Path[]): void {
  const names = new Map(paths.map((path) => [path.join('.'), path]));
  for (const [name, path] of names) {
    const without = tests.filter(({ vars }) => (valueAt(vars, path) ?? null) === null);
    without[0]?.node.remark(
      `{{${name}}} has no value in ${counted(without.length, 'test')} and is empty there`,
    );
  }
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

function startOf(file: string | null): Record<string, Place> {
  const start = file === null ? null : { file, line: 1 };
  return start === null ? {} : { code: start, with: start };
}

/** Code that the sandbox cannot run is refused when its modules are taken. */
async function readNamed(
  path: string,
  from: Place,
  files: ImportFiles,
): Promise<NamedFile | undefined> {
  const [found] = await files.texts(path, from);
  if (found === undefined || !/\.[cm]?[jt]s$/.test(path)) return found;
  const modules = await tryConvertAsync<() => Record<string, string>, () => never>(
    async () => {
      const linked = await linkedModules(found.file, files);
      return () => linked;
    },
    (why) => () => refuse(why),
  );
  return { ...found, modules };
}

/** Reads the files that assertions name, and returns a function that converts a test's assertions. */
async function metricsReader(
  tests: readonly ForeignTest[],
  { files, root, builtIns, asData, inputs, models, code, structured }: TestsContext,
) {
  const named = new Map<string, NamedFile | undefined>();
  const { file: whole } = root.place;
  for (const { value, node } of tests.flatMap(({ assertions }) => assertions))
    for (const each of [value['value']].flat()) {
      const path = typeof each === 'string' ? pathIn(each) : null;
      const line = node.place.file === whole ? node.place.line : 0;
      if (path !== null && !named.has(path))
        named.set(path, await readNamed(path, { file: whole, line }, files));
    }
  const ofModels = models[0]?.transform ?? null;
  return ({ assertions, transform, node: test, vars, ...inputsOf }: ForeignTest) => {
    const unique = uniqueNames();
    if (transform !== null && assertions.length === 0)
      test.lose('options.transform', 'answers are shown unchanged');
    // promptfoo's results contain the answers after these changes.
    const transforms = code === 'verified' ? [] : [ofModels, transform];
    const own = { ...inputsOf, vars }[inputs];
    const unlike = Object.entries(vars).filter(([name, value]) => value !== own[name]);
    const shared = { builtIns, structured, asData, transforms };
    const context = { vars, unlike: Object.fromEntries(unlike), ...shared };
    return assertions.flatMap((assertion) => {
      const { value, node } = assertion;
      const type = isScalar(value['type']) ? String(value['type']) : 'an assertion';
      let { file } = assertion;
      const fileAt = (path: string) => {
        file = named.get(path)?.file ?? null;
        return named.get(path) ?? null;
      };
      const converted = tryConvert(
        () => [convertAssertion(value, { ...context, fileAt })],
        (why) => node.lose(`the assertion ${type}`, why),
      );
      return converted.flatMap((metric) => {
        reportUnreadAssertionKeys(assertion, type);
        const label = filledText(value['metric'] ?? value['label']);
        const name = unique(label?.includes('{{') === false ? label : type);
        const skip = value['weight'] === 0 ? { skip: true } : {};
        const keys = startOf(file);
        const own = placed(node.place, { name, ...metric, ...skip }, keys);
        return [{ assertion: value, metric: own }];
      });
    });
  };
}
