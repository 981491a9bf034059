import { z } from 'zod';
import { editYaml } from '../../documents/edit-yaml.ts';
import type { SuiteRun } from '../../kernel/plan/suite-run.ts';
import type { SuiteSide } from '../../kernel/select/affected-suite.ts';
import { createGeneration, withScript } from '../../kernel/select/generation.ts';
import type { Reference } from '../../kernel/suite/suite.ts';
import { visible } from '../../text/visible.ts';
import { fileEdit, type Edit } from '../../trials/fix-edit.ts';
import type { FixFound } from '../../trials/fix.ts';
import { askForJson, type AskTools } from '../../trials/grader-question.ts';
import { taskText } from '../../trials/packet.ts';
import type { PromptChange } from '../../trials/prompt-units.ts';
import { attemptBy, extraTries, type TryTools } from '../../trials/tries.ts';
import { fileLines } from '../../trials/unit-places.ts';
import { jsonText } from '../../types/plain.ts';
import type { SourceTree } from '../../types/repository.ts';

const MOST_TEST_DRAFTS = 3;

/** A draft passes so often with the line, and fails as often without it. */
const TRIES_EACH = 4;

/** A question that may be asked twice, and the tries. */
export const DRAFT_CALLS = 2 + MOST_TEST_DRAFTS * 2 * TRIES_EACH;

/** In characters. */
const LONGEST_TEST_VALUE = 600;

interface DraftBench {
  run: SuiteRun;
  side: SuiteSide;
  lines: PromptChange;
  tools: TryTools & AskTools & { sources?: { head: SourceTree } };
  /** Why no further call is allowed. Null if calls are left. */
  ended(): string | null;
}

type TestDraft = Pick<Reference, 'input'> & { expected: string };

/** Drafts a test that fails without the line. Each draft is run before it is shown. */
export async function draftTest(line: number, bench: DraftBench): Promise<FixFound> {
  const { references } = bench.side.suite.tests;
  const example = references.findLast(
    ({ thread, expected, place: { file } }) =>
      thread === null && typeof expected === 'string' && /\.ya?ml$/i.test(file),
  );
  if (example === undefined)
    return { fix: null, no_fix: 'no test in a YAML file has an input and an expected text' };
  const drafts = await askForTests(line, example, bench);
  if (typeof drafts === 'string') return { fix: null, no_fix: drafts };
  for (const draft of drafts) {
    const isKnown = references.some(({ input }) => jsonText(input) === jsonText(draft.input));
    const edit = isKnown ? null : await addedTest(draft, example, bench);
    if (edit === null || !(await isHolder(draft, line, bench))) continue;
    const restores = { references: TRIES_EACH, of: TRIES_EACH };
    const costs = { references: 0, of: TRIES_EACH };
    return { fix: { kind: 'test', ...edit, restores, costs, tries: TRIES_EACH } };
  }
  const why = bench.ended() ?? 'no draft passes with the line and fails without it';
  return { fix: null, no_fix: why };
}

async function askForTests(
  line: number,
  { input, expected }: Reference,
  { side: { suite }, lines, tools }: DraftBench,
): Promise<TestDraft[] | string> {
  const text = () => z.string().max(LONGEST_TEST_VALUE);
  const values = z.object(
    Object.fromEntries(suite.prompt.variables.map(({ name }) => [name, text()])),
  );
  const asked = await askForJson(
    {
      purpose: 'fix',
      name: 'test',
      reply: z.object({ tests: z.array(z.object({ input: values, expected: text() })) }),
      role: 'You write test cases for a prompt.',
      materials: {
        task: taskText(suite.prompt),
        line: lines.units[line]?.head_text ?? '',
        metrics: suite.tests.metrics.map(({ name }) => name).join(', '),
        example: jsonText({ input, expected: expected ?? null }),
      },
      text: [
        'The prompt of an application:\n{{task}}',
        'No test notices if this line of it is lost:\n{{line}}',
        'A test is an input and an expected text. These metrics compare the expected text with ' +
          'the answer:\n{{metrics}}',
        'A test, as an example of the form:\n{{example}}',
        `Write at most ${MOST_TEST_DRAFTS} tests that pass because of this line and fail without it, ` +
          'the surest first.',
      ].join('\n'),
    },
    tools,
  );
  if (asked.status === 'failed') return asked.reason;
  return asked.reply.tests
    .filter(({ input: own, expected: text }) =>
      // A maintainer must see what the test contains.
      [...Object.values(own), text].every((shown) => visible(shown) === shown),
    )
    .slice(0, MOST_TEST_DRAFTS);
}

/** Tries with and without the line in turn, until one contradicts. */
async function isHolder(
  { input, expected }: TestDraft,
  line: number,
  { run, side: { suite, variant }, lines, tools }: DraftBench,
): Promise<boolean> {
  const reference: Reference = {
    ...{ id: jsonText(input), place: { file: suite.tests.file, line: 0 }, input, expected },
    ...{ thread: null, skip: false, tags: [], n_tries: null, problem: null },
  };
  const head = withScript(
    createGeneration(suite.prompt, variant, reference),
    suite.tests,
    reference,
  );
  const affected = { reference, base: null, head, change: 'added' as const, baseReference: null };
  const alone = { ...run, runs: [{ affected, base: [], head: [] }] };
  const attempt = attemptBy(extraTries(alone, [reference.id], tools), lines, true);
  for (let tried = 0; tried < 2 * TRIES_EACH; tried += 1) {
    const isWhole = tried % 2 === 0;
    const [passed] = await attempt([{ units: new Set(isWhole ? [] : [line]), reference: 0 }]);
    if (passed !== isWhole) return false;
  }
  return true;
}

/** Null if the test cannot be written below the example. */
async function addedTest(
  { input, expected }: TestDraft,
  { id, place: { file, line } }: Reference,
  { tools: { sources } }: DraftBench,
): Promise<Edit | null> {
  const lines = await fileLines(sources?.head ?? null, file);
  const before = lines.join('\n');
  const value = { input, expected };
  const edited = editYaml(before, { kind: 'append', line, id, value }, before);
  return 'refused' in edited ? null : fileEdit(file, { before, after: edited.text }, lines);
}
