import type { Project, Settings } from '../project/settings.ts';
import type { SourceTree } from '../types/repository.ts';

export interface TargetContext {
  settings: Settings;
  tree: SourceTree;
  hash(text: string): string;
  /** True only in full sweeps, because a batch may take a day. */
  batches?: boolean;
}

export interface ProjectSide {
  project: Project;
  context: TargetContext;
}
