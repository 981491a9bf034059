/** Related references (tests), such as those with the same attribute. */
export interface ReferenceGroup {
  id: string;
  /** Untrusted, because a model wrote the name. */
  words: string;
  isWorse: boolean;
  /** `reason`: why the reference belongs to the group. It is untrusted, too. */
  members: readonly { id: string; reason: string }[];
}
