/** Servers that the workflow names, and how they may be reached. */

/** How fast requests may be sent; null: as fast as the server allows. */
export interface GivenPace {
  /** Calls at a time. */
  concurrency: number | null;
  requests_per_minute: number | null;
}

/** A further OpenAI- or Anthropic-compatible server, as the workflow names it. */
export interface Endpoint extends GivenPace {
  name: string;
  /** What the vendor's SDK takes as its base address. */
  url: string;
  /** Environment variable that holds the key; null: the server takes none. */
  keyEnv: string | null;
  /** Further headers, each with the environment variable that holds its value. */
  headers: readonly { name: string; env: string }[];
  /** Azure's: sent in the address of every request; the key then goes as `api-key`. */
  apiVersion: string | null;
  /** Plain http to a name of the job's own services. */
  insecure: boolean;
  /** Reached without the proxy that everything else is reached through. */
  direct: boolean;
}

/** Whether a host, as an address has it, is this machine. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * Whether a host can be one of the job's own services or of the network that the job stands in: a
 * name without a dot, one that the public internet does not have, or a private address.
 */
function isOfTheJob(host: string): boolean {
  return (
    /^[a-z0-9_-]+$/i.test(host) ||
    /\.(internal|local)$/i.test(host) ||
    /^10(\.\d{1,3}){3}$|^192\.168(\.\d{1,3}){2}$|^172\.(1[6-9]|2\d|3[01])(\.\d{1,3}){2}$/.test(host)
  );
}

/** Why nothing may be sent to an address of this protocol and host, as a clause; null: it may. */
export function protocolFlaw({ protocol, hostname }: URL, insecure: boolean): string | null {
  if (protocol === 'https:')
    return insecure ? 'is https already; "insecure" is for http://, leave it out' : null;
  const plain = protocol === 'http:';
  if (plain && (isLoopback(hostname) || (insecure && isOfTheJob(hostname)))) return null;
  if (plain && insecure)
    return 'must be https: "insecure" is for names of the job\'s own services (http://ollama:11434), .internal and .local names and private addresses';
  const remedy =
    plain && isOfTheJob(hostname)
      ? '; for a service of the job\'s own add "insecure" to its line'
      : '';
  return `must be https, or http on a loopback address${remedy}`;
}

/**
 * What answers at an address of Azure's: with a version in each request, without one, or (at the
 * bare host, which the portal shows) nothing. Null: it is not an address of Azure's.
 */
export function azureApi({ hostname, pathname }: URL): 'versioned' | 'unversioned' | 'none' | null {
  if (!/\.(openai|cognitiveservices|services\.ai)\.azure\.(com|us|cn)$/.test(hostname)) return null;
  if (pathname === '/') return 'none';
  return /\/(openai\/v1|anthropic)\/?$/.test(pathname) ? 'unversioned' : 'versioned';
}
