import { valueAt, type Document, type Path } from '../../../documents/document.ts';
import {
  isMap,
  ownEntry,
  type Json,
  type JsonMap,
  type Notice,
  type Place,
} from '../../../types/plain.ts';

export interface Losses {
  left: Loss[];
  remarks: Notice[];
  /** Keys that the other tool does not read either. */
  ignored: Place[];
}

export interface Loss extends Notice {
  what: string;
  why: string;
  place: Place;
}

export function lose(
  left: { push(loss: Loss): unknown },
  place: Place,
  what: string,
  why: string,
): never[] {
  const message = `${what} is not converted: ${why}`;
  left.push({ kind: 'import', place, message, what, why });
  return [];
}

export function addRemark(remarks: Notice[], place: Place, message: string): void {
  remarks.push({ kind: 'import', place, message });
}

export const isAmong = (words: string, word: string): boolean => words.split(' ').includes(word);

/** Thrown with the reason why evaldiff cannot convert something. */
export class Unconvertible extends Error {}

export function refuse(why: string): never {
  throw new Unconvertible(why);
}

/** Returns what `convert` returns, or what `refused` makes of the reason. */
export function tryConvert<T, R>(convert: () => T, refused: (why: string) => R): T | R {
  try {
    return convert();
  } catch (error) {
    if (error instanceof Unconvertible) return refused(error.message);
    throw error;
  }
}

export async function tryConvertAsync<T, R>(
  convert: () => Promise<T>,
  refused: (why: string) => R,
): Promise<T | R> {
  try {
    return await convert();
  } catch (error) {
    return tryConvert<never, R>(() => {
      throw error;
    }, refused);
  }
}

/** A value of a foreign file. What is not converted of it is reported at its place. */
export class Node {
  readonly value: Json;
  readonly place: Place;
  readonly losses: Losses;
  private readonly document: Pick<Document, 'value' | 'placeOf'>;
  private readonly path: Path;

  constructor(document: Pick<Document, 'value' | 'placeOf'>, losses: Losses, path: Path = []) {
    this.document = document;
    this.losses = losses;
    this.path = path;
    this.value = valueAt(document.value, path) ?? null;
    this.place = document.placeOf(path);
  }

  /** Empty if the value is not a map. */
  get map(): JsonMap {
    return isMap(this.value) ? this.value : {};
  }

  at(...below: Path): Node {
    return new Node(this.document, this.losses, [...this.path, ...below]);
  }

  /** Empty if the value is not a list. */
  items(): Node[] {
    return Array.isArray(this.value) ? this.value.map((_, index) => this.at(index)) : [];
  }

  /** A value that is not a list counts as a list of one, and a missing value as an empty list. */
  each(): Node[] {
    return Array.isArray(this.value) || this.value === null ? this.items() : [this];
  }

  /** Returns an empty list, as the result of reading the node. */
  lose(what: string, why: string): never[] {
    return lose(this.losses.left, this.place, what, why);
  }

  remark(message: string): void {
    addRemark(this.losses.remarks, this.place, message);
  }

  loseUnread({
    read,
    lost,
    why = {},
    otherwise = 'evaldiff has no equivalent',
    what = (key) => key,
  }: UnreadKeys): void {
    for (const key of Object.keys(this.map).filter((each) => !isAmong(read, each)))
      if (lost === undefined || isAmong(lost, key))
        this.at(key).lose(what(key), ownEntry(why, key) ?? otherwise);
      else this.losses.ignored.push(this.at(key).place);
  }
}

interface UnreadKeys {
  /** The supported keys, separated by spaces. */
  read: string;
  /** Keys that have a meaning in the other tool. Default: all. */
  lost?: string;
  why?: Readonly<Record<string, string>>;
  otherwise?: string;
  what?(key: string): string;
}

/** A value without parts that have their own places. */
export function leafNode(value: Json, place: Place, losses: Losses): Node {
  return new Node({ value, placeOf: () => place }, losses);
}

export async function readEach<T, R>(
  list: readonly T[],
  read: (each: T) => R[] | Promise<R[]>,
): Promise<R[]> {
  return (await Promise.all(list.map(read))).flat();
}

/** Reads nodes in parallel. A node that `read` refuses is lost. */
export function readNodes<R>(
  nodes: readonly Node[],
  what: string,
  read: (node: Node) => R[] | Promise<R[]>,
): Promise<R[]> {
  return readEach(nodes, (node) =>
    tryConvertAsync<R[], R[]>(
      async () => read(node),
      (why) => node.lose(what, why),
    ),
  );
}
