import type { LabelledTest } from '../../app/commands/terminal.ts';
import type { TargetContext } from '../../config/project-side.ts';
import { answererFor } from '../../config/resolve.ts';
import { UserError, problem } from '../../errors.ts';
import type { Suite } from '../../kernel/suite/suite.ts';
import { judgeCalls } from '../../trials/labelled-tests.ts';
import type { Problem } from '../../types/plain.ts';
import { conversationOf, steeringFor } from './answerer.ts';
import { steeringOf, type Conversation } from './conversation-rules.ts';
import { testEvaluators } from './evaluator-tests.ts';
import { evaluatorTables } from './report.ts';

/** @throws UserError if there are no evaluators or no labelled answers. */
export function gradeConversation(suite: Suite, context: TargetContext): LabelledTest {
  const { prompt, tests } = suite;
  const { examples, ...conversation } = labelledConversation(suite);
  const problems: Problem[] = [];
  const answerer = answererFor(suite, context, problems);
  const head = steeringFor({ tests, answerer }) ?? steeringOf({ ...conversation, examples }, []);
  const test = { path: prompt.file, name: prompt.name, examples };
  return {
    certain: judgeCalls(head.evaluators, examples.length, 'evaluator', conversation.place),
    problems,
    async run(tools) {
      const result = await testEvaluators(test, 'head', head, tools);
      return { json: result, blocks: evaluatorTables([result], Number.POSITIVE_INFINITY) };
    },
  };
}

function labelledConversation({ prompt, tests }: Suite): Conversation {
  const conversation = conversationOf(tests);
  if (conversation !== null && conversation.examples.length > 0) return conversation;
  const message =
    `the prompt "${prompt.name}" has no labelled answers to test its evaluators; add some: ` +
    'examples: [{ question: "…", answer: "…", accepted: true }]';
  throw new UserError([problem(conversation?.place ?? { file: tests.file, line: 0 }, message)]);
}
