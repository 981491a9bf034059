import type { Plan } from './core/plan.ts';
import { plural } from './core/wording.ts';

export interface Progress {
  planned(plan: Plan): void;
  answered(): void;
  end(): void;
}

/** A line of progress at most every this share of the planned answers, where lines stay (a CI log). */
const STEP = 0.05;

/** Says what will be asked and how far it is: one updated line on a terminal, a line per 5 % in a log. */
export function createProgress(style: 'line' | 'steps', write: (text: string) => void): Progress {
  let planned = 0;
  let answered = 0;
  let shown = 0;
  const line = (): string => `${String(answered)} of ${answered > planned ? 'more than ' : ''}${String(planned)} answers`;
  return {
    planned(plan) {
      planned = plan.prompt_calls;
      if (plan.references === 0) return;
      const graders = plan.grader_calls > 0 ? ` and up to ${plural(plan.grader_calls, 'grade')}` : '';
      write(`${plural(plan.references, 'reference')} of ${plural(plan.suites, 'prompt')} affected: ${plural(plan.prompt_calls, 'call')} for the first answers${graders}\n`);
    },
    answered() {
      answered += 1;
      if (style === 'line') write(`\r${line()}`);
      else if (planned > 0 && answered - shown >= planned * STEP) {
        shown = answered;
        write(`${line()}\n`);
      }
    },
    end() {
      if (style === 'line' && answered > 0) write('\n');
    },
  };
}
