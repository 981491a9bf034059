/** References of a suite that belong together, such as those of an attribute. */
export interface ReferenceGroup {
  id: string;
  /** Its name with its figures. Untrusted, because a model wrote the name. */
  words: string;
  /** Whether it got worse. */
  isWorse: boolean;
  /** `reason`: why the reference belongs to it; untrusted. */
  members: readonly { id: string; reason: string }[];
}
