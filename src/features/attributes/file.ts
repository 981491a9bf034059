import { stringify } from 'yaml';
import type { z } from 'zod';
import {
  anything,
  check,
  checkItems,
  checkMembers,
  closed,
  filled,
  listOf,
  mapOf,
  numberBetween,
  anyText,
} from '../../config/schema.ts';
import { Field, type Document, type ReadResult } from '../../documents/document.ts';
import { readYaml } from '../../documents/yaml.ts';
import { problem } from '../../errors.ts';
import type { Place, Problem } from '../../types/plain.ts';
import {
  EXPLANATION_LENGTH,
  FEWEST_REFERENCES,
  KINDS,
  NAME_LENGTH,
  attributeLimit,
  foldName,
  type Attribute,
  withIds,
} from './text.ts';

/** `evaldiff.attributes.yaml`: attributes that people chose. They replace discovered ones. */
export interface PinnedAttributes {
  slack: number | null;
  /** Attributes for prompts that have no section in the file. */
  shared: Attribute[];
  /** What the application does, by prompt file. The key '' is for all other prompts. */
  tasks: ReadonlyMap<string, string>;
  byPrompt: ReadonlyMap<string, Attribute[]>;
  unused: { path: string; place: Place }[];
}

interface PromptSize {
  path: string;
  references: number;
}

const attributeSchema = closed({
  name: filled().describe('The attribute in a few words.'),
  explanation: anyText().describe('The attribute in a sentence.').optional(),
});

const slack = numberBetween(0, 1)
  .describe(
    'How far the share of references assigned to an attribute may differ from its expected share ' +
      '(its prior), relative to the prior. Replaces the setting qualeval.slack.',
  )
  .optional();

const task = anyText()
  .describe('What the application does, in a sentence, for the model that rates references.')
  .optional();

const lists = {
  task,
  domains: listOf(attributeSchema).describe('What the inputs are about.').optional(),
  subtasks: listOf(attributeSchema).describe('Skills that the answers need.').optional(),
};

export function attributesSchema(): z.ZodType {
  return closed({
    slack,
    ...lists,
    prompts: mapOf(closed(lists))
      .describe(
        "Attributes of individual prompts, by the prompt's path. They replace the shared ones.",
      )
      .optional(),
  });
}

export function pinnedFor({ shared, byPrompt }: PinnedAttributes, path: string): Attribute[] {
  return byPrompt.get(path) ?? shared;
}

export function taskFor({ tasks }: PinnedAttributes, path: string): string | null {
  const [words] = [tasks.get(path), tasks.get('')].filter((given) => given?.trim());
  return words ?? null;
}

/** With N references, each kind of attribute may have min(`most`, ⌊2N/4⌋) entries. */
export function readAttributes(
  file: string,
  content: string | Uint8Array,
  prompts: readonly PromptSize[],
  most: number,
): ReadResult<PinnedAttributes> {
  const reading = readYaml(file, content);
  return reading.ok ? attributesOf(reading.value, prompts, most) : reading;
}

export function attributesOf(
  document: Document,
  prompts: readonly PromptSize[],
  most: number,
): ReadResult<PinnedAttributes> {
  const problems: Problem[] = [];
  const file = new Field(document, problems);
  const left = anything().optional();
  const written = checkMembers(file, { slack, task, domains: left, subtasks: left, prompts: left });
  const section = mapOf(anything(), 'a map of prompt file to attributes').optional();
  const own = Object.keys(check(file.at('prompts'), section) ?? {});
  const sharing = prompts.filter(({ path }) => !own.includes(path));
  const shared = readLists(file, maxReferences(sharing), most);
  const tasks = new Map([['', written.task ?? '']]);
  const byPrompt = new Map<string, Attribute[]>();
  for (const path of own) {
    const field = file.at('prompts', path);
    tasks.set(path, checkMembers(field, { task, domains: left, subtasks: left }).task ?? '');
    const largest = maxReferences(prompts.filter((prompt) => prompt.path === path));
    byPrompt.set(path, readLists(field, largest, most));
  }
  if (problems.length === 0 && shared.length + [...byPrompt.values()].flat().length === 0) {
    problems.push(
      problem(
        document.file,
        'has no attributes; list some under domains or subtasks, or delete the file to discover them',
      ),
    );
  }
  const unused = own
    .filter((path) => prompts.every((prompt) => prompt.path !== path))
    .map((path) => ({ path, place: file.at('prompts', path).place }));
  if (problems.length > 0) return { ok: false, problems };
  const value = { shared, tasks, byPrompt, unused, slack: written.slack ?? null };
  return { ok: true, value };
}

function maxReferences(prompts: readonly PromptSize[]): number {
  return Math.max(0, ...prompts.map(({ references }) => references));
}

function readLists(section: Field, references: number, most: number): Attribute[] {
  return withIds(
    KINDS.flatMap(({ kind, key }) => {
      const list = section.at(key);
      const items = checkItems(list, attributeSchema);
      checkNames(items);
      checkCount(list, references, most);
      return items.map(({ value: { name, explanation = '' } }) => ({ kind, name, explanation }));
    }),
  );
}

function checkNames(
  items: readonly { field: Field; value: z.output<typeof attributeSchema> }[],
): void {
  const seen = new Map<string, { name: string; line: number }>();
  for (const { field, value } of items) {
    const { name, explanation = '' } = value;
    const at = field.at('name');
    const key = foldName(name);
    const earlier = seen.get(key);
    if (key === '')
      at.refuse(`the name ${JSON.stringify(name)} is empty; name the attribute in words`);
    else if (earlier === undefined) seen.set(key, { name, line: at.place.line });
    else
      at.refuse(
        `"${name}" is the same name as "${earlier.name}" in line ${earlier.line}; upper case, ` +
          'spaces and hyphens are ignored',
      );
    if (name.length > NAME_LENGTH)
      at.refuse(`the name is ${name.length} characters long; the limit is ${NAME_LENGTH}`);
    if (explanation.length > EXPLANATION_LENGTH)
      field
        .at('explanation')
        .refuse(
          `the explanation is ${explanation.length} characters long; the limit is ${EXPLANATION_LENGTH}`,
        );
  }
}

/** Skips suites with fewer than 8 references, because they get no attributes. */
function checkCount(field: Field, references: number, most: number): void {
  const list = field.value;
  const limit = attributeLimit(references, most);
  if (!Array.isArray(list) || references < FEWEST_REFERENCES || list.length <= limit) return;
  field
    .at(limit)
    .refuse(
      `${list.length} ${String(field.path.at(-1))} are more than ${references} references allow: ` +
        `at most min(${most}, ⌊2 × ${references} / 4⌋) = ${limit}, so that each has four references ` +
        'on average. Remove some, or add references',
    );
}

export function writeAttributes(
  prompts: readonly { path: string; task: string | null; attributes: readonly Attribute[] }[],
): string {
  const [only, ...others] = prompts;
  const listed = ({
    task: own,
    attributes,
  }: (typeof prompts)[number]): Record<string, unknown> => ({
    ...(own === null ? {} : { task: own }),
    ...Object.fromEntries(
      KINDS.map(({ kind, key }) => [
        key,
        attributes
          .filter((attribute) => attribute.kind === kind)
          .map(({ name, explanation }) => ({ name, explanation })),
      ]),
    ),
  });
  const value =
    only !== undefined && others.length === 0
      ? listed(only)
      : {
          prompts: Object.fromEntries(prompts.map((own) => [own.path, listed(own)])),
        };
  const head = [
    ' Attributes: domains say what an input is about, sub-tasks which skills an answer needs.',
    ' Found by `evaldiff discover`. Edit and commit this file: evaldiff then uses these attributes.',
  ];
  const yaml = stringify(value, { lineWidth: 120, version: '1.2' });
  return `${head.map((line) => `#${line}\n`).join('')}${yaml}`;
}
