import { judgedIn } from '../metrics/grader-prompt.ts';
import { OBJECT_WORDS } from '../metrics/objects.ts';
import type { ConversationTurn } from '../result/conversations.ts';
import type { SideResult, TryResult } from '../result/reference-result.ts';
import type { Result } from '../result/result.ts';
import { everyMetric } from '../suite/metrics.ts';
import type { Project, Suite } from '../suite/suite.ts';
import { counted } from '../text/amounts.ts';
import type { ObjectScore, ObjectScores, Score, Rubric } from '../types/metric.ts';
import type { Side } from '../types/plain.ts';
import { code, paragraph, strong, text, type Block, type Line } from './sections/document.ts';

/** An answer about which those who judge are least sure. */
export interface ToLabel {
  suite: string;
  reference: string;
  side: Side;
  /** `turn 3`: which object of the dialogue, of a metric that judges each; null: the answer. */
  object: string | null;
  /** The answer, or the object; of a conversation its first answer. */
  content: string;
  /** The question of a conversation; null for single answers. */
  question: string | null;
  /** What was said of this and of the reference's other tries; null: nothing readable. */
  labels: (string | null)[];
  /** Share of `labels` that is not the commonest one, above 0 to 1. */
  disagreement: number;
}

/** What judges in a suite. */
interface Judge {
  suite: string;
  /** Names of the rubric's metrics; null: evaluators judge its conversations. */
  metrics: ReadonlySet<string> | null;
}

/** Answers proposed at once: what a person labels in one go. */
const PROPOSED = 10;

/**
 * The answers of a saved run that are most worth a label, most disputed first: those that a rubric's
 * graders, or the tries of one reference, label differently or not at all, or first answers of
 * conversations on which the evaluators differ. One a reference and side, and of a metric that
 * judges every object one an object. `labelled`: answers that have a label.
 */
export function answersToLabel(
  { suites }: Result,
  judges: readonly Judge[],
  labelled: ReadonlySet<string>,
): ToLabel[] {
  const found = suites.flatMap(({ name, references }) => {
    const judge = judges.find((candidate) => candidate.suite === name);
    if (judge === undefined) return [];
    return references.flatMap((reference) =>
      (['base', 'head'] as const).flatMap((side) => {
        const own = reference[side];
        if (own === null) return [];
        const asked = judge.metrics === null ? dialogues(own) : grades(own, judge.metrics);
        const groups = new Map(asked.map(({ object }) => [object, [] as Asked[]]));
        for (const answer of asked) groups.get(answer.object)?.push(answer);
        return [...groups.values()].flatMap((group) =>
          mostDisputed(group, { suite: name, reference: reference.id, side }),
        );
      }),
    );
  });
  const once = new Map(found.map((answer) => [answer.content.trim(), answer]));
  return [...once.values()]
    .filter(({ content }) => !labelled.has(content.trim()))
    .sort((a, b) => b.disagreement - a.disagreement)
    .slice(0, PROPOSED);
}

interface Asked extends Pick<ToLabel, 'object' | 'content' | 'question'> {
  /** What was said of this answer; several where several judged it. */
  labels: (string | null)[];
}

function grades({ tries }: SideResult, metrics: ReadonlySet<string>): Asked[] {
  return tries.flatMap(({ actual, scores }: TryResult) =>
    scores
      .filter(({ metric }) => metrics.has(metric))
      .flatMap((score): Asked[] => {
        if (score.objects !== undefined)
          return score.objects.scores.flatMap(ofObject(score.objects));
        const content = actual ?? '';
        return actual === null || !isGraded(score.status)
          ? []
          : [{ object: null, content, question: null, labels: labelsOf(score) }];
      }),
  );
}

function ofObject({ level }: ObjectScores): (score: ObjectScore) => Asked[] {
  return (score) => {
    const object = `${OBJECT_WORDS[level]} ${String(score.at + 1)}`;
    const content = score.grade === undefined ? null : judgedIn(score.grade.prompt);
    return isGraded(score.status)
      ? [
          {
            object,
            content: content ?? `(${object}: of so many grades no text is kept)`,
            question: null,
            labels: labelsOf(score),
          },
        ]
      : [];
  };
}

/** What each grader said where that was kept, else what came of it. */
function labelsOf(score: Score | ObjectScore): (string | null)[] {
  const said = (score.grade?.replies ?? []).flatMap(({ label }) =>
    label === undefined ? [] : [label],
  );
  if (said.length > 0) return said;
  return ['label' in score ? (score.label ?? null) : null];
}

function isGraded(status: string): boolean {
  return status === 'pass' || status === 'fail' || status === 'ungraded';
}

function dialogues({ tries }: SideResult): Asked[] {
  return tries.flatMap(({ conversation }): Asked[] => {
    const [turn] = conversation?.turns ?? [];
    const answer = turn?.answer ?? null;
    return turn === undefined || answer === null
      ? []
      : [
          {
            object: null,
            content: answer,
            question: turn.question,
            labels: turn.verdicts.map(acceptance),
          },
        ];
  });
}

function acceptance({ words }: ConversationTurn['verdicts'][number]): string {
  return Object.values(words).every((word) => word === 'yes') ? 'accepted' : 'rejected';
}

/** The answer whose own labels are rarest among those of the tries; nothing where all agree. */
function mostDisputed(
  asked: readonly Asked[],
  where: Pick<ToLabel, 'suite' | 'reference' | 'side'>,
): ToLabel[] {
  const labels = asked.flatMap((answer) => answer.labels);
  const times = (label: string | null): number => labels.filter((given) => given === label).length;
  const disagreement = 1 - Math.max(...labels.map(times), 0) / Math.max(1, labels.length);
  const unread = labels.length > 0 && labels.every((label) => label === null);
  const [rarest] = asked
    .filter((answer) => answer.labels.length > 0)
    .sort((a, b) => Math.min(...a.labels.map(times)) - Math.min(...b.labels.map(times)));
  if (rarest === undefined || (disagreement === 0 && !unread)) return [];
  const { object, content, question } = rarest;
  return [{ ...where, object, content, question, labels, disagreement: unread ? 1 : disagreement }];
}

/** The proposals in words; where there are none, that. */
export function toLabelBlocks(name: string, answers: readonly ToLabel[]): Block[] {
  if (answers.length === 0)
    return [paragraph([strong(name), text(': no answer of this run is disputed.')])];
  return [
    paragraph([
      strong(name),
      text(
        `: ${counted(answers.length, 'answer')} worth a label, the most disputed first. Say what people think of them below examples.`,
      ),
    ]),
    {
      kind: 'table',
      head: ['Reference', 'Said of its tries', 'Answer'].map((title) => [text(title)]),
      rows: answers.map(({ suite, reference, side, object, labels, question, content }): Line[] => [
        [
          code(`${suite} › ${reference}`),
          text(` on ${side}${object === null ? '' : `, ${object}`}`),
        ],
        [text(tally(labels))],
        [code(question === null ? content : `${question} → ${content}`, 200)],
      ]),
    },
  ];
}

function tally(labels: readonly (string | null)[]): string {
  const names = [...new Set(labels.map((label) => label ?? 'unread'))];
  return names
    .map(
      (name) => `${name} ${String(labels.filter((label) => (label ?? 'unread') === name).length)}`,
    )
    .join(', ');
}

/** What judges under this name in a project, and the answers that people labelled for it already. */
export function judgesNamed(
  name: string,
  { suites, rubrics }: Pick<Project, 'suites' | 'rubrics'>,
): { judges: Judge[]; labelled: ReadonlySet<string> } {
  const rubric = rubrics.get(name);
  return {
    judges: suites.flatMap((suite) => judgeIn(suite, name, rubric)),
    labelled: new Set(suites.flatMap((suite) => labelsIn(suite, name, rubric))),
  };
}

/** What judges in a suite under this name: metrics by the rubric, or its evaluators. */
function judgeIn({ prompt, tests }: Suite, name: string, rubric: Rubric | undefined): Judge[] {
  if (rubric === undefined)
    return [prompt.name, prompt.file].includes(name) ? [{ suite: prompt.name, metrics: null }] : [];
  const metrics = everyMetric(tests).filter(
    ({ source }) => source.kind === 'rubric' && source.rubric === name,
  );
  return metrics.length === 0
    ? []
    : [{ suite: prompt.name, metrics: new Set(metrics.map((metric) => metric.name)) }];
}

/** Answers that people labelled already. */
function labelsIn(
  { prompt, tests: { conversation } }: Suite,
  name: string,
  rubric: Rubric | undefined,
): string[] {
  if (rubric !== undefined) return rubric.examples.map(({ content }) => content.trim());
  if (![prompt.name, prompt.file].includes(name)) return [];
  return (conversation?.examples ?? []).map(
    ({ messages }) => messages.at(-1)?.content.trim() ?? '',
  );
}
