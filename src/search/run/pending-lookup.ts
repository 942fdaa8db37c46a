// A field of a hit whose values are read from documents of another index after the search.
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import type { RuntimeLookup } from '../../mapping/core/field-type.ts';

export interface PendingLookup {
  /** The hit, whose `fields` get the values. */
  readonly hit: MutableJsonObject;
  readonly name: string;
  readonly lookup: RuntimeLookup;
  /** Values to look up, as `fields` shows them. */
  readonly inputs: readonly unknown[];
}
