import type { CallTable } from './system-calls.ts';

/** What the kernel does with a call. An error makes it fail; `zero` returns 0. */
const FILTER_ANSWERS = {
  allow: 0x7fff0000,
  zero: 0x00050000,
  EPERM: 0x00050001,
  ENOSYS: 0x00050026,
  kill: 0x80000000,
} as const;

type FilterAnswer = keyof typeof FILTER_ANSWERS;

/** Decides by the lower 32 bits of an argument, after the mask. */
interface ArgumentRule {
  argument: number;
  mask?: number;
  values: readonly (readonly [number, CallRule])[];
  otherwise: FilterAnswer;
}

export type CallRule = FilterAnswer | ArgumentRule;

interface Instruction {
  code: number;
  ifTrue: number;
  ifFalse: number;
  value: number;
}

const LOAD = 0x20;
const AND = 0x54;
const EQUAL = 0x15;
const AT_LEAST = 0x35;
const RETURN = 0x06;

/** Offsets in the kernel's `struct seccomp_data`. */
const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
const ARGUMENTS_AT = 16;

const instruction = (code: number, value: number): Instruction => ({
  code,
  ifTrue: 0,
  ifFalse: 0,
  value,
});

const returnCode = (name: FilterAnswer): Instruction => instruction(RETURN, FILTER_ANSWERS[name]);

const ifTrue = (code: number, value: number, body: Instruction[]): Instruction[] => [
  { code, ifTrue: 0, ifFalse: body.length, value },
  ...body,
];

function ruleCode(rule: CallRule): Instruction[] {
  if (typeof rule === 'string') return [returnCode(rule)];
  return [
    instruction(LOAD, ARGUMENTS_AT + 8 * rule.argument),
    ...(rule.mask === undefined ? [] : [instruction(AND, rule.mask)]),
    ...rule.values.flatMap(([value, inner]) => ifTrue(EQUAL, value, ruleCode(inner))),
    returnCode(rule.otherwise),
  ];
}

/**
 * A seccomp program (classic BPF). It kills programs of other architectures, such as i386.
 * Calls that are not in `calls` fail with EPERM. `unknown`: the answer to numbers above the table,
 * which are newer calls or x32.
 */
export function compileFilter(
  table: CallTable,
  calls: ReadonlyMap<string, CallRule>,
  unknown: FilterAnswer,
): Buffer {
  const program = [
    instruction(LOAD, ARCHITECTURE_AT),
    { code: EQUAL, ifTrue: 1, ifFalse: 0, value: table.architecture },
    returnCode('kill'),
    instruction(LOAD, NUMBER_AT),
    ...ifTrue(AT_LEAST, Math.max(...table.calls.values()) + 1, [returnCode(unknown)]),
    ...[...calls].flatMap(([name, rule]) => {
      const number = table.calls.get(name);
      return number === undefined ? [] : ifTrue(EQUAL, number, ruleCode(rule));
    }),
    returnCode('EPERM'),
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
