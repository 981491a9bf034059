import { readFileSync } from 'node:fs';
import { refusedContent } from '../../../../src/features/agents/gateway/grammar.ts';
import { routeOf } from '../../../../src/features/agents/gateway/routes.ts';
import { isPrivateHost, isPublicAddress } from '../../../../src/features/agents/suite/network.ts';
import type { JsonMap } from '../../../../src/types/plain.ts';
import {
  ANTHROPIC,
  CHAT,
  GEMINI,
  RESPONSES,
  type WireCase,
} from '../../../stand-ins/agents/wires.ts';

interface Granted {
  network?: 'off' | readonly string[];
  allow?: readonly string[];
}

function refused(path: string, body: JsonMap, { network = 'off', allow = [] }: Granted = {}) {
  const route = routeOf('POST', path, ['anthropic', 'openai', 'gemini']);
  if (route === null || route.does === 'count' || route.does === 'models') throw new Error(path);
  const call = { route, model: route.model ?? String(body['model']), body, sent: '', betas: '' };
  const { signal: gone } = new AbortController();
  return refusedContent({ ...call, gone, take: () => true }, { network, allow });
}

const PICTURE = 'data:image/png;base64,AAAA';
const messages = (...content: JsonMap[]): JsonMap => ({ messages: [{ role: 'user', content }] });
const input = (...content: JsonMap[]): JsonMap => ({ input: [{ role: 'user', content }] });
const parts = (...content: JsonMap[]): JsonMap => ({
  contents: [{ role: 'user', parts: content }],
});
const tools = (...list: JsonMap[]): JsonMap => ({ tools: list });

describe('the grammar of model requests', () => {
  const recorded = JSON.parse(readFileSync('fixtures/agents/requests.json', 'utf8')) as Record<
    string,
    { path: string; body: JsonMap }
  >;

  test.each(Object.entries(recorded))('accepts a request of %s', (_, { path, body }) => {
    expect(refused(path, body)).toBeNull();
  });

  test.each([
    [ANTHROPIC, tools({ type: 'bash_20250124', name: 'bash' }, { name: 'a', input_schema: {} })],
    [ANTHROPIC, messages({ type: 'image', source: { type: 'base64', data: 'AAAA' } })],
    [ANTHROPIC, messages({ type: 'tool_use', id: 'a', input: { mcp_servers: [], type: 'url' } })],
    [ANTHROPIC, tools({ name: 'a', input_schema: { properties: { url: { type: 'integer' } } } })],
    [RESPONSES, { store: false, include: ['reasoning.encrypted_content'], prompt_cache_key: 'a' }],
    [RESPONSES, tools({ type: 'local_shell' }, { type: 'custom', name: 'apply_patch' })],
    [RESPONSES, input({ type: 'input_image', image_url: PICTURE })],
    [RESPONSES, { input: 'https://example.com is a page', background: false }],
    [
      CHAT,
      messages({ type: 'image_url', image_url: { url: PICTURE } }, { type: 'text', text: 'a' }),
    ],
    [CHAT, { n: 1, service_tier: 'flex', store: null, response_format: { type: 'json_object' } }],
    [GEMINI, parts({ inlineData: { mimeType: 'image/png', data: 'AAAA' } })],
    [GEMINI, parts({ functionCall: { name: 'a', args: { fileUri: 'a', model: 'b' } } })],
  ])('%# accepts what clients run themselves: %j', ({ path, body }, more) => {
    expect(refused(path, body('hello', more))).toBeNull();
  });

  const [url, uri] = ['https://attacker.example/a.png', 'gs://bucket/a'];
  /** Each row: an API, what a request contains, and the name that lets it through. */
  const OUTSIDE: [WireCase, JsonMap, string][] = [
    [ANTHROPIC, tools({ type: 'web_search_20250305', name: 'web_search' }), 'web_search'],
    [ANTHROPIC, tools({ type: 'web_fetch_20250910', name: 'web_fetch' }), 'web_fetch'],
    [ANTHROPIC, { mcp_servers: [{ type: 'url', url, name: 'a' }] }, 'mcp'],
    [ANTHROPIC, tools({ type: 'code_execution_20250825', name: 'a' }), 'code_execution'],
    [ANTHROPIC, { container: 'container_1' }, 'container'],
    [ANTHROPIC, messages({ type: 'image', source: { type: 'url', url } }), 'url'],
    [ANTHROPIC, messages({ type: 'document', source: { type: 'file', file_id: 'a' } }), 'file'],
    [
      ANTHROPIC,
      messages({
        type: 'tool_result',
        tool_use_id: 'a',
        content: [{ type: 'image', source: { type: 'url', url } }],
      }),
      'url',
    ],
    [RESPONSES, tools({ type: 'web_search' }), 'web_search'],
    [RESPONSES, tools({ type: 'web_search_preview_2025_03_11' }), 'web_search'],
    [RESPONSES, tools({ type: 'mcp', server_url: url, server_label: 'a' }), 'mcp'],
    [
      RESPONSES,
      tools({ type: 'code_interpreter', container: { type: 'auto' } }),
      'code_interpreter',
    ],
    [RESPONSES, tools({ type: 'file_search', vector_store_ids: ['vs_1'] }), 'file_search'],
    [RESPONSES, tools({ type: 'image_generation' }), 'image_generation'],
    [
      RESPONSES,
      tools({ type: 'namespace', name: 'a', tools: [{ type: 'web_search' }] }),
      'web_search',
    ],
    [RESPONSES, { store: true }, 'store'],
    [RESPONSES, { background: true }, 'background'],
    [RESPONSES, { previous_response_id: 'resp_1' }, 'previous_response_id'],
    [RESPONSES, { conversation: { id: 'conv_1' } }, 'conversation'],
    [RESPONSES, { prompt: { id: 'pmpt_1' } }, 'prompt'],
    [RESPONSES, { input: [{ type: 'item_reference', id: 'msg_1' }] }, 'item_reference'],
    [RESPONSES, { input: [{ id: 'msg_1', type: null }] }, 'item_reference'],
    [RESPONSES, input({ type: 'input_image', image_url: url }), 'image_url'],
    [RESPONSES, input({ type: 'input_image', image_url: ` ${url}` }), 'image_url'],
    [RESPONSES, input({ type: 'input_file', file_url: url }), 'file_url'],
    [RESPONSES, input({ type: 'input_file', file_id: 'file-1' }), 'file_id'],
    [CHAT, messages({ type: 'image_url', image_url: { url } }), 'url'],
    [CHAT, messages({ type: 'image_url', image_url: url }), 'image_url'],
    [CHAT, messages({ type: 'file', file: { file_data: url } }), 'file_data'],
    [CHAT, messages({ type: 'video_url', video_url: { url } }), 'video_url'],
    [CHAT, { plugins: [{ id: 'web' }] }, 'plugins'],
    [CHAT, { web_search_options: {} }, 'web_search'],
    [CHAT, { store: true }, 'store'],
    [GEMINI, tools({ googleSearch: {} }), 'googleSearch'],
    [GEMINI, tools({ googleSearchRetrieval: {} }), 'googleSearch'],
    [GEMINI, tools({ urlContext: {} }), 'urlContext'],
    [GEMINI, tools({ functionDeclarations: [], codeExecution: {} }), 'codeExecution'],
    [GEMINI, parts({ fileData: { fileUri: uri } }), 'fileData'],
    [GEMINI, { cachedContent: 'cachedContents/1' }, 'cachedContent'],
    [
      GEMINI,
      parts({
        functionResponse: { name: 'a', response: {}, parts: [{ fileData: { fileUri: uri } }] },
      }),
      'fileData',
    ],
  ];

  test.each(OUTSIDE)(
    '%# refuses what a vendor reaches or keeps: %j',
    ({ path, body }, more, name) => {
      const whole = body('hello', more);
      expect(refused(path, whole)).toContain(`add ${name} to \`workspace.network\``);
      expect(refused(path, whole, { network: ['example.com'], allow: [name] })).not.toBeNull();
      expect(refused(path, whole, { network: [name] })).toBeNull();
    },
  );

  test.each([
    [ANTHROPIC, { speed: 'fast' }, 'speed'],
    [ANTHROPIC, { max_tokens: Infinity }, 'max_tokens'],
    [ANTHROPIC, { thinking: { budget_tokens: -1e9 } }, 'budget_tokens'],
    [
      ANTHROPIC,
      { system: [{ type: 'text', cache_control: { type: 'ephemeral', ttl: '1h' } }] },
      'ttl',
    ],
    [ANTHROPIC, { service_tier: 'priority' }, 'service_tier'],
    [ANTHROPIC, { fallbacks: [{ model: 'big' }] }, 'fallbacks'],
    [ANTHROPIC, tools({ type: 'advisor_20260301', model: 'big' }), 'advisor_20260301'],
    [ANTHROPIC, messages({ type: 'text', text: 'a', unknown: 1 }), 'unknown'],
    [RESPONSES, { service_tier: 'priority' }, 'service_tier'],
    [RESPONSES, tools({ type: 'shell', environment: { type: 'container_auto' } }), 'shell'],
    [CHAT, { n: 128 }, 'n'],
    [CHAT, { max_completion_tokens: -1e12 }, 'max_completion_tokens'],
    [CHAT, { max_tokens: 0.5 }, 'max_tokens'],
    [CHAT, { models: ['m-1', 'big'] }, 'models'],
    [CHAT, { route: 'fallback' }, 'route'],
    [CHAT, { best_of: 8 }, 'best_of'],
    [CHAT, { modalities: ['audio'] }, 'modalities'],
    [CHAT, { __proto__x: {} }, '__proto__x'],
    [GEMINI, { model: 'models/big' }, 'model'],
    [GEMINI, { generationConfig: { candidateCount: 8 } }, 'candidateCount'],
    [GEMINI, { generationConfig: { responseModalities: ['IMAGE'] } }, 'responseModalities'],
    [GEMINI, { generation_config: { max_output_tokens: 9 } }, 'generation_config'],
  ])('%# refuses what costs more or is unknown: %j', ({ path, body }, more, name) => {
    const whole = body('hello', more);
    expect(refused(path, whole)).toContain(`write \`allow: [${name}]\` in the suite`);
    expect(refused(path, whole, { network: [name] })).not.toBeNull();
    expect(refused(path, whole, { allow: [name] })).toBeNull();
  });

  test('shows a long or hostile name in one short line', () => {
    const said = refused(CHAT.path, CHAT.body('hello', { [`a\n\u202e${'b'.repeat(1e6)}`]: 1 }));
    expect(said?.length).toBeLessThan(350);
    expect(said).not.toMatch(/[\n\u202e]/);
  });
});

describe('an address of network', () => {
  test.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.7.7',
    '169.254.169.254',
    '100.100.100.200',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '168.63.129.16',
    '192.0.0.192',
    '198.18.0.1',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    'fe80::1',
    'fc00::1',
    'fd00:ec2::254',
    'ff02::1',
    '2001:db8::1',
    'localhost',
    '',
  ])('is not public if it is %s', (address) => expect(isPublicAddress(address)).toBe(false));

  test.each(['1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111'])('may be %s', (address) =>
    expect(isPublicAddress(address)).toBe(true),
  );

  test.each([
    ...['localhost:80', 'LOCALHOST', 'a.localhost', '2130706433', '0x7f.1:443', '017700000001']
      .concat(['127.1', '0', '192.168.7.7:8080', '999.1.1.1'])
      .map((host): [string, boolean] => [host, true]),
    ...['registry.npmjs.org', 'example.com:8443', '1.1.1.1'].map((host): [string, boolean] => [
      host,
      false,
    ]),
  ])('is private by its text if it is %s: %s', (host, isPrivate) => {
    expect(isPrivateHost(host)).toBe(isPrivate);
  });
});
