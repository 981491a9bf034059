import { problem } from '../errors.ts';
import type { Problem } from '../types.ts';

/** A further OpenAI- or Anthropic-compatible server, as the workflow names it. */
export interface Endpoint {
  name: string;
  /** What the vendor's SDK takes as its base address. */
  url: string;
  /** Environment variable that holds the key; null: the server takes none. */
  keyEnv: string | null;
}

/**
 * Reads lines `name=url key=ENV_NAME`. Addresses are https, or http on a loopback address, and hold
 * no secret themselves.
 */
export function readEndpoints(lines: readonly string[]): {
  endpoints: Endpoint[];
  problems: Problem[];
} {
  const endpoints: Endpoint[] = [];
  const problems: Problem[] = [];
  for (const line of lines.map((each) => each.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const read = readLine(line);
    if (typeof read === 'string') problems.push(problem(null, `endpoints: ${read}`));
    else if (endpoints.some(({ name }) => name === read.name))
      problems.push(problem(null, `endpoints: "${read.name}" is there twice`));
    else endpoints.push(read);
  }
  return { endpoints, problems };
}

function readLine(line: string): Endpoint | string {
  const equals = line.indexOf('=');
  const name = line.slice(0, Math.max(equals, 0)).trim();
  const [url = '', ...rest] = line
    .slice(equals + 1)
    .trim()
    .split(/\s+/);
  // The line may hold a key that was put in the wrong place, so no message repeats more than the
  // name.
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,60}$/.test(name))
    return 'a line must be name=url key=ENV_NAME';
  const flaw = addressFlaw(url);
  if (flaw !== null) return `"${name}" ${flaw}`;
  const [key, ...more] = rest;
  if (key === undefined) return { name, url, keyEnv: null };
  const keyEnv = key.startsWith('key=') ? key.slice('key='.length) : '';
  if (more.length > 0 || !/^[A-Za-z_][A-Za-z0-9_]{0,200}$/.test(keyEnv)) {
    return `"${name}" must be name=url key=ENV_NAME, where ENV_NAME is the name of an environment variable and not the key itself`;
  }
  return { name, url, keyEnv };
}

function addressFlaw(text: string): string | null {
  if (!URL.canParse(text)) return 'must have a web address like https://host/v1';
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (username !== '' || password !== '')
    return 'must not have a user name or password in its address; give the key as key=ENV_NAME';
  if (search !== '' || hash !== '') return 'must not have ? or # in its address';
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))) return null;
  return 'must be https, or http on a loopback address';
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}
