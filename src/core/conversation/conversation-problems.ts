import type { Problem } from '../../types.ts';
import type { ComparedLane } from '../compare/verdict.ts';

/**
 * What stops conversations from being led, and shows only once prompts, tests and models are
 * together.
 */
export function conversationProblems(
  lanes: readonly ComparedLane[],
  code: 'sandbox' | 'host' | 'off',
): Problem[] {
  const running = lanes.filter(
    ({ run }) => run.runs.length > 0 && run.deciding.tests.conversation !== null,
  );
  const problems = running.flatMap(({ run: { lane, deciding, other } }) => [
    ...[lane.base, lane.head].flatMap((side) =>
      side === null || side.suite.prompt.code === null
        ? []
        : [promptCode(side.suite.prompt.code.place)],
    ),
    ...(code === 'host'
      ? []
      : [deciding, other].flatMap((yardstick) => (yardstick === null ? [] : programs(yardstick)))),
  ]);
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}

/** A dialogue goes on from its answers, and prompt code sees none of them. */
function promptCode(place: Problem['place']): Problem {
  return {
    place,
    message:
      'a conversation needs messages: prompt code answers one question and cannot be asked the next. Make the application a model (provider: program) instead.',
  };
}

function programs({
  tests: { conversation },
  evaluators,
}: ComparedLane['run']['deciding']): Problem[] {
  return evaluators
    .filter(({ target }) => target.provider === 'program')
    .map(({ name }) => ({
      place: conversation?.place ?? null,
      message: `the evaluator "${name}" is a program of this repository. It runs only with code: host (input code, or --code host).`,
    }));
}
