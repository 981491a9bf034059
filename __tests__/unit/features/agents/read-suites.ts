import { agentsFeature } from '../../../../src/features/agents/index.ts';
import { specOf } from '../../../../src/features/agents/suite/spec.ts';
import { IMPORT_FORMATS } from '../../../../src/features/imports/formats.ts';
import { read } from '../../config/tree.ts';

/** Reads a project, and returns the model and the agent of its first suite. */
export async function readSuites(files: Record<string, string>) {
  const formats = { ...IMPORT_FORMATS, ...agentsFeature.formats };
  const { project, problems, notices } = await read(files, { formats });
  const { settings, suites } = project;
  const entry = settings.models.get(suites[0]?.prompt.model ?? '');
  const spec = specOf([...(entry?.command ?? []), ...(entry?.calls?.afterwards ?? [])]);
  return { project, problems, notices, settings, suites, entry, spec };
}
