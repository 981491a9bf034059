import type { z } from 'zod';
import { problem } from '../../errors.ts';
import type { OwnKeys } from '../../kernel/result/feature-parts.ts';
import { RESULT_VERSION, resultSchemaWith, type Result } from '../../kernel/result/result.ts';
import type { Problem } from '../../types/plain.ts';

function firstIssue({ issues: [issue] }: z.ZodError): string {
  const field = issue?.path.join('.') ?? '';
  return `${field === '' ? '' : `field ${field}: `}${issue?.message ?? 'unreadable'}`;
}

/** `own`: the keys that features add to a result. */
export function readResultValue(
  file: string,
  value: unknown,
  own: OwnKeys,
): { result: Result; problems: [] } | { result: null; problems: Problem[] } {
  const wrong = (message: string): { result: null; problems: Problem[] } => ({
    result: null,
    problems: [problem(file, message)],
  });
  const version =
    value !== null && typeof value === 'object' && 'schema_version' in value
      ? value.schema_version
      : undefined;
  if (version === 1) return wrong('was made before 1.0: run again');
  if (typeof version === 'number' && version !== RESULT_VERSION) {
    return wrong(
      `is a result of version ${version}; this evaldiff reads version ` +
        `${RESULT_VERSION}. Render it with the evaldiff that wrote it, or run again`,
    );
  }
  const parsed = resultSchemaWith(own).safeParse(value);
  if (parsed.success) return { result: parsed.data, problems: [] };
  return wrong(`is not a result of evaldiff (${firstIssue(parsed.error)})`);
}
