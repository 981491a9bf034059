import { isIP, BlockList } from 'node:net';
import type { WorkspaceRules } from './spec.ts';

type Network = WorkspaceRules['network'];

/**
 * What a vendor reaches or keeps for a request: its own tools, addresses and stored data. A name
 * includes longer names, such as `web_search_20250305`.
 */
const VENDOR_FEATURES: readonly string[] = [
  'web_search web_fetch mcp code_interpreter code_execution file_search image_generation plugins',
  'googleSearch googleMaps urlContext codeExecution fileSearch mcpServers fileData cachedContent',
  'image_url video_url file_url file_data file_id url file container conversation prompt store',
  'background previous_response_id item_reference',
].flatMap((line) => line.split(' '));

export function vendorFeature(name: string): string | null {
  const isIn = (feature: string) =>
    name.startsWith(feature) && /^(?:_|[A-Z]|$)/.test(name.slice(feature.length));
  return VENDOR_FEATURES.find(isIn) ?? null;
}

export function isGranted(network: Network, feature: string): boolean {
  return network !== 'off' && network.includes(feature);
}

export function networkHosts(network: Network): string[] {
  return network === 'off' ? [] : network.filter((entry) => vendorFeature(entry) !== entry);
}

/** Only global unicast addresses, without tunnels to others and without Azure's host. */
const NOT_PUBLIC = [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24',
  '192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24',
  '224.0.0.0/3 168.63.129.16/32',
  '::/3 4000::/2 8000::/1 2001::/23 2001:db8::/32 2002::/16 3fff::/20',
].flatMap((line) => line.split(' '));

const notPublic = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const range of NOT_PUBLIC) {
  const [address = '', bits] = range.split('/');
  const family = familyOf(address);
  notPublic[family].addSubnet(address, Number(bits), family);
}

export function isPublicAddress(address: string): boolean {
  const family = familyOf(address);
  return isIP(address) !== 0 && !notPublic[family].check(address, family);
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}

/** Whether the text alone shows that the host is not public, also as `2130706433` or `0x7f.1`. */
export function isPrivateHost(host: string): boolean {
  const url = `http://${host}`;
  if (!URL.canParse(url)) return true;
  const { hostname } = new URL(url);
  return (
    /(?:^|\.)localhost\.?$/.test(hostname) || (isIP(hostname) !== 0 && !isPublicAddress(hostname))
  );
}
