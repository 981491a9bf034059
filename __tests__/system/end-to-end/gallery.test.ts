import { SITUATIONS, type Situation } from '../../../scripts/gallery/situations.ts';
import {
  figuresIn,
  notPlainIn,
  numbersIn,
  unfolded,
  visibleText,
  wordsIn,
} from '../../../scripts/gallery/visible.ts';
import type { Result } from '../../../src/kernel/result/result.ts';
import { suiteFacts } from '../../../src/wording/suite-facts.ts';
import { plainWords } from '../../../src/wording/words.ts';
import { addPull } from '../../stand-ins/github/index.ts';
import {
  headline,
  inTerminal,
  renderHtml,
  renderSummary,
  renderTerminal,
} from '../../stand-ins/reports.ts';
import { changeOf, obedient } from './projects.ts';
import { fromFork, onPullRequest, PULL, pullRequestEvent, stage } from './stage.ts';

/** Everything that a pull request of the gallery shows. */
async function shown({ base, head, fork = false, description: body = '' }: Situation) {
  const at = await stage(obedient);
  const change = changeOf(base, head);
  if (fork) fromFork(at, change);
  else addPull(at.github.state, { number: PULL, base: { ref: 'main', sha: change.base }, body });
  const event = pullRequestEvent(change, fork ? 'pull_request.fork' : 'pull_request');
  const run = await onPullRequest(at, change, { inputs: { code: 'host' }, event });
  const [check] = at.github.state.checkRuns.slice(-1);
  const comment = at.github.state.comments.at(-1)?.body ?? run.reports['comment.md'];
  return {
    text: visibleText(comment),
    hasFoldInFold: /<details>(?:(?!<\/details>)[^])*<details>/.test(comment),
    unlike: await differences(run.result, {
      annotations: check?.annotations ?? [],
      texts: [comment, `${check?.title ?? ''} ${check?.summary ?? ''}`, renderSummary(run.result)],
      junit: run.reports['junit.xml'],
    }),
    /** Text of all outputs, without the page and the fold that explains the statistics. */
    surfaces: {
      comment: unfolded(comment),
      title: check?.title ?? '',
      annotations: (check?.annotations ?? []).map(({ message }) => message).join('\n'),
      junit: run.reports['junit.xml'],
      terminal: renderTerminal(run.result, { width: 100, colour: false, folded: true }),
    },
  };
}

interface Outputs {
  annotations: readonly { title?: string | undefined; message: string }[];
  texts: readonly string[];
  junit: string;
}

/** The text without markup, blanks and full stops, at which outputs break sentences. */
const plain = (text: string) =>
  text
    .replaceAll(/<[^>]*>|[`*\\\s.]/g, '')
    .replaceAll(/&(?:#39|apos);/g, "'")
    .replaceAll('&gt;', '>');

/**
 * A table shows suites without a finding if there are others. A run without a verdict gives its
 * reason instead.
 */
function isInEveryOutput(word: string, run: { outcome: string; suites: number }): boolean {
  if (run.suites > 1) return word !== 'No regression' && word !== 'Inconclusive';
  return word === run.outcome ? word !== 'Not judged' : word !== 'Scoring changed';
}

/** Sentences about a suite that an output lacks, or states otherwise than the headline. */
async function differences(result: Result, { annotations, texts, junit }: Outputs) {
  const facts = result.suites.map((suite) =>
    suiteFacts(suite, result).map(({ word, words }) => ({ word, sentence: plainWords(words) })),
  );
  const { outcome } = headline(result);
  const lines = [junit, ...(annotations.length > 0 ? [textOf(annotations)] : [])].map(plain);
  const whole = [...texts, inTerminal(result, 400), await renderHtml(result)].map(plain);
  const leading = facts
    .flat()
    .filter(({ word }) => isInEveryOutput(word, { outcome, suites: facts.length }));
  const calm = annotations.filter(
    ({ title }) =>
      title?.startsWith('No regression') === true &&
      facts.length === 1 &&
      outcome !== 'No regression',
  );
  return [
    ...facts
      .flat()
      .flatMap(({ word, sentence }) =>
        lines
          .filter((text) => !text.includes(plain(`${word}: ${sentence}`)))
          .map(() => `${word}: ${sentence}`),
      ),
    ...leading.flatMap(({ sentence }) =>
      whole.filter((text) => !text.includes(plain(sentence))).map(() => sentence),
    ),
    ...calm.map(({ title }) => title),
  ];
}

const textOf = (annotations: Outputs['annotations']) =>
  annotations.map(({ title, message }) => `${title ?? ''}\n${message}`).join('\n');

/** The maximum of words and numbers before the reader opens a fold. */
const GREEN = { words: 35, numbers: 10 };
const ONE_RED = { words: 150, numbers: 26 };
const TWO_RED = { words: 240, numbers: 45 };

const BUDGETS: Readonly<Record<string, { words: number; numbers: number }>> = {
  'two suites regressed': TWO_RED,
  'green, one suite': GREEN,
  'green, ten suites': GREEN,
  // This comment shows one fixed test with both answers.
  fixed: { words: 110, numbers: 20 },
  'only passing tests are new': GREEN,
  // This comment shows two changes.
  'prompt and metric changed in one suite': { words: 165, numbers: 30 },
  // This model gives long answers.
  'hidden metric': { words: 180, numbers: 25 },
  conversation: { words: 160, numbers: 26 },
};

/** Two hundred suites take as long as all other situations together. */
const situations = SITUATIONS.filter(({ name }) => !name.startsWith('200 suites'));

describe("the gallery's comment", () => {
  test.each(situations)(
    'for "$name" uses plain words and stays within its limits of words and numbers',
    async (one) => {
      const { text, surfaces, hasFoldInFold, unlike } = await shown(one);
      expect(hasFoldInFold).toBe(false);
      expect(unlike).toEqual([]);
      const shows = { words: wordsIn(text), numbers: numbersIn(text) };
      const { words, numbers } = BUDGETS[one.name] ?? ONE_RED;
      const notPlain = Object.entries(surfaces).flatMap(([surface, whole]) =>
        [...notPlainIn(whole), ...(surface === 'comment' ? [] : figuresIn(whole))].map(
          (word) => `${surface}: ${word}`,
        ),
      );
      expect([...notPlain, ...figuresIn(text)]).toEqual([]);
      const fits = shows.words <= words && shows.numbers <= numbers;
      expect({ text, ...shows, fits }).toEqual({ text, ...shows, fits: true });
    },
  );
});
