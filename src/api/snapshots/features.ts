// The features whose states snapshots can contain.
import type { JsonObject } from '../../common/json/json-value.ts';
import { FEATURES } from '../../metadata/indices/snapshot-content.ts';

/** `{ features: [{ name, description }] }`. */
export function listFeatures(): JsonObject {
  return { features: Object.entries(FEATURES).map(([name, { description }]) => ({ name, description })) };
}
