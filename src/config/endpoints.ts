import { problem } from '../errors.ts';
import { suggestion } from '../text/suggest.ts';
import { azureApi, protocolFlaw, type Endpoint } from '../types/endpoints.ts';
import type { Problem } from '../types/plain.ts';
import { factsOf, vendorNames } from '../types/vendors.ts';

const FORM = 'name=url key=ENV_NAME';

/**
 * Reads lines of the form `name=url key=ENV_NAME …`. Plain http needs a local address or the word
 * `insecure`.
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
      problems.push(problem(null, `endpoints: "${read.name}" is defined twice`));
    else endpoints.push(read);
  }
  return { endpoints, problems };
}

const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,200}$/;

const RESERVED_HEADERS =
  /^(host|connection|content-.*|transfer-encoding|accept-encoding|upgrade|te|trailer|expect|proxy-.*|anthropic-version)$/i;

const API_VERSION =
  /^(\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(-[a-z0-9.-]{1,20})?|[a-z][a-z0-9.-]{0,39})$/i;

type EndpointOptions = Omit<Endpoint, 'name' | 'url'>;

type OptionReader = (options: EndpointOptions, value: string) => string | null;

const OPTIONS: Readonly<Record<string, OptionReader>> = {
  key(options, value) {
    if (!ENV_NAME.test(value))
      return `must be ${FORM}, where ENV_NAME is the name of an environment variable and not the key itself`;
    options.keyEnv = value;
    return refusedName(value);
  },
  auth(options, value) {
    const clouds = vendorNames().filter((vendor) => factsOf(vendor).cloud !== undefined);
    const cloud = clouds.find((vendor) => vendor === value);
    if (cloud === undefined) return `must have auth= with one of ${clouds.join(', ')}`;
    options.auth = cloud;
    return null;
  },
  header(options, value) {
    const [, name = '', env = ''] = /^([A-Za-z0-9-]{1,100}):(.*)$/.exec(value) ?? [];
    if (name === '' || !ENV_NAME.test(env))
      return (
        'must name a header as header=NAME:ENV_NAME, where ENV_NAME is the name of an ' +
        'environment variable and not the value itself'
      );
    if (RESERVED_HEADERS.test(name)) return `must not set the header ${name}`;
    options.headers = [...options.headers, { name: name.toLowerCase(), env }];
    return refusedName(env);
  },
  volatile(options, value) {
    options.volatile = [...options.volatile, value.toLowerCase()];
    return null;
  },
  'api-version'(options, value) {
    if (!API_VERSION.test(value))
      return (
        'must have an api-version that is a date (2024-10-21, 2025-04-01-preview) or a word ' +
        'such as preview'
      );
    options.apiVersion = value;
    return null;
  },
  insecure(options, value) {
    options.insecure = true;
    return value === '' ? null : 'must have "insecure" alone, without a value';
  },
  direct(options, value) {
    options.direct = true;
    return value === '' ? null : 'must have "direct" alone, without a value';
  },
  concurrency(options, value) {
    options.concurrency = numberUpTo(value, 1000);
    return options.concurrency === null
      ? 'must have a concurrency from 1 to 1000 (calls at a time)'
      : null;
  },
  'requests-per-minute'(options, value) {
    options.requests_per_minute = numberUpTo(value, 1_000_000);
    return options.requests_per_minute === null
      ? 'must have requests-per-minute from 1 to 1000000'
      : null;
  },
};

/** With the job's identity token, a server could act as the job everywhere. */
function refusedName(name: string): string | null {
  return /^ACTIONS_(ID_TOKEN|RUNTIME)_/i.test(name)
    ? `must not send ${name}, with which a server could act as the job; for a cloud, add auth=`
    : null;
}

function numberUpTo(value: string, most: number): number | null {
  const number = /^\d{1,7}$/.test(value) ? Number(value) : 0;
  return number >= 1 && number <= most ? number : null;
}

/** Error messages quote only names, because the rest of the line may contain a key. */
function readLine(line: string): Endpoint | string {
  const equals = line.indexOf('=');
  const name = line.slice(0, Math.max(equals, 0)).trim();
  const [url = '', ...words] = line
    .slice(equals + 1)
    .trim()
    .split(/\s+/);
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,60}$/.test(name)) return `a line must be ${FORM}`;
  const options: EndpointOptions = {
    keyEnv: null,
    headers: [],
    volatile: [],
    apiVersion: null,
    insecure: false,
    direct: false,
    concurrency: null,
    requests_per_minute: null,
  };
  for (const word of words) {
    const flaw = readOption(options, word);
    if (flaw !== null) return `"${name}" ${flaw}`;
  }
  const flaw = addressFlaw(url, options) ?? keyFlaw(options) ?? volatileFlaw(options);
  return flaw === null ? { name, url, ...options } : `"${name}" ${flaw}`;
}

function readOption(options: EndpointOptions, word: string): string | null {
  const [option = ''] = word.split('=');
  const read = Object.hasOwn(OPTIONS, option) ? OPTIONS[option] : undefined;
  if (read !== undefined) return read(options, word.slice(option.length + 1));
  const known = Object.keys(OPTIONS);
  return word.includes('=') && /^[a-z-]{1,30}$/i.test(option)
    ? `has an option "${option}", which is not one of ${known.join(', ')}${suggestion(option, known)}`
    : `must be ${FORM}, where ENV_NAME is the name of an environment variable and not the key ` +
        `itself; further options are ${known.slice(1).join(', ')}`;
}

function addressFlaw(text: string, { insecure, apiVersion }: EndpointOptions): string | null {
  if (!URL.canParse(text)) return 'must have a web address like https://host/v1';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '')
    return 'must not have a user name or password in its address; give the key as key=ENV_NAME';
  if (/[?&]api-version=/.test(url.search))
    return 'must not have ? in its address; write api-version=… after the address, as a separate word';
  if (url.search !== '' || url.hash !== '') return 'must not have ? or # in its address';
  if (url.port === '0') return 'must not have port 0 in its address';
  return azureFlaw(url, apiVersion) ?? protocolFlaw(url, insecure);
}

function azureFlaw(url: URL, apiVersion: string | null): string | null {
  const api = azureApi(url);
  if (api === 'none')
    return (
      'is an Azure address without a path: it must end in /openai/v1, or in /openai with an ' +
      'api-version'
    );
  return api === 'versioned' && apiVersion === null
    ? 'is an Azure address without a version: add api-version=2024-10-21, or use the newer ' +
        'form of the address, which ends in /openai/v1'
    : null;
}

/** A vendor's key must not be sent unencrypted. */
function keyFlaw({ insecure, keyEnv, headers }: EndpointOptions): string | null {
  if (!insecure) return null;
  const named = [keyEnv, ...headers.map(({ env }) => env)];
  const vendor = vendorNames().find((each) => named.includes(factsOf(each).keyVariable));
  return vendor === undefined
    ? null
    : `must not send ${factsOf(vendor).keyVariable} over plain http; for a service that runs ` +
        'in the job, use another key or none';
}

function volatileFlaw({ headers, volatile }: EndpointOptions): string | null {
  return volatile.every((each) => headers.some(({ name }) => name === each))
    ? null
    : 'has volatile=NAME without header=NAME:ENV_NAME';
}

export function readProxy(
  name: string,
  text: string,
): { proxy: string | null; problems: Problem[] } {
  const flaw = text === '' ? null : proxyFlaw(text);
  if (flaw === null) return { proxy: text === '' ? null : text, problems: [] };
  return { proxy: null, problems: [problem(null, `${name}: ${flaw}`)] };
}

const PROXY =
  /^https?:\/\/(?:[^@/]*@)?(?:\[[^\]]+\]|[^:/@]+)(?::(?<port>\d{1,5}))?(?<path>\/.*)?$/i;

/** Error messages do not quote the address, because it may contain a password. */
function proxyFlaw(text: string): string | null {
  const form = 'write http://host:port or https://host:port';
  const parts = URL.canParse(text) ? PROXY.exec(text)?.groups : undefined;
  if (parts === undefined) return `must be the address of a proxy: ${form}`;
  if (!isDecodable(text)) return 'must have %25 instead of % in its user name or password';
  if (Number(parts['port'] ?? 0) === 0) return `must have a port: ${form}`;
  return (parts['path'] ?? '/') === '/' ? null : `must have no path: ${form}`;
}

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== '';
  } catch {
    return false;
  }
}
