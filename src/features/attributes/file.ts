import { stringify } from 'yaml';
import type { z } from 'zod';
import { anyText, check, closed, listOf, mapOf } from '../../config/schema.ts';
import { Field, type Document, type ReadResult } from '../../documents/document.ts';
import type { Place, Problem } from '../../types/plain.ts';
import {
  EXPLANATION_LENGTH,
  KINDS,
  NAME_LENGTH,
  foldName,
  type Attribute,
  withIds,
} from './text.ts';

/** `evaldiff.attributes.yaml`: attributes that people chose. They replace discovered ones. */
export interface PinnedAttributes {
  /** Attributes for prompts that have no section in the file. */
  shared: Attribute[];
  /** What the application does, by prompt file. The key '' is for all other prompts. */
  tasks: ReadonlyMap<string, string>;
  byPrompt: ReadonlyMap<string, Attribute[]>;
  /** Where the sections of prompts are. */
  places: ReadonlyMap<string, Place>;
}

const NO_ATTRIBUTES =
  'has no attributes; list some under domains or subtasks, or delete the file to discover them';

const attributeSchema = closed({
  name: anyText()
    .max(NAME_LENGTH, { error: `must have at most ${NAME_LENGTH} characters` })
    .refine((name) => foldName(name) !== '', { error: 'must name the attribute in words' })
    .describe('The attribute in a few words.'),
  explanation: anyText()
    .max(EXPLANATION_LENGTH, { error: `must have at most ${EXPLANATION_LENGTH} characters` })
    .describe('The attribute in a sentence.')
    .optional(),
});

const attributeList = listOf(attributeSchema).superRefine((attributes, context) => {
  const seen = new Map<string, string>();
  for (const [index, { name }] of attributes.entries()) {
    const earlier = seen.get(foldName(name));
    seen.set(foldName(name), name);
    if (earlier === undefined) continue;
    const message = `is the same name as "${earlier}"; upper case, spaces and hyphens are ignored`;
    context.addIssue({ code: 'custom', path: [index, 'name'], message });
  }
});

const lists = {
  task: anyText()
    .describe('What the application does, in a sentence, for the model that rates references.')
    .optional(),
  domains: attributeList.describe('What the inputs are about.').optional(),
  subtasks: attributeList.describe('Skills that the answers need.').optional(),
};

const section = closed(lists);

export const attributesSchema = closed({
  ...lists,
  prompts: mapOf(section, 'a map of prompt file to attributes')
    .describe(
      "Attributes of individual prompts, by the prompt's path. They replace the shared ones.",
    )
    .optional(),
});

type WrittenSection = z.output<typeof section>;

export function pinnedFor({ shared, byPrompt }: PinnedAttributes, path: string): Attribute[] {
  return byPrompt.get(path) ?? shared;
}

export function taskFor({ tasks }: PinnedAttributes, path: string): string | null {
  const [words] = [tasks.get(path), tasks.get('')].filter((given) => given?.trim());
  return words ?? null;
}

export function attributesOf(document: Document): ReadResult<PinnedAttributes> {
  const problems: Problem[] = [];
  const file = new Field(document, problems);
  const written = check(file, attributesSchema);
  if (written === undefined) return { ok: false, problems };
  const { prompts = {}, ...shared } = written;
  const sections = Object.entries(prompts);
  if ([shared, ...Object.values(prompts)].every((own) => attributesIn(own).length === 0)) {
    file.refuse(NO_ATTRIBUTES, document.file);
    return { ok: false, problems };
  }
  const value = {
    shared: attributesIn(shared),
    tasks: new Map(
      [['', shared] as const, ...sections].map(([path, { task = '' }]) => [path, task]),
    ),
    byPrompt: new Map(sections.map(([path, own]) => [path, attributesIn(own)])),
    places: new Map(sections.map(([path]) => [path, file.at('prompts', path).place])),
  };
  return { ok: true, value };
}

function attributesIn(written: WrittenSection): Attribute[] {
  return withIds(
    KINDS.flatMap(({ kind, key }) =>
      (written[key] ?? []).map(({ name, explanation = '' }) => ({ kind, name, explanation })),
    ),
  );
}

export function writeAttributes(
  prompts: readonly { path: string; task: string | null; attributes: readonly Attribute[] }[],
): string {
  const [only, ...others] = prompts;
  const listed = ({ task: own, attributes }: (typeof prompts)[number]) => ({
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
