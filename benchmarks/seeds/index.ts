import { assignment } from './assignment.ts';
import { evaluation, validation } from './chat.ts';
import { guide } from './guide.ts';
import type { Part } from './page.ts';
import { sampleReport } from './report.ts';

export async function reproduce(): Promise<Part[]> {
  return [validation(), await evaluation(), await assignment(), guide(), await sampleReport()];
}
