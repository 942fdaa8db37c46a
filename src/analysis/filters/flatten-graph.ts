import { StageId } from '../../wasm/generated/analysis.ts';
import { type ComponentEntry, type FilterFactory, kernelFilter } from '../component.ts';
import { filterEntry } from './kernel-filters.ts';

export const FLATTEN_FILTERS: readonly ComponentEntry<FilterFactory>[] = [
  filterEntry('flatten_graph', [], () => kernelFilter(StageId.FLATTEN, new Uint8Array(0))),
];
