/** Keys that choose where a request goes or what it proves itself with, by their letters alone. */
const ADDRESS = new Set([
  'baseurl',
  'apibase',
  'apihost',
  'apiurl',
  'url',
  'host',
  'hostname',
  'serverurl',
  'endpointurl',
  'azureendpoint',
  'headers',
  'defaultheaders',
  'extraheaders',
  'httpheaders',
  'defaultquery',
  'extraquery',
  'organization',
  'organisation',
  'project',
  'proxy',
  'proxies',
  'proxyurl',
  'httpproxy',
  'httpsproxy',
  'noproxy',
  'allproxy',
  'httpagent',
  'fetchoptions',
  'fetch',
]);
const SECRET = new Set([
  'apikey',
  'apikeyenv',
  'apikeyname',
  'apikeyenvar',
  'key',
  'keyenv',
  'keyname',
  'token',
  'tokenenv',
  'authtoken',
  'apitoken',
  'bearer',
  'authorization',
  'auth',
  'password',
  'secret',
  'credentials',
  'env',
  'environment',
  'envfile',
  'envfilepath',
]);

/**
 * Why `key` may not stand in a repository's file, or null. A file that says where requests go could
 * send the workflow's keys anywhere, so addresses, headers, proxies and keys are the workflow's
 * alone.
 */
export function refusedKey(key: string): string | null {
  const letters = key.toLowerCase().replaceAll('-', '').replaceAll('_', '');
  if (SECRET.has(letters)) {
    return `"${key}" may only be set in the workflow (inputs openai-api-key, anthropic-api-key and endpoints)`;
  }
  return ADDRESS.has(letters) ? `"${key}" may only be set in the workflow (input endpoints)` : null;
}
