import http from 'node:http';
import { parseMap, type JsonMap } from '../../../src/types/plain.ts';
import { bodyOf, listen } from '../loopback.ts';
import {
  composeReply,
  eventText,
  readAgentRequest,
  type AgentReply,
  type AgentRequest,
} from './agent-wires.ts';

/**
 * A model for agents on loopback: Anthropic Messages, OpenAI Responses and Chat Completions, and
 * Gemini, streamed or not. It reads the instructions in a request and obeys these lines:
 *
 * - `When you write a file, end with WORD.`
 * - `Mention SOMETHING.`, also in files that it read
 * - `Read FILE before you write.`
 * - skills, if their description says `use this when` and shares a long word with the task
 */

interface AgentModelRequest {
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
};

function call({ tools }: AgentRequest, kind: string, ...words: string[]): AgentReply | null {
  const row = TOOLS[kind]?.find(([name]) => tools.includes(name));
  return row === undefined ? null : { call: { name: row[0], input: row[1](...words) } };
}

const longWords = (text: string) =>
  [...text.toLowerCase().matchAll(/[a-z]{6,}/g)].map(([word]) => word);

function skillFor({ text, task }: AgentRequest) {
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

/** The next step, given what was done so far. */
function decide(request: AgentRequest): AgentReply {
  const { text, task, calls, tools } = request;
  // Titles and summaries are requested without tools.
  if (tools.length === 0) return { text: 'A short title' };
  const target = /\b[\w/-]+\.(?:md|txt|json|js|ts)\b/.exec(task)?.[0] ?? 'NOTES.md';
  for (const [mark, step] of stepsFor(request, target)) {
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

function stepsFor(request: AgentRequest, target: string): [mark: string, step: Decision][] {
  const skill = skillFor(request);
  const reads = [...request.text.matchAll(/Read ([\w./-]+\.\w+) before you write/gi)];
  return [
    ...(skill === null ? [] : [skillStep(request, skill)]),
    ...reads.map(([, file = '']): [string, Decision] => [
      file,
      (at) => call(request, 'read', at(file)) ?? call(request, 'shell', `cat ${file}`),
    ]),
    [target, writeStep(request, target)],
  ];
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

function writeStep(request: AgentRequest, target: string): Decision {
  const { text, task } = request;
  const [, end] = /when you write a file,? end (?:it )?with (\w+)/i.exec(text) ?? [];
  const mentions = [...text.matchAll(/(?:^|[→|:\t] ?)(?:- )?Mention ([\w ]+?)\.?$/gm)];
  const mentioned = mentions.map(([, what = '']) => what);
  const lines = [`# ${task}`, ...new Set(mentioned), ...(end === undefined ? [] : [end])];
  const content = `${lines.join('\n')}\n`;
  return (at) =>
    call(request, 'write', at(target), content) ??
    call(request, 'shell', `cat > '${target}' <<'EOF'\n${content}EOF`);
}

export async function startAgentModel(): Promise<AgentModel> {
  const requests: AgentModelRequest[] = [];
  const refused: string[] = [];
  const refuse = (response: http.ServerResponse, status: number, message: string) => {
    refused.push(message);
    const error = { type: 'invalid_request_error', code: status, status: 'INVALID', message };
    sendJson(response, status, { type: 'error', error });
  };
  const handle = async (request: http.IncomingMessage, response: http.ServerResponse) => {
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
    const reply = composeReply(read, index, decide(read));
    if (!read.isStream) return sendJson(response, 200, reply.body);
    response.setHeader('content-type', 'text/event-stream');
    response.end(eventText(reply.events).join(''));
  };
  const server = http.createServer((request, response) => void handle(request, response));
  const { url, close } = await listen(server);
  return { url, requests, refused, close };
}

function sendJson(response: http.ServerResponse, status: number, body: JsonMap) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
