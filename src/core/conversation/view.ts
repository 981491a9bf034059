import { judgeAgain, type Dialogue } from './converse.ts';
import type { EvaluatorTools } from './evaluators.ts';
import { attemptOf, type Sample } from '../trial/execute.ts';
import { completionOf, recordedDialogue } from './transcript.ts';
import { steeringFor, type Yardstick } from '../fingerprint/yardstick.ts';

/**
 * Samples as a yardstick sees them, without a new answer: a dialogue that another steering led is
 * judged again turn by turn, once for all samples that share it; a yardstick for single answers
 * sees the first answer; and one for dialogues sees a single answer as a dialogue of one turn.
 */
export async function viewsUnder(
  samples: readonly Sample[],
  yardstick: Yardstick,
  tools: EvaluatorTools,
): Promise<Sample[]> {
  const steering = steeringFor(yardstick);
  if (steering === null)
    return samples.map((sample) =>
      sample.dialogue === null
        ? sample
        : { trial: sample.trial, ...completionOf(firstTurn(sample.dialogue)), dialogue: null },
    );
  const again = new Map<Dialogue, Promise<Dialogue>>();
  return Promise.all(
    samples.map(async (sample) => {
      const { trial } = sample;
      if (steering.fingerprint === trial.steering?.fingerprint) return sample;
      const recorded = sample.dialogue ?? singleAnswer(sample);
      if (recorded === null) return sample;
      const judging =
        again.get(recorded) ?? judgeAgain(recorded, steering, attemptOf(trial), tools);
      again.set(recorded, judging);
      const dialogue = await judging;
      return { trial, ...completionOf(dialogue), dialogue };
    }),
  );
}

function firstTurn(dialogue: Dialogue): Dialogue {
  const answers = dialogue.answers.slice(0, 1);
  return {
    ...dialogue,
    turns: dialogue.turns.slice(0, 1),
    answers,
    error: answers.length === 0 ? dialogue.error : null,
  };
}

/** Null where there is no answer to judge. */
function singleAnswer({ messages, completion }: Sample): Dialogue | null {
  if (completion.status === 'error') return null;
  const recorded = recordedDialogue([
    ...messages,
    { role: 'assistant', content: completion.output },
  ]);
  // Its last answer is the one that came, with its tokens and time.
  return { ...recorded, answers: [...recorded.answers.slice(0, -1), completion] };
}
