import type { ReferenceResult, SideResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { paragraph, text, type Block } from '../../report/sections/document.ts';
import { promptKey, suiteIdentity } from '../../report/sections/order.ts';
import { sentKey } from '../../report/sections/reference-view.ts';
import { savedView, type LivePrompt, type SavedView } from '../../report/sections/saved-view.ts';
import type { WorkLook, WrittenPrompt } from './evaluate.ts';
import type { WorkbenchState } from './refresh.ts';

const PENDING_TOP: Block[] = [
  paragraph([text('… No verdict yet')], 'verdict'),
  paragraph([text('Some answers are missing. The others are below.')]),
];

/** What the page shows. Null before the first evaluation. */
export function viewOf({ look, more }: WorkbenchState): SavedView | null {
  if (look === null) return null;
  const { result, all } = withFurtherTries(look, [...more.values()]);
  const { alone, missing, prompts, reports } = look;
  const view = savedView(result, reports);
  return {
    ...view,
    blocks: missing ? { ...view.blocks, top: PENDING_TOP } : view.blocks,
    live: {
      others: uncompared(result, all),
      attributes: attributesIn(result).length > 0 ? [] : attributesIn(all),
      prompts: [...prompts].map(([key, prompt]) => livePrompt(key, prompt, look.texts)),
      notes: alone === null ? [] : [alone],
      canStart: isEmptyProject(look),
    },
  };
}

function isEmptyProject({ result, files }: WorkLook): boolean {
  const isOwn = (path: string): boolean => /^(?:(?:evaldiff|llmeval)\.yaml$|prompts\/)/.test(path);
  return result.outcome.kind === 'not-evaluated' && !files.some(isOwn);
}

/** Another feature adds them to a result. */
function attributesIn(result: object | null): readonly unknown[] {
  return (result as { attributes?: readonly unknown[] } | null)?.attributes ?? [];
}

function livePrompt(key: string, prompt: WrittenPrompt, texts: WorkLook['texts']): LivePrompt {
  const { name, path, variables, rubrics, spans, references, tool } = prompt;
  return {
    key,
    name,
    path,
    text: texts.get(path) ?? '',
    variables,
    spans,
    rubrics: rubrics.map(({ name: rubric, labels }) => ({ name: rubric, labels: [...labels] })),
    isEmpty: references === 0 && tool === null,
  };
}

function uncompared(result: Result, all: Result | null): SuiteResult[] {
  const compared = new Set(
    result.suites.flatMap((suite) => suite.references.map(({ id }) => sentKey(suite, id))),
  );
  return (all?.suites ?? []).flatMap((suite) => {
    const references = suite.references.filter(({ id }) => !compared.has(sentKey(suite, id)));
    return references.length === 0 ? [] : { ...suite, references };
  });
}

function withFurtherTries(
  { result, all: stored }: WorkLook,
  more: readonly Result[],
): Pick<WorkLook, 'result' | 'all'> {
  if (more.length === 0) return { result, all: stored };
  const further = new Map<string, ReferenceResult[]>();
  for (const { suites } of more)
    for (const suite of suites)
      for (const reference of suite.references) {
        const key = sentKey(suite, reference.id);
        further.set(key, [...(further.get(key) ?? []), reference]);
      }
  const withFurther = (suite: SuiteResult, reference: ReferenceResult): ReferenceResult =>
    (further.get(sentKey(suite, reference.id)) ?? []).reduce(
      (all, { base, head }) => ({
        ...all,
        base: longer(all.base, base),
        head: longer(all.head, head),
      }),
      reference,
    );
  const merged = (into: Result): Result => ({
    ...into,
    suites: into.suites.map((suite) => ({
      ...suite,
      references: suite.references.map((reference) => withFurther(suite, reference)),
    })),
  });
  return { result: merged(result), all: stored === null ? null : merged(stored) };
}

function longer(left: SideResult | null, right: SideResult | null): SideResult | null {
  return (right?.tries.length ?? 0) > (left?.tries.length ?? 0) ? right : left;
}

interface FoundTest {
  suite: SuiteResult;
  reference: ReferenceResult;
  prompt: WrittenPrompt;
}

/** `key`: as `sentKey` makes it. Null if the test no longer exists. */
export function findTest({ look, more }: WorkbenchState, key: string): FoundTest | null {
  if (look === null) return null;
  const { result, all } = withFurtherTries(look, [...more.values()]);
  for (const suite of [...result.suites, ...(all?.suites ?? [])]) {
    const reference = suite.references.find(({ id }) => sentKey(suite, id) === key);
    const prompt = look.prompts.get(promptKey(suite));
    if (reference !== undefined && prompt !== undefined) return { suite, reference, prompt };
  }
  return null;
}

export function findSuite({ look }: WorkbenchState, identity: string): SuiteResult | null {
  const suites = [...(look?.result.suites ?? []), ...(look?.all?.suites ?? [])];
  return suites.find((suite) => suiteIdentity(suite) === identity) ?? null;
}
