import { createHash } from 'node:crypto';
import { LP_INSTANCES } from '../../__tests__/unit/features/attributes/lp-instances.ts';
import { createSolver } from '../../src/edges/solver/thread.ts';
import { assign } from '../../src/features/attributes/assignment-program.ts';
import type { Part } from './page.ts';

/** The affinity that QualEval's linear program reaches, compared with another solver's optimum. */
export async function assignment(): Promise<Part> {
  const tools = {
    solve: createSolver(),
    hash: (text: string): string => createHash('sha256').update(text).digest('hex'),
  };
  const rows = [];
  for (const { name, scores, priors, objective, paper } of LP_INSTANCES) {
    const found = await assign(
      scores.map((affinities, index) => ({ id: `r${String(index)}`, affinities })),
      priors.map((prior, column) => ({ id: `a${String(column)}`, prior })),
      { slack: 0.1 },
      tools,
    );
    rows.push({
      what: `${name}${paper === null ? " (no solution within the paper's slack, so bounds are rounded outwards)" : " (within the paper's slack)"}`,
      seed: String(paper ?? objective),
      ours: found.status === 'assigned' ? String(found.objective) : found.reason,
    });
  }
  return {
    title: 'QualEval: the assignment of attributes',
    text: "Each figure is the total affinity when every reference gets two attributes. “Seed” is the optimum of QualEval's program that HiGHS (scipy 1.17.1) found on instances that we made. The name of an instance gives references × attributes.",
    rows,
  };
}
