import type { Project, Settings } from '../project/settings.ts';
import type { SourceTree } from '../types/repository.ts';

export interface TargetContext {
  settings: Settings;
  tree: SourceTree;
  hash(text: string): string;
  /** True only in full runs of one commit. */
  batches?: boolean;
}

export interface ProjectSide {
  project: Project;
  context: TargetContext;
}
