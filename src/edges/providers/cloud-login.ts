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
  /** To any host. */
  request(url: string, init: RequestInit): Promise<CloudReply>;
  /** Milliseconds since 1970. */
  now(): number;
  /** Told each secret before it is sent. */
  register(secrets: readonly string[]): void;
}

/** A clock that is wrong by less is not why a cloud refuses. */
export const CLOCK_ERROR_MS = 60_000;

/** `date`: milliseconds since 1970, by the server's clock. */
interface CloudReply {
  text: string;
  data: unknown;
  date: number | null;
}

export function form(fields: Readonly<Record<string, string>>): RequestInit {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return { method: 'POST', headers, body: new URLSearchParams(fields).toString() };
}

/** The text of the file at `variable`. @throws TransportError if it cannot be read. */
export async function loginFile(
  { variables }: CloudLogin,
  variable: string,
  path = variables[variable] ?? '',
): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    const why = String(member(error, 'code'));
    throw new TransportError('identity', `the file of ${variable} cannot be read (${why})`);
  }
}

export function memberText(data: unknown, name: string): string {
  const value = member(data, name);
  return typeof value === 'string' ? value : '';
}

/** `expiresAt`: in seconds since 1970. */
export interface IssuedToken {
  token: string;
  expiresAt: number | null;
}

/** The reply of a token request. @throws Error if it has no token. */
export function bearerIn(data: unknown): IssuedToken {
  const token = memberText(data, 'access_token');
  const expiresAt = Date.now() / 1000 + Number(member(data, 'expires_in'));
  if (token === '' || Number.isNaN(expiresAt)) throw new Error('no token');
  return { token, expiresAt };
}
