import { posix } from 'node:path';
import { LLMEVAL_FILE, SETTINGS_FILE } from '../../config/file-names.ts';
import {
  formatByPath,
  detectFormat,
  isForeignPath,
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
import {
  comparesEmbeddings,
  everyMetric,
  isModelGraded,
  namedModels,
} from '../../kernel/suite/metrics.ts';
import { metrics } from '../../metrics/index.ts';
import { builtInRubrics } from '../../metrics/rubric.ts';
import type { Project } from '../../project/settings.ts';
import type { SourceTree } from '../../types/repository.ts';
import type { VendorName } from '../../types/vendors/names.ts';
import { sha256 } from '../session/cached-complete.ts';
import { loadListPrices } from '../session/prices.ts';
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
  unread: { file: string; what: string }[];
  needsModel: boolean;
  vendors: VendorName[];
  endpoints: string[];
  unpriced: string[];
  project: Project;
}

/** Files whose contents `init` looks at for the formats of other tools. */
const MAYBE_EVALS = /(?:eval|task|stimul)[^/]*(?:\/[^/]+)?\.(?:ya?ml|toml)$/;

export async function seeProject(
  tree: SourceTree,
  repository: Repository,
  today: Date,
  formats: Formats,
  suiteKeys: readonly SuiteKey[],
): Promise<SeenProject> {
  const { root, below } = repository.workTree;
  const paths = [...tree.files.keys()].sort();
  const inRoot = (path: string): string => posix.join(below, path);
  const settings = [SETTINGS_FILE, LLMEVAL_FILE].find((path) => tree.files.has(path));
  const files = createFiles(tree);
  const own = paths.filter((path) => !path.split('/').includes('node_modules'));
  const isPrompt = (path: string): boolean => /^prompts\/[^/]+\.ya?ml$/.test(path);
  const isForeign = (path: string): boolean => isForeignPath(path, formats);
  const looked = own.map(async (path) => {
    const format = await (isPrompt(path) || MAYBE_EVALS.test(path)
      ? detectFormat(path, files, formats)
      : formatByPath(path, formats));
    return format === null || 'read' in format ? [] : [{ path, what: unreadMessage(format) }];
  });
  const unread = (await Promise.all(looked)).flat();
  const prompts = paths.filter(
    (path) => isPrompt(path) && !isForeign(path) && !unread.some((each) => each.path === path),
  );
  const foreign = own.filter(isForeign);
  const byName = files.match(placesOf(formats), () => ({ file: '', line: 0 }), []).matches;
  const isListed = foreign.some((path) => !byName.some(({ file }) => file === path));
  const listed = settings === undefined && prompts.length === 0 && isListed ? foreign : [];
  const asked = await askedVendors(withPrompts(tree, listed), today, formats, suiteKeys);
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
    unread: unread.map(({ path, what }) => ({ file: inRoot(path), what })),
    ...asked,
  };
}

function withPrompts(tree: SourceTree, listed: readonly string[]): SourceTree {
  if (listed.length === 0) return tree;
  const text = JSON.stringify({ prompts: listed });
  return withText(tree, SETTINGS_FILE, text, sha256(text));
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
  today: Date,
  formats: Formats,
  suiteKeys: readonly SuiteKey[],
): Promise<Pick<SeenProject, 'vendors' | 'endpoints' | 'unpriced' | 'needsModel' | 'project'>> {
  const { project } = await readProject(
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
    { builtInMetrics: metrics, builtInRubrics, hash: sha256 },
  );
  const { settings, suites } = project;
  const named = suites.flatMap(({ prompt, tests }) => [
    ...(prompt.model === null ? [] : [prompt.model]),
    ...everyMetric(tests).flatMap((metric) => namedModels(metric).map(({ model }) => model)),
  ]);
  const models = [...new Set(named)].map((name) => ({ name, at: askedModel(settings, name) }));
  const asked = [
    ...models.flatMap(({ at }) => at ?? []),
    ...gradingModels(project).flatMap((name) => askedModel(settings, name) ?? []),
  ];
  const price = await loadListPrices(today);
  return {
    project,
    needsModel: named.includes(UNNAMED_MODEL) && entryOf(settings, UNNAMED_MODEL) === null,
    vendors: [...new Set(asked.flatMap((at) => (at.endpoint === null ? [at.provider] : [])))],
    endpoints: [...new Set(asked.flatMap(({ endpoint }) => endpoint ?? []))],
    unpriced: models
      .filter(
        ({ at }) => at !== null && (at.endpoint !== null || price(at.provider, at.model) === null),
      )
      .map(({ name }) => name),
  };
}
