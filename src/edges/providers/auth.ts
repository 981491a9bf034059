/** Proves to a vendor who asks, with a token that expires and is renewed. */
export interface Credential {
  /** Sent besides the token. */
  headers: Readonly<Record<string, string>>;
  /** A valid token. Rejects only with {@link TransportError}. */
  token(): Promise<string>;
  accepted(token: string): void;
  /** The token to use instead of one that the server refused. Null: a new one would not help. */
  replace(refused: string): Promise<string | null>;
  /** All tokens so far, which are secrets. */
  issued(): readonly string[];
}

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
