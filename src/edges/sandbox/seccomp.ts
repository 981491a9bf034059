import type { Machine } from './system-calls.ts';

/** What the kernel does with a call: an error makes the call fail, `zero` returns 0. */
const ANSWERS = {
  allow: 0x7fff0000,
  zero: 0x00050000,
  EPERM: 0x00050001,
  ENOSYS: 0x00050026,
  kill: 0x80000000,
} as const;

type Answer = keyof typeof ANSWERS;

/** Decides by the lower 32 bits of an argument, after the mask. */
interface ArgumentRule {
  argument: number;
  mask?: number;
  values: readonly (readonly [number, Rule])[];
  otherwise: Answer;
}

export type Rule = Answer | ArgumentRule;

export interface CallPolicy {
  calls: ReadonlyMap<string, Rule>;
  /** Answer to calls that are not in `calls`. */
  denied: Answer;
  /** Answer to numbers above the table, which are newer calls or x32. */
  unknown: Answer;
}

interface Instruction {
  code: number;
  ifTrue: number;
  ifFalse: number;
  value: number;
}

const [LOAD, AND, EQUAL, AT_LEAST, RETURN] = [0x20, 0x54, 0x15, 0x35, 0x06];

/** Offsets in the kernel's `struct seccomp_data`. */
const [NUMBER_AT, ARCHITECTURE_AT, ARGUMENTS_AT] = [0, 4, 16];

const step = (code: number, value: number): Instruction => ({ code, ifTrue: 0, ifFalse: 0, value });

const answer = (name: Answer): Instruction => step(RETURN, ANSWERS[name]);

function ruleCode(rule: Rule): Instruction[] {
  if (typeof rule === 'string') return [answer(rule)];
  const code = [step(LOAD, ARGUMENTS_AT + 8 * rule.argument)];
  if (rule.mask !== undefined) code.push(step(AND, rule.mask));
  for (const [value, inner] of rule.values) {
    const body = ruleCode(inner);
    code.push({ code: EQUAL, ifTrue: 0, ifFalse: body.length, value }, ...body);
  }
  return [...code, answer(rule.otherwise)];
}

/** Numbers from `first` to the next section's, which have the same rule. */
interface Section {
  first: number;
  rule: Rule;
}

/** Searches the section of a number by halves, because kernels before 5.11 do so at every call. */
function searchCode(sections: readonly Section[]): Instruction[] {
  const half = sections.length >> 1;
  const middle = sections[half];
  if (half === 0 || middle === undefined) return sections.flatMap(({ rule }) => ruleCode(rule));
  const below = searchCode(sections.slice(0, half));
  const jump = { code: AT_LEAST, ifTrue: below.length, ifFalse: 0, value: middle.first };
  return [jump, ...below, ...searchCode(sections.slice(half))];
}

/** A seccomp program (classic BPF). It kills programs of other architectures, such as i386. */
export function compileFilter(machine: Machine, policy: CallPolicy): Buffer {
  const rules: Rule[] = Array<Rule>(Math.max(...machine.calls.values()) + 1).fill(policy.denied);
  for (const [name, rule] of policy.calls) {
    const number = machine.calls.get(name);
    if (number !== undefined) rules[number] = rule;
  }
  const sections = [...rules, policy.unknown]
    .map((rule, first) => ({ first, rule }))
    .filter(({ first, rule }) => first === 0 || rule !== rules[first - 1]);
  const program = [
    step(LOAD, ARCHITECTURE_AT),
    { code: EQUAL, ifTrue: 1, ifFalse: 0, value: machine.architecture },
    answer('kill'),
    step(LOAD, NUMBER_AT),
    ...searchCode(sections),
  ];
  const bytes = Buffer.alloc(8 * program.length);
  program.forEach(({ code, ifTrue, ifFalse, value }, index) => {
    bytes.writeUInt16LE(code, 8 * index);
    bytes.writeUInt8(ifTrue, 8 * index + 2);
    bytes.writeUInt8(ifFalse, 8 * index + 3);
    bytes.writeUInt32LE(value, 8 * index + 4);
  });
  return bytes;
}
