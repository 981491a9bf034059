import type { VendorIdentity } from '../../types/vendors.ts';

/** Proves to a vendor who asks, with a token that expires and is renewed. */
export interface Credential {
  /** Sent besides the token. */
  headers: Readonly<Record<string, string>>;
  /** A valid token. Rejects only with {@link TransportError}. */
  token(): Promise<string>;
  accepted(token: string): void;
  /** The token to use instead of one that the server refused. Null: a new one would not help. */
  replace(refused: string): Promise<string | null>;
  /** Bearer tokens without it. */
  signer(): Promise<Signer>;
  /** All tokens so far, which are secrets. */
  issued(): readonly string[];
}

interface SignedRequest {
  url: string;
  method: string;
  body: string;
}

/** Puts the proof into a request. */
export interface Signer {
  sign(token: string, request: SignedRequest): Promise<Readonly<Record<string, string>>>;
  /** What the server refused: the token, or the time of the signature, which is now corrected. */
  refused(response: Response): 'token' | 'time' | null;
}

export const BEARER: Signer = {
  sign: (token) => Promise.resolve({ authorization: `Bearer ${token}` }),
  refused: ({ status }) => (status === 401 ? 'token' : null),
};

/** Headers of a {@link Signer}. */
export const PROOF_HEADERS = ['authorization', 'x-amz-date', 'x-amz-security-token'];

export type Auth = { header: string; value: string } | Credential;

export function isCredential<T>(auth: T | Credential): auth is Credential {
  return typeof auth === 'object' && auth !== null && 'issued' in auth;
}

export function authOf(
  { facts }: { facts: { keyHeader: string } },
  key: string | Credential | null,
  azure = false,
): Auth | null {
  if (key === null || isCredential(key)) return key;
  const keyHeader = azure ? 'api-key' : facts.keyHeader;
  return { header: keyHeader, value: keyHeader === 'authorization' ? `Bearer ${key}` : key };
}

/** An identity in the workflow. `request` is null if the job may not get identity tokens. */
export interface JobIdentity extends VendorIdentity {
  request: ((audience: string) => Promise<string>) | null;
}
