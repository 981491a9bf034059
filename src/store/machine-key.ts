import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { UserError, problem } from '../errors.ts';
import { visibleLine } from '../text/visible.ts';
import { member } from '../types/plain.ts';

/** Bytes of a key, as many as SHA-256 gives. */
const BYTES = 32;

/**
 * The key that tells what this machine stored from what somebody brought along: random bytes in a
 * file that only its user may read. Null: there is none yet.
 *
 * @throws UserError for a file that is not such a key; else what the system answers.
 */
export function readMachineKey(file: string): Uint8Array | null {
  let handle: number;
  try {
    // Windows has no such flag.
    const { O_NOFOLLOW } = constants as Partial<typeof constants>;
    handle = openSync(file, constants.O_RDONLY | (O_NOFOLLOW ?? 0));
  } catch (error) {
    if (member(error, 'code') === 'ENOENT') return null;
    throw error;
  }
  try {
    const found = fstatSync(handle);
    if (found.isFile() && found.size === BYTES) return readFileSync(handle);
  } finally {
    closeSync(handle);
  }
  throw new UserError([
    problem(
      null,
      `${visibleLine(file)}: is not a key of evaldiff (${String(BYTES)} bytes). Remove it: a new one is made, and stored answers are asked for once more.`,
    ),
  ]);
}

/**
 * The machine's key, made where there is none. Of several processes that make one at once all get
 * the same: it appears under its name as a whole, and the first stays.
 *
 * @param random gives so many random bytes
 */
export function machineKey(file: string, random: (bytes: number) => Uint8Array): Uint8Array {
  const known = readMachineKey(file);
  if (known !== null) return known;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const waiting = mkdtempSync(join(dirname(file), '.key-'));
  try {
    writeFileSync(join(waiting, 'key'), random(BYTES), { flag: 'wx', mode: 0o600 });
    linkSync(join(waiting, 'key'), file);
  } catch (error) {
    if (member(error, 'code') !== 'EEXIST') throw error;
  } finally {
    rmSync(waiting, { recursive: true, force: true });
  }
  return readMachineKey(file) ?? machineKey(file, random);
}
