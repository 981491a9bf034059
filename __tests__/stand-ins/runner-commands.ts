/**
 * Parses a step's output as the GitHub runner does, modelled on actions/runner (`ActionCommand`,
 * `ProcessInvoker`). stdout and stderr are split at CR, LF and CRLF. `::name props::data` is a
 * command at the start of a line, after any white space; `##[name props]data` is one anywhere.
 * Names are case-insensitive, and only registered names count. After `stop-commands` nothing counts
 * until its token appears as a command.
 */
export interface RunnerCommand {
  form: '::' | '##[';
  name: string;
  properties: string;
  data: string;
}

const REGISTERED = new Set([
  'set-env',
  'set-output',
  'save-state',
  'add-mask',
  'add-path',
  'add-matcher',
  'remove-matcher',
  'debug',
  'warning',
  'error',
  'notice',
  'group',
  'endgroup',
  'echo',
  'stop-commands',
  'internal-set-repo-path',
]);

export function commandsIn(output: string): RunnerCommand[] {
  const found: RunnerCommand[] = [];
  let stopToken: string | null = null;
  for (const line of output.split(/\r\n|\r|\n/)) {
    const command = commandOf(line, stopToken);
    if (command === null) continue;
    if (stopToken !== null) {
      if (command.name === stopToken) stopToken = null;
      continue;
    }
    found.push(command);
    if (command.name === 'stop-commands') stopToken = command.data.toLowerCase();
  }
  return found;
}

/** White space as .NET trims it: `\s` of JavaScript and U+0085. */
const LEADING_SPACE = /^[\s\u0085]+/;

function commandOf(line: string, stopToken: string | null): RunnerCommand | null {
  const trimmed = line.replace(LEADING_SPACE, '');
  if (trimmed.startsWith('::')) {
    const end = trimmed.indexOf('::', 2);
    if (end >= 0) {
      const command = named('::', trimmed.slice(2, end), trimmed.slice(end + 2), stopToken);
      if (command !== null) return command;
    }
  }
  const start = line.indexOf('##[');
  const end = start < 0 ? -1 : line.indexOf(']', start);
  return end < 0 ? null : named('##[', line.slice(start + 3, end), line.slice(end + 1), stopToken);
}

function named(
  form: RunnerCommand['form'],
  head: string,
  data: string,
  stopToken: string | null,
): RunnerCommand | null {
  const [name = '', ...properties] = head.trim().split(' ');
  const lower = name.toLowerCase();
  if (!REGISTERED.has(lower) && lower !== stopToken) return null;
  return { form, name: lower, properties: properties.join(' '), data };
}
