import { problem } from '../errors.ts';
import { type Prompt, type Suite, keyPlace } from '../kernel/suite/suite.ts';
import { isRecorded } from '../kernel/suite/template.ts';
import type { Settings } from '../project/settings.ts';
import { DAY_MS, counted } from '../text/amounts.ts';
import { refusedIn } from '../types/apis.ts';
import type { AskedModel } from '../types/model.ts';
import {
  fileTypeWords,
  listedEnd,
  passportOf,
  publicModel,
  refusalWords,
  refusedFile,
  retirementDate,
  type ListedEnds,
} from '../types/passports.ts';
import type { Notice, Place, Problem } from '../types/plain.ts';
import type { Refusal } from '../types/vendors/facts.ts';
import type { ChatApi } from '../types/vendors/names.ts';
import { namedModelsOf } from './check-suites.ts';
import { askedModel } from './model-names.ts';

export const WARN_DAYS = 90;

export interface ModelEnds {
  today: string;
  /** A retired model is an error only in full runs, because no pull request retires it. */
  past: 'problem' | 'notice';
  lists?: ListedEnds;
}

/**
 * Reports parameters that models do not accept. With `ends`, also reports models that are, or soon
 * will be, retired.
 */
export function checkPassports(
  settings: Settings,
  suites: readonly Suite[],
  ends: ModelEnds | null,
  found: { problems: Problem[]; notices: Notice[] },
): void {
  const running = suites.filter(({ tests }) => !isRecorded(tests));
  const swept = settings.sweep['model']?.map(String) ?? [];
  for (const { prompt } of running) {
    if (swept.length === 0) found.problems.push(...refusedOf(prompt, settings));
    else {
      found.notices.push(...omittedParameterNotices(prompt, swept, settings));
      found.problems.push(
        ...swept.flatMap((model) => {
          const each = askedModel(settings, model);
          return each === null ? [] : refusedFiles({ ...prompt, model }, each);
        }),
      );
    }
  }
  if (ends !== null) checkEnds(settings, suites, ends, found);
}

/** Reports models that are, or soon will be, retired. Dates of vendors' own lists take precedence. */
export function checkEnds(
  settings: Settings,
  suites: readonly Suite[],
  ends: ModelEnds,
  found: { problems: Problem[]; notices: Notice[] },
): void {
  for (const { model, place } of namedModelsOf(settings, suites))
    checkEnd(model, place, { settings, ends }, found);
}

function parameterPlace(prompt: Prompt, key: string): Place {
  return prompt.places[key] ?? keyPlace(prompt, 'model');
}

function refusedOf(prompt: Prompt, settings: Settings): Problem[] {
  const asked = prompt.model === null ? null : askedModel(settings, prompt.model);
  if (asked === null) return [];
  const { messages } = prompt;
  const last = messages.at(-1);
  const prefill =
    last?.role === 'assistant' && passportOf(asked)?.prefill === false
      ? [
          problem(
            last.place,
            `${prompt.model ?? ''} does not accept an assistant message at the end: remove ` +
              'it, or say in a user message how the answer must begin',
          ),
        ]
      : [];
  return [...refusedParameters(prompt, asked), ...refusedFiles(prompt, asked), ...prefill];
}

function refusedParameters(prompt: Prompt, asked: AskedModel): Problem[] {
  return refusedIn(asked, prompt.parameters).map(({ name, refusal, api }) => {
    const { fix, at } = refusalFix(prompt, name, refusal);
    const message =
      `${prompt.model ?? ''} does not accept ${name}${api === null ? '' : API_PHRASES[api]}` +
      `${refusalWords(refusal)}: ${fix}${otherApi(api, asked)}`;
    return problem(parameterPlace(prompt, at), message);
  });
}

function refusalFix({ parameters, places }: Prompt, name: string, { instead, unless }: Refusal) {
  if (instead !== undefined) return { fix: `write ${instead} instead of ${name}`, at: name };
  const line = (of: string) => (places[of] === undefined ? of : `line ${places[of].line}`);
  const own = `remove ${line(name)}`;
  if (unless === undefined) return { fix: own, at: name };
  const { parameter, values } = unless;
  const isWritten = (parameters[parameter] ?? null) !== null;
  const verb = values.every((value) => value === null) ? 'remove' : 'change';
  const other = isWritten ? `${verb} ${line(parameter)}` : `add ${parameter}`;
  if (name === 'tools') return { fix: other, at: isWritten ? parameter : name };
  return { fix: isWritten ? `${other} or ${own}` : own, at: name };
}

const API_PHRASES: Readonly<Record<ChatApi, string>> = {
  chat: ' in chat completions',
  responses: ' in the Responses API',
};

function otherApi(api: ChatApi | null, asked: AskedModel): string {
  if (api === null || asked.api !== api || passportOf(asked)?.api === 'responses') return '';
  return (
    `, or write api: ${api === 'chat' ? 'responses' : 'chat'} for this model under models in ` +
    'the settings'
  );
}

function refusedFiles({ model, messages }: Prompt, asked: AskedModel): Problem[] {
  return messages.flatMap(({ parts = [], place }, index) => {
    const types = parts.flatMap(({ type }) => (type === 'text' ? [] : [type]));
    const type = refusedFile(asked, types);
    if (type === null) return [];
    const message =
      `messages[${index}].content: ${model ?? asked.model} does not accept ` +
      `${fileTypeWords(type)}; name a model that does, or remove this part of the message`;
    return [problem(place, message)];
  });
}

function omittedParameterNotices(
  prompt: Prompt,
  swept: readonly string[],
  settings: Settings,
): Notice[] {
  const { sweep } = settings;
  return swept.flatMap((model) => {
    const asked = askedModel(settings, model);
    if (asked === null) return [];
    const values = Object.fromEntries(
      Object.entries(sweep).flatMap(([name, [value]]) =>
        value === undefined ? [] : [[name, value] as const],
      ),
    );
    return refusedIn(asked, { ...prompt.parameters, ...values }).map(({ name }): Notice => ({
      kind: 'settings',
      place: parameterPlace(prompt, name),
      message: `${model} does not accept ${name}: the sweep leaves it out`,
    }));
  });
}

function checkEnd(
  name: string,
  place: Place | null,
  { settings, ends }: { settings: Settings; ends: ModelEnds },
  { problems, notices }: { problems: Problem[]; notices: Notice[] },
): void {
  const asked = askedModel(settings, name);
  const end = asked && knownEnd(asked, ends);
  if (asked === null || end === null || end.days > WARN_DAYS) return;
  const { days, day, isListed, source } = end;
  const meant = publicModel(asked)?.model ?? asked.model;
  const stands = meant === name ? name : `${name} stands for ${meant}, which`;
  const message =
    days > 0
      ? `${stands} ends on ${day}, in ${counted(days, 'day')}${source}; ` +
        'docs/models.md explains how to switch'
      : `${stands} ended on ${day}${source}: ${successorFix(asked, name, meant)}`;
  // A model that its vendor still lists may answer, although its day is over.
  if (days <= 0 && ends.past === 'problem' && !isListed) problems.push(problem(place, message));
  else notices.push({ kind: 'settings', place, message });
}

export function knownEnd(asked: AskedModel, { today, lists = new Map() }: ModelEnds) {
  const listed = listedEnd(asked, lists);
  const day = listed?.end ?? retirementDate(asked);
  if (day === null) return null;
  const days = Math.round((Date.parse(day) - Date.parse(today)) / DAY_MS);
  return {
    day,
    days,
    isListed: listed !== null,
    source: listed === null ? '' : ` (${listed.list})`,
  };
}

function successorFix({ provider }: AskedModel, name: string, meant: string): string {
  return meant === name
    ? `name its successor here, or in the settings with models: { NEW: { provider: ${provider}, ` +
        `replaces: [${name}] } }`
    : `name its successor under models in the settings, where ${name} is defined`;
}
