import { join } from 'node:path';
import { startCounting, type Counting } from '../../../benchmarks/calls/count.ts';
import { callsToCompare, callsToSweep } from '../../../benchmarks/calls/limit.ts';
import { projectOf } from '../../../benchmarks/calls/project.ts';
import { scenariosOf } from '../../../benchmarks/calls/scenarios.ts';
import { commandIn } from '../../stand-ins/command-line.ts';

// Fewer than in the published figures.
const [PROMPTS, REFERENCES] = [6, 2];
const BASE = projectOf(PROMPTS, REFERENCES);
const SCENARIOS = scenariosOf(BASE);

/**
 * Counted by hand: answers and grades with an empty store, and with main's results stored. Three
 * tries per side.
 */
const BY_HAND: Record<string, [number, number]> = {
  'nothing that concerns prompts': [0, 0],
  'a comment in a prompt file': [0, 0],
  'a prompt file renamed': [0, 0],
  'tries of each reference 3 → 5 in the settings': [0, 0],
  'one prompt of twenty reworded': [REFERENCES * 3 * 2, REFERENCES * 3],
  'one reference added': [3, 3],
  'one expected value edited': [3, 0],
  'the metric of one prompt changed': [REFERENCES * 3, 0],
  'the rubric of one prompt changed': [REFERENCES * 3 + REFERENCES * 3 * 2, REFERENCES * 3],
  // Both wordings get the same answers, so one grade serves both.
  'the prompt that a rubric judges reworded': [REFERENCES * 3 * 2 + REFERENCES * 3, REFERENCES * 3],
  'a parameter of one prompt changed': [REFERENCES * 3 * 2, REFERENCES * 3],
  'the model behind all prompts changed in the settings': [
    PROMPTS * REFERENCES * 3 * 2 + REFERENCES * 3,
    PROMPTS * REFERENCES * 3,
  ],
  'a prompt copied under a new name': [REFERENCES * 3, 0],
  'the reworded prompt again: the job is run a second time': [0, 0],
  'a second push that rewords another prompt': [REFERENCES * 3 * 2, REFERENCES * 3],
};

describe('model calls', () => {
  let counting: Counting;
  beforeAll(async () => {
    counting = await startCounting(BASE, async (args, folder) => {
      const { code, out, err } = await commandIn(folder, args, {
        env: { PATH: process.env['PATH'], HOME: join(folder, '.evaldiff') },
      });
      if (code > 1) throw new Error(out + err);
    });
  });
  afterAll(async () => {
    await counting.close();
  });

  test('for a sweep (full run) of the main branch are one per answer and one per grade', () => {
    expect(callsToSweep(BASE).size).toBe(PROMPTS * REFERENCES * 3 + REFERENCES * 3);
  });

  test('are compared with a number counted by hand in every scenario', () => {
    expect(SCENARIOS.map(({ title }) => title)).toEqual(Object.keys(BY_HAND));
  });

  test.each(SCENARIOS.map((scenario) => [scenario.title, scenario] as const))(
    'for a pull request are as few as counted by hand: %s',
    async (title, scenario) => {
      const [cold, warm] = BY_HAND[title] ?? [NaN, NaN];
      if (scenario.earlier === undefined)
        expect(callsToCompare(BASE, scenario.head).size).toBe(cold);
      expect(await counting.count(scenario)).toEqual({
        cold: { made: cold, limit: cold },
        warm: { made: warm, limit: warm },
      });
    },
  );
});
