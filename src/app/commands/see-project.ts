import { posix } from 'node:path';
import { LLMEVAL_FILE, SETTINGS_FILE } from '../../config/file-names.ts';
import {
  formatByPath,
  detectFormat,
  placesOf,
  unreadMessage,
  type Formats,
} from '../../config/formats.ts';
import { askedModel, entryOf, UNNAMED_MODEL } from '../../config/model-names.ts';
import { readOverrides } from '../../config/overrides.ts';
import { readProject } from '../../config/project.ts';
import type { SuiteKey } from '../../config/suite-key.ts';
import { createFiles, withText } from '../../documents/files.ts';
import type { Repository } from '../../edges/git/repository.ts';
import { formatProblem } from '../../errors.ts';
import {
  comparesEmbeddings,
  everyMetric,
  isModelGraded,
  namedModels,
} from '../../kernel/suite/metrics.ts';
import { metrics } from '../../metrics/index.ts';
import { builtInRubrics } from '../../metrics/rubric.ts';
import type { Project } from '../../project/settings.ts';
import { PROMPTFOO_PROGRAM, type AskedModel } from '../../types/model.ts';
import { retirementDate } from '../../types/passports.ts';
import type { JsonMap } from '../../types/plain.ts';
import type { SourceTree } from '../../types/repository.ts';
import type { VendorName } from '../../types/vendors/names.ts';
import { factsOf } from '../../types/vendors.ts';
import { sha256 } from '../session/cached-complete.ts';
import { workTreeOf, type WorkTree } from '../session/safe-writing.ts';

export interface SeenProject {
  /** The repository's root, where GitHub looks for workflows, or else the project's folder. */
  root: string;
  git: boolean;
  workTree: WorkTree;
  below: string;
  settings: string | null;
  prompts: string[];
  foreign: string[];
  isEmpty: boolean;
  listed: string[];
  /** Files of other tools that cannot be read, with their first error. Not in `listed`. */
  left: { path: string; why: string }[];
  unread: { file: string; what: string }[];
  needsModel: boolean;
  /** Models that have ended, with the model that takes their place. */
  retired: RetiredModel[];
  needsHost: boolean;
  /** Files of the project's own code that reading it runs with `code: host`. */
  runs: string[];
  vendors: VendorName[];
  endpoints: string[];
  project: Project;
}

interface RetiredModel {
  name: string;
  end: string;
  provider: VendorName;
  successor: string;
}

/** Files whose contents `init` looks at for the formats of other tools. */
const MAYBE_EVALS = /(?:eval|task|stimul|promptfoo)[^/]*(?:\/[^/]+)?\.(?:ya?ml|toml)$/;

export async function seeProject(
  tree: SourceTree,
  repository: Repository,
  reader: ProjectReader,
): Promise<SeenProject> {
  const { formats } = reader;
  const { root, below } = repository.workTree;
  const paths = [...tree.files.keys()].sort();
  const inRoot = (path: string) => posix.join(below, path);
  const settings = [SETTINGS_FILE, LLMEVAL_FILE].find((path) => tree.files.has(path));
  const files = createFiles(tree);
  const own = paths.filter((path) => !path.split('/').includes('node_modules'));
  const isPrompt = (path: string) => /^prompts\/[^/]+\.ya?ml$/.test(path);
  const looked = own.map(async (path) => {
    const format = await (isPrompt(path) || MAYBE_EVALS.test(path)
      ? detectFormat(path, files, formats)
      : formatByPath(path, formats));
    return format === null ? [] : [{ path, format }];
  });
  const known = (await Promise.all(looked)).flat();
  const unread = known.flatMap(({ path, format }) =>
    'read' in format ? [] : [{ path, what: unreadMessage(format) }],
  );
  const foreign = known.flatMap(({ path, format }) => ('read' in format ? [path] : []));
  const prompts = paths.filter(
    (path) => isPrompt(path) && !known.some((each) => each.path === path),
  );
  const byName = files.match(placesOf(formats), () => ({ file: '', line: 0 }), []).matches;
  const isFree = settings === undefined && prompts.length === 0;
  const broken = isFree ? await unreadable(tree, foreign, reader) : [];
  const isListed =
    broken.length > 0 || foreign.some((path) => !byName.some(({ file }) => file === path));
  const listed = isFree && isListed ? foreign.filter((path) => !isAmong(path, broken)) : [];
  const asked = await askedVendors(withPrompts(tree, listed), reader);
  return {
    root,
    isEmpty:
      settings === undefined &&
      prompts.length + foreign.length === 0 &&
      asked.project.suites.length === 0,
    git: (await repository.commonFolder()) !== root,
    workTree: workTreeOf(repository),
    below,
    settings: settings === undefined ? null : inRoot(settings),
    prompts: prompts.map(inRoot),
    foreign: foreign.map(inRoot),
    listed,
    left: broken,
    unread: unread.map(({ path, what }) => ({ file: inRoot(path), what })),
    ...asked,
  };
}

function withPrompts(tree: SourceTree, listed: readonly string[], more: JsonMap = {}): SourceTree {
  if (listed.length === 0) return tree;
  const text = JSON.stringify({ ...more, prompts: listed });
  return withText(tree, SETTINGS_FILE, text, sha256(text));
}

interface ProjectReader {
  today: Date;
  formats: Formats;
  suiteKeys: readonly SuiteKey[];
}

const isAmong = (path: string, files: readonly { path: string }[]): boolean =>
  files.some((each) => each.path === path);

/** Empty if no file can be read, because the errors of all of them are then shown. */
async function unreadable(
  tree: SourceTree,
  paths: readonly string[],
  reader: ProjectReader,
): Promise<SeenProject['left']> {
  const found = await Promise.all(
    paths.map(async (path) => {
      // The settings that init writes have a grader.
      const alone = withPrompts(tree, [path], {
        grader: { model: factsOf('openai').starterModel },
      });
      const { problems } = await readFiles(alone, reader);
      const [first] = problems.filter(({ place }) => place !== null);
      return first === undefined ? [] : [{ path, why: formatProblem(first) }];
    }),
  );
  const broken = found.flat();
  return broken.length === paths.length ? [] : broken;
}

/** Runs no code of the project. `runs` receives what would run with `code: host`. */
function readFiles(
  tree: SourceTree,
  { formats, suiteKeys }: ProjectReader,
  runs = new Set<string>(),
) {
  return readProject(
    tree,
    {
      config: SETTINGS_FILE,
      configRequired: false,
      overrides: readOverrides([], []).overrides,
      allowedModels: null,
      own: [],
      formats,
      suiteKeys,
    },
    {
      builtInMetrics: metrics,
      builtInRubrics,
      hash: sha256,
      hostCall: ([, , file = '']) => {
        runs.add(file);
        return Promise.resolve({ ok: false, why: 'this code was not run' });
      },
    },
  );
}

function gradingModels({ settings, suites }: Project): string[] {
  const { grader, voters, embeddings } = settings;
  const open = suites.flatMap(({ tests }) =>
    everyMetric(tests).filter((metric) => namedModels(metric).length === 0),
  );
  const asksOwn = suites.some(({ tests }) => tests.own !== null);
  const judges = [
    ...(open.some(isModelGraded) || asksOwn ? [grader, ...voters] : []),
    ...(open.some(comparesEmbeddings) ? [embeddings] : []),
  ];
  return judges.flatMap((judge) => judge?.model ?? []);
}

async function askedVendors(
  tree: SourceTree,
  reader: ProjectReader,
): Promise<
  Pick<
    SeenProject,
    'vendors' | 'endpoints' | 'needsModel' | 'project' | 'retired' | 'runs' | 'needsHost'
  >
> {
  const runs = new Set<string>();
  const { project } = await readFiles(tree, reader, runs);
  const { settings, suites } = project;
  const named = suites.flatMap(({ prompt, tests }) => [
    ...(prompt.model === null ? [] : [prompt.model]),
    ...everyMetric(tests).flatMap((metric) => namedModels(metric).map(({ model }) => model)),
  ]);
  const models = [...new Set([...named, ...gradingModels(project)])].map((name) => ({
    name,
    at: askedModel(settings, name),
  }));
  const asked = models.flatMap(({ at }) => at ?? []);
  const isProgram = [...settings.models.values()].some(
    ({ command = [] }) => command[0] === PROMPTFOO_PROGRAM,
  );
  return {
    project,
    runs: [...runs].sort(),
    needsHost: isProgram || runs.size > 0,
    needsModel: named.includes(UNNAMED_MODEL) && entryOf(settings, UNNAMED_MODEL) === null,
    retired: retiredModels(models, reader.today),
    vendors: [...new Set(asked.flatMap((at) => (at.endpoint === null ? [at.provider] : [])))],
    endpoints: [...new Set(asked.flatMap(({ endpoint }) => endpoint ?? []))],
  };
}

function retiredModels(
  models: readonly { name: string; at: AskedModel | null }[],
  today: Date,
): RetiredModel[] {
  return models.flatMap(({ name, at }) => {
    const end = at === null ? null : retirementDate(at);
    if (at === null || end === null || Date.parse(end) > today.getTime()) return [];
    return [{ name, end, provider: at.provider, successor: factsOf(at.provider).starterModel }];
  });
}
