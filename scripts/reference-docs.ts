/**
 * Writes tables into pages of docs/: commands, settings under `gate`, formats that are not read, keys
 * of agents and conversations. Run `npm run generate` after changing one; a test compares.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { createProgram } from '../src/app/commands/program.ts';
import { limitsShape, taskShape, workspaceShape } from '../src/features/agents/schema.ts';
import { conversationShape } from '../src/features/conversations/settings.ts';
import { IMPORT_FORMATS } from '../src/features/imports/formats.ts';
import { FEATURES } from '../src/features.ts';
import { DEFAULT_GATE, gateSettingsSchema } from '../src/kernel/suite/gate-settings.ts';
import { between } from './between.ts';
import { markdownTable } from './markdown-table.ts';

const COMMANDS = {
  file: 'docs/command-line.md',
  begin: '<!-- commands: written by scripts/reference-docs.ts -->',
  end: '<!-- end of commands -->',
} as const;

const GATE = {
  file: 'docs/verdicts.md',
  begin: '<!-- gate: written by scripts/reference-docs.ts -->',
  end: '<!-- end of gate -->',
} as const;

const FORMATS = {
  file: 'docs/migrate.md',
  begin: '<!-- formats: written by scripts/reference-docs.ts -->',
  end: '<!-- end of formats -->',
} as const;

const AGENT_KEYS = {
  file: 'docs/agents.md',
  begin: '<!-- keys: written by scripts/reference-docs.ts -->',
  end: '<!-- end of keys -->',
} as const;

const CONVERSATION_KEYS = {
  file: 'docs/conversations.md',
  begin: '<!-- keys: written by scripts/reference-docs.ts -->',
  end: '<!-- end of keys -->',
} as const;

/** Where the docs say more about a command. */
const COMMAND_PAGES: Readonly<Record<string, string>> = {
  init: 'first-suite.md',
  import: 'migrate.md',
  diff: 'verdicts.md',
  run: 'sweeps.md',
  plan: 'costs.md',
  validate: 'suites.md#check-and-run',
  dev: 'workbench.md',
  report: '#results-as-a-table',
  view: 'comment.md#the-page',
  show: '#a-test-as-json',
  explain: 'codes.md',
  grade: 'rubrics.md#test-one',
  fix: 'causes.md#a-fix-that-was-run',
  noise: 'verdicts.md#measure-your-own-suites',
  drift: 'drift.md',
  migrate: 'drift.md#replace-a-model',
  publish: 'other-ci.md',
  cache: 'costs.md#what-is-never-paid-for-twice',
  discover: 'attributes.md',
  grow: 'attributes.md#add-tests-to-an-attribute',
  merge: 'sweeps.md#on-many-machines',
};

/** Where the docs say more about a setting. */
const SETTING_PAGES: Readonly<Record<string, string>> = {
  alpha: 'statistics.md#when-it-is-red',
  scoring: 'rubrics.md#change-one',
  untrusted: 'forks.md#agents-and-merge-queues',
  anchor: 'statistics.md#slow-erosion',
  attributes: 'attributes.md#let-attributes-gate',
};

const linked = (text: string, page: string | undefined) =>
  page === undefined ? text : `[${text}](${page})`;

/** docs/command-line.md with the commands that the program has. */
export async function withCommands(page: string): Promise<string> {
  const terminal = {
    ...{ env: {}, cwd: '.', out: () => undefined, err: () => undefined },
    ...{ isTerminal: false, width: 80, features: FEATURES },
  };
  const { commands } = await createProgram(terminal, () => undefined);
  const rows = commands.map((command) => {
    const { registeredArguments: given } = command;
    const words = given.map((argument) => ` ${argument.name().toUpperCase()}`).join('');
    const name = `\`evaldiff ${command.name()}${words}\``;
    const more = COMMAND_PAGES[command.name()];
    const about = command.description().replaceAll('|', '\\|');
    return [name, more === undefined ? about : `${about} ([more](${more}))`];
  });
  return between(page, COMMANDS, `\n\n${markdownTable(['command', 'what it does'], rows)}\n\n`);
}

/** docs/verdicts.md with the settings under `gate` that have a default. */
export function withGate(page: string): string {
  const rows = Object.entries(gateSettingsSchema.shape).flatMap(([name, schema]) => {
    if (!(name in DEFAULT_GATE)) return [];
    const preset: unknown = { ...DEFAULT_GATE }[name as keyof typeof DEFAULT_GATE];
    const { enum: values = [] } = z.toJSONSchema(schema) as { enum?: string[] };
    const choices = values.map((value) => `\`${value}\``).join(', ');
    const meaning = `${descriptionOf(schema)}${choices === '' ? '' : ` Values: ${choices}.`}`;
    const shown = preset === null ? 'none' : `\`${String(preset)}\``;
    return [[linked(`\`${name}\``, SETTING_PAGES[name]), meaning, shown]];
  });
  const head = ['setting under `gate:`', 'meaning', 'default'];
  return between(page, GATE, `\n\n${markdownTable(head, rows)}\n\n`);
}

/** docs/migrate.md with the formats that evaldiff recognises but does not read. */
export function withFormats(page: string): string {
  const unread = Object.entries(IMPORT_FORMATS).flatMap(([name, format]) =>
    'instead' in format
      ? [{ name, way: `${'as' in format ? 'an agent suite: ' : ''}${code(format.instead)}` }]
      : [],
  );
  const groups = Map.groupBy(unread, ({ way }) => way);
  const rows = [...groups].map(([way, of]) => [of.map(({ name }) => name).join(', '), way]);
  return between(
    page,
    FORMATS,
    `\n\n${markdownTable(['format', 'how to carry it over'], rows)}\n\n`,
  );
}

/** docs/agents.md with the keys of a suite's workspace, limits and tasks. */
export function withAgentKeys(page: string): string {
  const rows = [
    ...keyRows(workspaceShape, 'workspace.'),
    ...keyRows(limitsShape, 'limits.'),
    ...keyRows(taskShape, 'references[].'),
  ];
  return between(page, AGENT_KEYS, `\n\n${markdownTable(['further key', 'meaning'], rows)}\n\n`);
}

/** docs/conversations.md with the keys of `conversation`. */
export function withConversationKeys(page: string): string {
  const rows = keyRows(conversationShape, '');
  return between(page, CONVERSATION_KEYS, `\n\n${markdownTable(['key', 'meaning'], rows)}\n\n`);
}

/** A key with a default, or an optional one, has its description on the type inside. */
interface Described {
  description?: string;
  unwrap?(): unknown;
}

function descriptionOf({ description, unwrap }: Described): string {
  if (description !== undefined) return description;
  return unwrap === undefined ? '' : descriptionOf(unwrap() as Described);
}

const keyRows = (shape: Readonly<Record<string, Described>>, before: string) =>
  Object.entries(shape).map(([key, schema]) => [
    `\`${before}${key}\``,
    descriptionOf(schema).replaceAll(/\{\w+\}/g, '`$&`'),
  ]);

/** Names and templates of a message in code style, because Markdown and Vue read braces. */
const code = (words: string) =>
  words.replaceAll(/\{\{.*?\}\}|\{\w+\}|\b(?:\w+\/)?\w+[_.]\w+|#(?:me|bot)\b/g, '`$&`');

if (import.meta.main) {
  const pages = [
    [COMMANDS.file, withCommands],
    [GATE.file, withGate],
    [FORMATS.file, withFormats],
    [AGENT_KEYS.file, withAgentKeys],
    [CONVERSATION_KEYS.file, withConversationKeys],
  ] as const;
  for (const [name, write] of pages) {
    const path = fileURLToPath(new URL(`../${name}`, import.meta.url));
    writeFileSync(path, await write(readFileSync(path, 'utf8')));
    execFileSync('npx', ['prettier', '--write', path]);
  }
}
