// Filters that summarize a whole stream: fingerprint (sorted distinct terms) and min_hash.
import type { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { FingerprintConfig, MinHashConfig, StageId } from '../../wasm/generated/analysis.ts';
import { recordBytes } from '../blob.ts';
import { type ComponentEntry, type FilterFactory, kernelFilter, type TokenFilter } from '../component.ts';
import type { Settings } from '../settings.ts';
import { encodeWtf8 } from '../tokens/wtf8.ts';
import { filterEntry } from './kernel-filters.ts';

/** @param maxSize maximum length in UTF-16 units; a longer fingerprint is dropped */
export function fingerprintFilter(separator: string, maxSize: number): TokenFilter {
  const between = encodeWtf8(separator);
  return kernelFilter(
    StageId.FINGERPRINT,
    recordBytes(FingerprintConfig, { maxBytes: Math.max(0, maxSize), separatorBytes: between.length }, between),
  );
}

/** A parameter that Lucene parses itself. @throws ApiError number_format_exception */
function plainInt(settings: Settings, key: string, fallback: number): number {
  try {
    return settings.int(key, fallback);
  } catch (error) {
    throw (error as ApiError).causedBy ?? error;
  }
}

export const SUMMARY_FILTERS: readonly ComponentEntry<FilterFactory>[] = [
  filterEntry(
    'fingerprint',
    ['separator: char = " "', 'max_output_size: int = 255'],
    ({ settings }) => fingerprintFilter(settings.char('separator', ' '), settings.int('max_output_size', 255)),
    { inSynonymRules: 'refused' },
  ),
  filterEntry(
    'min_hash',
    ['hash_count: int = 1', 'bucket_count: int = 512', 'hash_set_size: int = 1', 'with_rotation: bool'],
    ({ settings }) => {
      const hashCount = plainInt(settings, 'hash_count', 1);
      const bucketCount = plainInt(settings, 'bucket_count', 512);
      const hashSetSize = plainInt(settings, 'hash_set_size', 1);
      const rotates = settings.get('with_rotation');
      const withRotation = rotates === undefined ? bucketCount > 1 : rotates.toLowerCase() === 'true';
      return () => {
        if (hashCount <= 0) throw illegalArgumentError('hashCount must be greater than zero');
        if (bucketCount <= 0) throw illegalArgumentError('bucketCount must be greater than zero');
        if (hashSetSize <= 0) throw illegalArgumentError('hashSetSize must be greater than zero');
        if (hashCount * bucketCount > 1 << 22) throw illegalArgumentError('hash_count times bucket_count must not exceed 4194304');
        return kernelFilter(
          StageId.MIN_HASH,
          recordBytes(MinHashConfig, { hashCount, bucketCount, hashSetSize, withRotation: withRotation ? 1 : 0 }),
        );
      };
    },
  ),
];
