import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { userError } from '../../errors.ts';
import { visibleLine } from '../../text/visible.ts';
import { member } from '../../types/plain.ts';
import { makeFolders } from './make-folders.ts';

const BYTES = 32;

export function readMachineKey(file: string): Uint8Array | null {
  let handle: number;
  try {
    // Windows has neither flag. Without `O_NONBLOCK`, opening a named pipe hangs.
    const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants as Partial<typeof constants>;
    handle = openSync(file, constants.O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
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
  throw userError(
    null,
    `${visibleLine(file)}: is not an evaldiff key (${BYTES} bytes). Remove it: ` +
      'evaldiff then creates a new key and requests stored answers again.',
  );
}

/** Concurrent processes get the same key: that of the first complete file. */
export function machineKey(file: string, random: (bytes: number) => Uint8Array): Uint8Array {
  const known = readMachineKey(file);
  if (known !== null) return known;
  makeFolders(dirname(file), 0o700);
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
