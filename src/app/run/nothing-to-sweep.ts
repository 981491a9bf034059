import { SETTINGS_FILE } from '../../config/file-names.ts';
import { problem } from '../../errors.ts';
import type { Prepared } from '../../money/prepared.ts';
import type { Project } from '../../project/settings.ts';
import type { Problem } from '../../types/plain.ts';
import type { RunInput } from './input.ts';

const NO_REFERENCES =
  'has no references, so there is nothing to run: ' +
  'list them under references, or name a data file under references_from';

export function nothingToSweep(
  { mode, mayBeEmpty }: Pick<RunInput, 'mode' | 'mayBeEmpty'>,
  { suites, settings }: Project,
  { features }: Prepared,
): Problem[] {
  if (
    mode !== 'sweep' ||
    mayBeEmpty === true ||
    suites.some(({ tests }) => tests.references.length > 0) ||
    features.some(({ tested }) => tested > 0)
  )
    return [];
  const files = new Set(suites.map(({ tests }) => tests.file));
  if (files.size > 0) return [...files].map((file) => problem(file, NO_REFERENCES));
  return [
    problem(
      { file: settings.file ?? SETTINGS_FILE, line: 0 },
      'no prompt of this project has references, so there is nothing to run; ' +
        'add prompts with tests ("npx evaldiff init" creates an example), ' +
        'or name the folder that contains them (working-directory, --directory)',
    ),
  ];
}
