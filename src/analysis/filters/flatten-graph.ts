import { type ComponentEntry, type FilterFactory, kernelFilter } from '../component.ts';
import { STAGE } from '../stage-ids.ts';
import { filterEntry } from './kernel-filters.ts';

export const FLATTEN_FILTERS: readonly ComponentEntry<FilterFactory>[] = [
  filterEntry('flatten_graph', [], () => kernelFilter(STAGE.FLATTEN, new Uint8Array(0))),
];
