import type { Grade } from './grade.ts';

/** What one grader says; the grader by its model's name. */
export interface Vote {
  grader: string;
  grade: Grade;
}

/**
 * One grade from the votes of an odd number of graders: the label that more than half of all of
 * them give. Who says otherwise, or nothing readable, stands in the reasons. Without such a label
 * the material is not graded, unless failed calls are why.
 */
export function majority(votes: readonly Vote[]): Grade {
  const [first] = votes;
  if (first === undefined) throw new TypeError('nobody voted');
  if (votes.length === 1) return first.grade;
  const needed = Math.floor(votes.length / 2) + 1;
  const labels = votes.map(({ grade }) => (grade.status === 'graded' ? grade.label : null));
  const winner = votes.find(
    (_, index) =>
      labels[index] !== null && labels.filter((label) => label === labels[index]).length >= needed,
  );
  const said = votes.map(
    ({ grader, grade }) => `${grader}: ${grade.status === 'graded' ? grade.label : grade.status}`,
  );
  if (winner?.grade.status === 'graded') {
    const { label, score, reasons } = winner.grade;
    const others = said.filter((_, index) => labels[index] !== label);
    const count = `${String(votes.length - others.length)} of ${String(votes.length)} graders${others.length === 0 ? '' : `; ${others.join(', ')}`}`;
    return {
      status: 'graded',
      label,
      score,
      reasons: reasons === null ? `(${count})` : `${reasons} (${count})`,
    };
  }
  const spoke = labels.filter((label) => label !== null).length;
  const failures = votes.flatMap(({ grader, grade }) =>
    grade.status === 'error' ? [`${grader}: ${grade.reason}`] : [],
  );
  if (failures.length > 0 && spoke < needed) {
    return {
      status: 'error',
      reason: `only ${String(spoke)} of ${String(votes.length)} graders gave a label; ${failures.join('; ')}`,
    };
  }
  return { status: 'ungraded', reason: `the graders give no majority (${said.join(', ')})` };
}
