import type { VendorName } from './vendors/names.ts';

/** Null means that only the server's own limit applies. */
export interface GivenPace {
  concurrency: number | null;
  requests_per_minute: number | null;
}

export interface Endpoint extends GivenPace {
  name: string;
  url: string;
  keyEnv: string | null;
  /** The vendor whose credentials are sent, instead of a key. */
  auth?: VendorName;
  headers: readonly { name: string; env: string }[];
  /** Names of headers that do not affect answers. */
  volatile: readonly string[];
  /** Set only for Azure, which gets the key as `api-key`. */
  apiVersion: string | null;
  /** Allows plain http to a service of the same CI job. */
  insecure: boolean;
  direct: boolean;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

function isOfTheJob(host: string): boolean {
  return (
    /^[a-z0-9_-]+$/i.test(host) ||
    /\.(internal|local)$/i.test(host) ||
    /^10(\.\d{1,3}){3}$|^192\.168(\.\d{1,3}){2}$|^172\.(1[6-9]|2\d|3[01])(\.\d{1,3}){2}$/.test(host)
  );
}

export function protocolFlaw({ protocol, hostname }: URL, insecure: boolean): string | null {
  if (protocol === 'https:')
    return insecure ? 'is https; remove "insecure", which is only for http://' : null;
  const plain = protocol === 'http:';
  if (plain && (isLoopback(hostname) || (insecure && isOfTheJob(hostname)))) return null;
  if (plain && insecure)
    return (
      'must be https: "insecure" is only for services of the job (http://ollama:11434), for ' +
      '.internal and .local names and for private addresses'
    );
  const remedy =
    plain && isOfTheJob(hostname)
      ? '; if it is a service of the job, add "insecure" to its line'
      : '';
  return `must be https, or http on a loopback address${remedy}`;
}

/** `none`: the address has no path, as in Azure's portal. Null: it is not an address of Azure. */
export function azureApi({ hostname, pathname }: URL): 'versioned' | 'unversioned' | 'none' | null {
  if (!/\.(openai|cognitiveservices|services\.ai)\.azure\.(com|us|cn)$/.test(hostname)) return null;
  if (pathname === '/') return 'none';
  return /\/(openai\/v1|anthropic)\/?$/.test(pathname) ? 'unversioned' : 'versioned';
}
