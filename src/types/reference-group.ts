/** References of a suite that belong together, such as those of an attribute. */
export interface ReferenceGroup {
  id: string;
  /** The group's name with its figures. Untrusted, because a model wrote the name. */
  words: string;
  /** Whether the group got worse. */
  isWorse: boolean;
  /** `reason` says why the reference belongs to the group. Untrusted. */
  members: readonly { id: string; reason: string }[];
}
