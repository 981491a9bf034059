import type { EvaluatorResult, Problem, Project, Suite } from '../types.ts';
import { sha256 } from '../world/asking.ts';
import {
  evaluatorCallsOf,
  evaluatorTargetsOf,
  testEvaluators,
  type EvaluatorTest,
} from '../core/conversation/evaluator-tests.ts';
import { evaluatorsOf } from '../core/select/select.ts';
import { steeringOf } from '../core/conversation/steering.ts';
import { problem, UserError } from '../errors.ts';
import { evaluatorTables } from '../report/sections/evaluators.ts';
import { renderBlocks } from '../report/terminal.ts';
import type { Edges } from '../run.ts';
import { holdToCaps, priceOf } from './caps.ts';
import type { EvaluateOptions, Terminal } from './options.ts';
import { withWorld, type Opened } from './session.ts';
import { logJson } from '../text/log.ts';

/**
 * Asks the evaluators of one suite about its labelled answers and prints how well they, alone and
 * combined, tell good from bad.
 */
export function gradeSuite(
  suite: Suite,
  project: Project,
  opened: Opened,
  options: EvaluateOptions,
  terminal: Terminal,
): Promise<void> {
  return withWorld(opened, options, terminal, async (edges) => {
    const result = await graded(suite, project, opened, options, edges);
    if (options.json === true) terminal.out(`${logJson(result)}\n`);
    else
      terminal.out(
        `${renderBlocks(evaluatorTables([result], Number.POSITIVE_INFINITY), { width: terminal.width, colour: terminal.isTerminal })}\n`,
      );
  });
}

async function graded(
  suite: Suite,
  project: Project,
  opened: Opened,
  { code }: EvaluateOptions,
  edges: Edges,
): Promise<EvaluatorResult> {
  const problems: Problem[] = [];
  const test = testOf(suite, project, opened.input, problems);
  const targets = evaluatorTargetsOf([test]);
  if (code !== 'host' && targets.some(({ provider }) => provider === 'program')) {
    problems.push(
      problem(
        test.head.conversation.place,
        'an evaluator is a program of this repository. It runs only with --code host.',
      ),
    );
  }
  holdToCaps(
    {
      calls: evaluatorCallsOf([test]),
      targets,
      price: await priceOf(project, edges),
      forecast: null,
      problems,
    },
    project,
    opened,
    edges,
  );
  return testEvaluators(test, 'head', test.head, {
    complete: edges.complete,
    random: edges.random,
  });
}

function testOf(
  suite: Suite,
  { settings }: Project,
  input: Opened['input'],
  problems: Problem[],
): EvaluatorTest {
  const {
    prompt,
    tests: { conversation, file },
  } = suite;
  if (conversation === null || conversation.examples.length === 0) {
    const [place, what] =
      conversation === null
        ? ([{ file, line: 0 }, 'no conversation, and so no evaluators to be tested'] as const)
        : ([conversation.place, 'no labelled answers to test its evaluators by'] as const);
    const add =
      conversation === null
        ? ''
        : '; add some: examples: [{ question: "…", answer: "…", accepted: true }]';
    throw new UserError([problem(place, `the prompt "${prompt.name}" has ${what}${add}`)]);
  }
  const evaluators = evaluatorsOf(suite, { settings, tree: input.head, hash: sha256 }, problems);
  return {
    path: prompt.file,
    name: prompt.name,
    examples: conversation.examples,
    base: null,
    head: steeringOf(conversation, evaluators),
  };
}
