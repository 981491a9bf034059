import type { LabelledTest } from '../../app/commands/terminal.ts';
import type { TargetContext } from '../../config/project-side.ts';
import { DEFAULT_LIMITS } from '../../documents/limits.ts';
import { UserError, problem } from '../../errors.ts';
import type { Suite } from '../../kernel/suite/suite.ts';
import { code, table, text, type Block } from '../../report/sections/document.ts';
import { wilson } from '../../report/sections/intervals.ts';
import { rateInterval } from '../../report/sections/phrases.ts';
import { percent, twoDecimals } from '../../text/amounts.ts';
import { agreementOf } from '../../trials/agreement.ts';
import { createAsker } from '../../trials/asker.ts';
import type { AskTools } from '../../trials/grader-question.ts';
import { rateReference, ratingScore } from './affinity.ts';
import { MEMBER_AFFINITY } from './attribute-results.ts';
import { PER_QUESTION, referenceTexts } from './cost.ts';
import { labelsFor, pinnedFor, taskFor, type PinnedAttributes } from './file.ts';
import { readPins } from './pinned.ts';

/** Whether a test has an attribute. `expected`: according to people. `rating`: by the model. */
interface Judgement {
  reference: string;
  attribute: string;
  expected: boolean;
  rating: number | null;
}

export async function gradeAssignments(
  suite: Suite,
  context: TargetContext,
  codeMode: string,
): Promise<LabelledTest | null> {
  const { settings, tree } = context;
  const project = { settings, suites: [suite], rubrics: new Map(), notices: [] };
  const { pinned, problems } = await readPins(tree, project, project, DEFAULT_LIMITS);
  if (problems.length > 0) throw new UserError(problems);
  const path = suite.prompt.file;
  const labels = pinned === null ? [] : labelsFor(pinned, path);
  const [first] = labels;
  if (pinned === null || first === undefined) return null;
  const found = createAsker({ project, context }, codeMode === 'host' ? 'host' : 'sandbox');
  const grader = found?.asker.grader;
  const none = problem({ file: settings.file ?? '', line: 0 }, 'has no grader; set grader: { … }');
  const ids = new Set(suite.tests.references.map(({ id }) => id));
  const unknown = labels.filter(({ reference }) => !ids.has(reference));
  const calls = labels.length * Math.ceil(pinnedFor(pinned, path).length / PER_QUESTION);
  const asked = { parameters: {}, purpose: 'qualeval', tokens: null, place: first.place } as const;
  return {
    certain: grader ? [{ ...asked, target: grader.target, calls }] : [],
    problems: [
      ...(found?.problems ?? [none]),
      ...unknown.map(({ place, reference }) =>
        problem(place, `${path} has no test "${reference}"`),
      ),
    ],
    async run(tools) {
      const judged = grader ? await judgeLabels(suite, pinned, { ...tools, grader }) : [];
      const result = agreementWithPeople(judged);
      return { json: { tests: labels.length, ...result }, blocks: agreementBlocks(result) };
    },
  };
}

async function judgeLabels(
  { prompt: { file }, tests }: Suite,
  pinned: PinnedAttributes,
  tools: AskTools,
): Promise<Judgement[]> {
  const attributes = pinnedFor(pinned, file);
  const labels = new Map(labelsFor(pinned, file).map((each) => [each.reference, each.attributes]));
  const judged = referenceTexts(tests.references).map(async (text): Promise<Judgement[]> => {
    const own = labels.get(text.id);
    if (own === undefined) return [];
    const ratings = await rateReference(text, attributes, {
      ...tools,
      task: taskFor(pinned, file),
    });
    return attributes.map(({ id, name }) => {
      const rating = ratingScore(ratings, id);
      return { reference: text.id, attribute: name, expected: own.has(id), rating };
    });
  });
  return (await Promise.all(judged)).flat();
}

function agreementWithPeople(judged: readonly Judgement[]) {
  const rated = judged.flatMap(({ rating, ...own }) =>
    rating === null ? [] : [{ ...own, rating, isMember: rating >= MEMBER_AFFINITY }],
  );
  const count = (expected: boolean, isMember: boolean): number =>
    rated.filter((own) => own.expected === expected && own.isMember === isMember).length;
  const [truePositive, falseNegative] = [count(true, true), count(true, false)];
  const [falsePositive, trueNegative] = [count(false, true), count(false, false)];
  return {
    unrated: judged.length - rated.length,
    has: { passes: truePositive, tries: truePositive + falseNegative },
    has_not: { passes: trueNegative, tries: trueNegative + falsePositive },
    ...agreementOf({ truePositive, falseNegative, falsePositive, trueNegative }),
    wrong: rated.filter(({ expected, isMember }) => expected !== isMember),
  };
}

type Agreed = ReturnType<typeof agreementWithPeople>;

function agreementBlocks({ has, has_not, agreement, kappa, unrated, wrong }: Agreed): Block[] {
  const share = (counts: Agreed['has']): string => {
    const interval = wilson(counts);
    const range = interval === null ? '' : `, ${rateInterval(interval)}`;
    return `${String(counts.passes)} of ${String(counts.tries)}${range}`;
  };
  const row = [share(has), share(has_not), percent(agreement), twoDecimals(kappa), String(unrated)];
  const columns = ['Has the attribute', 'Does not', 'Agreement', "Cohen's κ", 'Not rated'];
  return [
    ...table(columns, [row.map((words) => [text(words)])]),
    ...table(
      ['Wrong: test', 'Attribute', 'People', 'Rating'],
      wrong.map(({ reference, attribute, expected, rating }) => [
        ...[[code(reference)], [code(attribute)]],
        ...[[text(expected ? 'has it' : 'does not')], [text(String(rating))]],
      ]),
    ),
  ];
}
