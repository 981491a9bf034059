import type { SideResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { paragraph, type Block } from '../../report/sections/document.ts';
import {
  promptKey,
  referenceEntries,
  suiteIdentity,
  type ReferenceEntry,
} from '../../report/sections/order.ts';
import { sentKey } from '../../report/sections/reference-view.ts';
import { savedView, type LivePrompt, type SavedView } from '../../report/sections/saved-view.ts';
import type { WorkLook, WrittenPrompt } from './evaluate.ts';

export interface LookState {
  /** The last evaluation of valid files. */
  look: WorkLook | null;
  /** What was found on request, for these texts and models. */
  found: { parts: Partial<Result>; texts: string } | null;
  /** What the page has said the price of. Null: nothing. */
  priced: string | null;
}

const PENDING_TOP: Block[] = [
  paragraph('… No verdict yet', 'verdict'),
  paragraph('Some answers are missing. The others are below.'),
];

/** The result with what was found on request, unless a prompt or its tests have changed since. */
export function shownResult({ look, found }: LookState): Result | null {
  if (look === null) return null;
  return found?.texts === shownTexts(look) ? { ...look.result, ...found.parts } : look.result;
}

export function shownTexts({ result, texts, draft }: WorkLook): string {
  return JSON.stringify([draft, ...texts, ...result.suites.map(({ variant }) => variant)]);
}

/** What the page shows. Null before the first evaluation. */
export function viewOf(state: LookState): SavedView | null {
  const { look } = state;
  const result = shownResult(state);
  if (look === null || result === null) return null;
  const { all, alone, missing, prompts, reports } = look;
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

/** Shows the tries of `further` where it has more. The verdict stays that of `look`. */
export function withFurtherTries(look: WorkLook, further: Result): WorkLook {
  const found = new Map(
    referenceEntries(further.suites).map(({ suite, reference }) => [
      sentKey(suite, reference.id),
      reference,
    ]),
  );
  const merged = (into: Result): Result => ({
    ...into,
    suites: into.suites.map((suite) => ({
      ...suite,
      references: suite.references.map((reference) => {
        const { base = null, head = null } = found.get(sentKey(suite, reference.id)) ?? {};
        return {
          ...reference,
          base: longer(reference.base, base),
          head: longer(reference.head, head),
        };
      }),
    })),
  });
  return { ...look, result: merged(look.result), all: look.all && merged(look.all) };
}

function longer(left: SideResult | null, right: SideResult | null): SideResult | null {
  return (right?.tries.length ?? 0) > (left?.tries.length ?? 0) ? right : left;
}

interface FoundTest extends ReferenceEntry {
  prompt: WrittenPrompt;
}

/** `key`: as `sentKey` makes it. Null if the test no longer exists. */
export function findTest(state: LookState, key: string): FoundTest | null {
  const found = referenceEntries(shownSuites(state)).find(
    ({ suite, reference: { id } }) => sentKey(suite, id) === key,
  );
  const prompt = found && state.look?.prompts.get(promptKey(found.suite));
  return found === undefined || prompt === undefined ? null : { ...found, prompt };
}

export function findSuite(state: LookState, identity: string): SuiteResult | null {
  return shownSuites(state).find((suite) => suiteIdentity(suite) === identity) ?? null;
}

export function shownSuites({ look }: Pick<LookState, 'look'>): SuiteResult[] {
  return [...(look?.result.suites ?? []), ...(look?.all?.suites ?? [])];
}
