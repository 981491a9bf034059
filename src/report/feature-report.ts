/** What a feature's row shows in reports; loaded when a report is written. */
export interface FeatureReport {
  readonly key: string;
}
