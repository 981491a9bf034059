import type { z } from 'zod';
import type { Field } from '../documents/document.ts';
import type { OwnSuite } from '../kernel/suite/own-suite.ts';
import type { Reference, Suite } from '../kernel/suite/suite.ts';
import type { Settings } from '../project/settings.ts';
import type { Problem } from '../types/plain.ts';
import type { LoadData } from './rows.ts';

export interface OwnContext {
  grader: Settings['grader'];
  hash(text: string): string;
  load: LoadData;
}

/**
 * A key of test files, such as `conversation`. If a suite has it, a feature produces the suite's
 * answers.
 */
export interface SuiteKey {
  key: string;
  schema: z.ZodType;
  read(field: Field, context: OwnContext): Promise<OwnSuite | null>;
  /** Reports what does not fit the prompt, such as a dialogue without a question. */
  checkPrompt?(own: OwnSuite, suite: Suite, problems: Problem[]): void;
  scripted?(own: OwnSuite, references: readonly Reference[], problems: Problem[]): Reference[];
}
