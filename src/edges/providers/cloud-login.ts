import { readFile } from 'node:fs/promises';
import { member } from '../../types/plain.ts';
import type { VendorIdentity } from '../../types/vendors.ts';
import { TransportError } from './fault.ts';

/** How a cloud's token is obtained: with the job's identity, or with what its own tools left. */
export interface CloudLogin {
  /** Of a line in `keys`. Null: the `variables` apply. */
  identity: VendorIdentity | null;
  variables: Readonly<Record<string, string | null>>;
  /** The runner's identity token. */
  prove(): Promise<string>;
  /** To any host. Without fields, a GET request. */
  post(url: string, fields: Fields, headers?: Record<string, string>): Promise<CloudReply>;
  /** Milliseconds since 1970. */
  now(): number;
  /** Told each secret before it is sent. */
  register(secrets: readonly string[]): void;
}

/** A clock that is wrong by less is not why a cloud refuses. */
export const CLOCK_ERROR_MS = 60_000;

type Fields = Readonly<Record<string, string>> | string | null;

/** A reply's members. `date`: milliseconds since 1970, by the server's clock. */
interface CloudReply {
  text: string;
  data: unknown;
  date: number | null;
}

/** @throws TransportError if the file cannot be read. */
export async function loginFile(path: string, variable: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    const why = String(member(error, 'code'));
    throw new TransportError('identity', `the file of ${variable} cannot be read (${why})`);
  }
}

/** Of a file that has nothing else. */
export async function tokenIn(
  { register }: CloudLogin,
  path: string,
  variable: string,
): Promise<string> {
  const token = await loginFile(path, variable);
  register([token]);
  return token;
}

export function memberText(data: unknown, name: string): string {
  const value = member(data, name);
  return typeof value === 'string' ? value : '';
}

/** The reply of a token request. @throws Error if it has no token. */
export function bearerIn({ data }: Pick<CloudReply, 'data'>): { token: string; lives: number } {
  const seconds = Number(member(data, 'expires_in'));
  const token = memberText(data, 'access_token');
  if (token === '' || !(seconds > 0)) throw new Error('no token');
  return { token, lives: seconds * 1000 };
}
