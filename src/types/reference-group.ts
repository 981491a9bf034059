/** Related references (tests), such as those with the same attribute. */
export interface ReferenceGroup {
  id: string;
  /** Untrusted, because a model wrote the name. */
  words: string;
  isWorse: boolean;
  /** Untrusted. `reason`: why the reference belongs to the group. */
  members: readonly { id: string; reason: string }[];
}
