import { createHash } from 'node:crypto';
import http from 'node:http';
import { parseMap, type JsonMap } from '../../../src/types/plain.ts';
import { bodyOf, listen } from '../loopback.ts';
import {
  composeReply,
  readAgentRequest,
  type AgentReply,
  type AgentRequest,
} from './agent-wires.ts';

/**
 * A model for agents on loopback: Anthropic Messages, OpenAI Responses and Chat Completions, and
 * Gemini, streamed or not. It reads the instructions in a request and obeys these lines:
 *
 * - `When you write a file, start with WORD.` and `… end with WORD.`
 * - `Mention SOMETHING.`, also in files that it read
 * - `Read FILE before you write.`
 * - `Run npm test before you finish.`
 * - `Never use WebFetch.`, for tasks with `latest` or `look up`
 * - skills, if their description says `use this when` and shares a long word with the task
 */

export interface AgentModelOptions {
  /** Probability that a rule is ignored, by the rule's first word or for all rules. */
  noise?: number | Readonly<Record<string, number>>;
  seed?: string;
  /** Milliseconds between the events of a stream. */
  pause?: number;
  /** Replaces the reply to a request, counted from 0. Null: an ordinary reply. */
  fault?(index: number, request: AgentRequest): { status: number; message: string } | null;
}

export interface AgentModelRequest {
  path: string;
  headers: http.IncomingHttpHeaders;
  body: JsonMap;
}

export interface AgentModel {
  url: string;
  requests: AgentModelRequest[];
  refused: string[];
  close(): Promise<void>;
}

type Decision = (place: (file: string) => string) => AgentReply | null;

/** The first tool that the agent offers is called. */
const TOOLS: Readonly<Record<string, readonly [string, (...words: string[]) => JsonMap][]>> = {
  write: [
    ['Write', (file = '', content = '') => ({ file_path: file, content })],
    ['write_file', (file = '', content = '') => ({ file_path: file, path: file, content })],
    ['write', (file = '', content = '') => ({ filePath: file, content })],
    ['create', (file = '', content = '') => ({ path: file, file_text: content })],
  ],
  read: [
    ['Read', (file = '') => ({ file_path: file })],
    ['read_file', (file = '') => ({ file_path: file, path: file })],
    ['read', (file = '') => ({ filePath: file })],
    ['view', (file = '') => ({ path: file })],
  ],
  shell: [
    ['Bash', (command = '') => ({ command, description: 'Runs a command' })],
    ['run_shell_command', (command = '') => ({ command, description: 'Runs a command' })],
    ['exec_command', (command = '') => ({ cmd: command })],
    ['shell', (command = '') => ({ command: ['bash', '-lc', command] })],
    ['bash', (command = '') => ({ command, description: 'Runs a command' })],
    ['run', (command = '') => ({ command })],
  ],
  skill: [
    ['Skill', (skill = '') => ({ skill })],
    ['activate_skill', (name = '') => ({ name })],
    ['skill', (name = '') => ({ name, skill: name })],
  ],
  web: [
    ['WebFetch', (url = '') => ({ url, prompt: 'Read it' })],
    ['web_fetch', (url = '') => ({ url, prompt: `Read ${url}` })],
    ['webfetch', (url = '') => ({ url, format: 'text' })],
  ],
};

function call({ tools }: AgentRequest, kind: string, ...words: string[]): AgentReply | null {
  const row = TOOLS[kind]?.find(([name]) => tools.includes(name));
  return row === undefined ? null : { call: { name: row[0], input: row[1](...words) } };
}

const longWords = (text: string): string[] =>
  [...text.toLowerCase().matchAll(/[a-z]{6,}/g)].map(([word]) => word);

function skillFor({ text, task }: AgentRequest): string | null {
  const offered = text.matchAll(
    /^\s*(?:- |<name>)`?([a-z][\w-]+)`?(?::|<\/name>\s*<description>) *([^\n<]+)/gm,
  );
  const wanted = longWords(task);
  for (const [, name = '', about = ''] of offered)
    if (
      /use (?:this|it) when/i.test(about) &&
      longWords(about).some((word) => wanted.includes(word))
    )
      return name;
  return null;
}

/** The next step, given what was done so far. `ignores` says whether a rule is ignored. */
function decide(request: AgentRequest, ignores: (rule: string) => boolean): AgentReply {
  const { text, task, calls, tools } = request;
  // Titles and summaries are requested without tools.
  if (tools.length === 0) return { text: 'A short title' };
  const target = /\b[\w/-]+\.(?:md|txt|json|js|ts)\b/.exec(task)?.[0] ?? 'NOTES.md';
  for (const [mark, step] of stepsFor(request, target, ignores)) {
    if (calls.some(({ input }) => input.includes(mark))) continue;
    const reply = step(place(text));
    if (reply !== null) return reply;
  }
  return { text: `Done: ${target}` };
}

/** Some CLIs require absolute paths, and name their folder. */
function place(text: string): (file: string) => string {
  const folder =
    /(?:[Ww]orking directory: |<root>|<cwd>|Workspace Directories:\*\*\n {2}- )([^\s<]+)/.exec(
      text,
    );
  return (file) => (folder?.[1] === undefined ? file : `${folder[1]}/${file}`);
}

function stepsFor(
  request: AgentRequest,
  target: string,
  ignores: (rule: string) => boolean,
): [mark: string, step: Decision][] {
  const { text, task } = request;
  const skill = skillFor(request);
  const reads = [...text.matchAll(/Read ([\w./-]+\.\w+) before you write/gi)];
  const isWebBanned = /never use `?web_?fetch/i.test(text) && !ignores('never');
  const steps: [string, Decision][] = [];
  if (skill !== null) steps.push(skillStep(request, skill));
  for (const [, file = ''] of reads) steps.push([file, readStep(request, file, ignores)]);
  if (/latest|look up/i.test(task) && !isWebBanned)
    steps.push([PAGE, () => call(request, 'web', PAGE)]);
  steps.push([target, writeStep(request, target, ignores)]);
  if (/run `?npm test`? before you finish/i.test(text) && !ignores('run'))
    steps.push(['npm test', () => call(request, 'shell', 'npm test')]);
  return steps;
}

/** Without a tool for skills, a skill is used by opening its file. */
function skillStep(request: AgentRequest, skill: string): [string, Decision] {
  if (call(request, 'skill', skill) !== null)
    return [`"${skill}"`, () => call(request, 'skill', skill)];
  const [, root = '', rest = ''] =
    new RegExp(`([\\w.-]*)((?:/[\\w.-]+)*/${skill}/SKILL\\.md)`).exec(request.text) ?? [];
  // Codex abbreviates folders: `r1` = `/workspace/.agents/skills`.
  const folder = new RegExp(`\`${root}\` = \`([^\`]+)\``).exec(request.text)?.[1] ?? root;
  const file = `${folder}${rest}`;
  return [
    `${skill}/SKILL.md`,
    () =>
      rest === '' ? null : (call(request, 'shell', `cat ${file}`) ?? call(request, 'read', file)),
  ];
}

/** Nothing answers there. */
const PAGE = 'http://127.0.0.1:9/';

function readStep(
  request: AgentRequest,
  file: string,
  ignores: (rule: string) => boolean,
): Decision {
  return (at) =>
    ignores(`read ${file}`)
      ? null
      : (call(request, 'read', at(file)) ?? call(request, 'shell', `cat ${file}`));
}

function writeStep(
  request: AgentRequest,
  target: string,
  ignores: (rule: string) => boolean,
): Decision {
  const { text, task } = request;
  const word = (where: string): string[] => {
    const rule = new RegExp(`when you write a file,? ${where} (?:it )?with (\\w+)`, 'i');
    const found = rule.exec(text)?.[1];
    return found === undefined || ignores(where) ? [] : [found];
  };
  const mentions = [...text.matchAll(/(?:^|[→|:\t] ?)(?:- )?Mention ([\w ]+?)\.?$/gm)];
  const mentioned = mentions.flatMap(([, what = '']) => (ignores(`mention ${what}`) ? [] : [what]));
  const lines = [...word('start'), `# ${task}`, ...new Set(mentioned), ...word('end')];
  const content = `${lines.join('\n')}\n`;
  return (at) =>
    call(request, 'write', at(target), content) ??
    call(request, 'shell', `cat > '${target}' <<'EOF'\n${content}EOF`);
}

function isBelow(probability: number, ...words: string[]): boolean {
  const digest = createHash('sha256').update(words.join('|')).digest();
  return digest.readUIntBE(0, 6) / 2 ** 48 < probability;
}

export async function startAgentModel(options: AgentModelOptions = {}): Promise<AgentModel> {
  const { noise = 0, seed = '', pause = 0, fault = () => null } = options;
  const requests: AgentModelRequest[] = [];
  const refused: string[] = [];
  const refuse = (response: http.ServerResponse, status: number, message: string): void => {
    refused.push(message);
    const error = { type: 'invalid_request_error', code: status, status: 'INVALID', message };
    sendJson(response, status, { type: 'error', error });
  };
  const handle = async (
    request: http.IncomingMessage,
    response: http.ServerResponse,
  ): Promise<void> => {
    const path = new URL(request.url ?? '', 'http://x').pathname;
    const bytes = (await bodyOf(request)).toString('utf8');
    if (request.method === 'GET' && path.endsWith('/models'))
      return sendJson(response, 200, { object: 'list', data: [], models: [] });
    if (/count_?tokens$/i.test(path)) {
      const count = Math.ceil(bytes.length / 4);
      return sendJson(response, 200, { input_tokens: count, totalTokens: count });
    }
    const body = parseMap(bytes);
    const index = requests.length;
    requests.push({ path, headers: request.headers, body: body ?? {} });
    const read = body === null ? null : readAgentRequest(path, body, request.headers);
    if (read === null) return refuse(response, 404, `Unknown request URL: ${path}`);
    if ('fault' in read) return refuse(response, 400, read.fault);
    const failure = fault(index, read);
    if (failure !== null) return refuse(response, failure.status, failure.message);
    const ignores = (rule: string): boolean => {
      const chance = typeof noise === 'number' ? noise : (noise[rule.split(' ')[0] ?? ''] ?? 0);
      return isBelow(chance, seed, rule, read.task, String(index));
    };
    const reply = composeReply(read, index, decide(read, ignores));
    if (!read.isStream) return sendJson(response, 200, reply.body);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const [event, data] of reply.events) {
      const text = typeof data === 'string' ? data : JSON.stringify(data);
      response.write(`${event === null ? '' : `event: ${event}\n`}data: ${text}\n\n`);
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    }
    response.end();
  };
  const server = http.createServer((request, response) => void handle(request, response));
  const { url, close } = await listen(server);
  return { url, requests, refused, close };
}

function sendJson(response: http.ServerResponse, status: number, body: JsonMap): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
