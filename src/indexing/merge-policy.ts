// Chooses the segments to merge, in tiers as Lucene's TieredMergePolicy (M. McCandless, 2011): groups of segments of similar size, adjacent or
// not. Deleted documents do not count towards a segment's size.

export interface MergeCandidate {
  readonly bytes: number;
  readonly maxDoc: number;
  readonly deleted: number;
  readonly merging: boolean;
}

export interface MergePolicyOptions {
  readonly segmentsPerTier: number;
  readonly maxMergeAtOnce: number;
  /** Smaller segments are treated as if they had this size. */
  readonly floorBytes: number;
  /** Background merges do not produce larger segments. */
  readonly maxMergedBytes: number;
  /** Percentage of deleted documents above which even a large segment is merged. */
  readonly deletesPercentAllowed: number;
  /** Percentage of deleted documents above which `only_expunge_deletes` merges a segment. */
  readonly expungeDeletesAllowed: number;
}

export const DEFAULT_MERGE_POLICY: MergePolicyOptions = {
  segmentsPerTier: 10,
  maxMergeAtOnce: 10,
  floorBytes: 2 << 20,
  maxMergedBytes: 2 ** 31,
  deletesPercentAllowed: 20,
  expungeDeletesAllowed: 10,
};

/** @returns indexes into `segments` of one merge to do now, ascending, null if no merge is due */
export function findMerge(segments: readonly MergeCandidate[], options: MergePolicyOptions = DEFAULT_MERGE_POLICY): number[] | null {
  const sized = segments
    .map((segment, index) => ({ index, size: liveBytes(segment), segment }))
    .filter(({ segment }) => !segment.merging)
    // Those below the floor stay in their order: a small index that grows keeps the order of indexing.
    .sort((a, b) => Math.max(b.size, options.floorBytes) - Math.max(a.size, options.floorBytes));
  const eligible = sized.filter(
    ({ size, segment }) => size < options.maxMergedBytes / 2 || deletedPercent(segment) > options.deletesPercentAllowed,
  );
  if (
    eligible.length >
    allowedCount(
      eligible.map(({ size }) => size),
      options,
    )
  ) {
    const best = bestGroup(eligible, options);
    if (best) return best;
  }
  const wasteful = eligible.find(({ segment }) => deletedPercent(segment) > options.deletesPercentAllowed && segment.maxDoc > 1);
  return wasteful ? [wasteful.index] : null;
}

/**
 * The next merge of `_forcemerge`: a step towards at most `maxSegments`, or, with `onlyExpungeDeletes`, the segments with many deletions.
 * @returns indexes into `segments`, ascending; null if nothing is left to do
 */
export function findForcedMerge(
  segments: readonly MergeCandidate[],
  maxSegments: number,
  onlyExpungeDeletes: boolean,
  { expungeDeletesAllowed }: MergePolicyOptions = DEFAULT_MERGE_POLICY,
): number[] | null {
  const free = segments.map((segment, index) => ({ index, segment })).filter(({ segment }) => !segment.merging);
  if (onlyExpungeDeletes) {
    const wasteful = free.filter(({ segment }) => deletedPercent(segment) > expungeDeletesAllowed);
    return wasteful.length > 0 ? wasteful.map(({ index }) => index) : null;
  }
  if (segments.length <= maxSegments && (maxSegments > 1 || segments.every((segment) => segment.deleted === 0))) return null;
  const count = Math.max(1, free.length - maxSegments + 1);
  const smallest = free.sort((a, b) => liveBytes(a.segment) - liveBytes(b.segment)).slice(0, count);
  return smallest.map(({ index }) => index).sort((a, b) => a - b);
}

function liveBytes({ bytes, maxDoc, deleted }: MergeCandidate): number {
  return maxDoc === 0 ? 0 : bytes * (1 - deleted / maxDoc);
}

function deletedPercent({ maxDoc, deleted }: MergeCandidate): number {
  return maxDoc === 0 ? 0 : (100 * deleted) / maxDoc;
}

/** Number of segments the tiers allow: segmentsPerTier of each size, sizes growing by maxMergeAtOnce. `sizes` descends down to the floor. */
function allowedCount(sizes: readonly number[], { floorBytes, segmentsPerTier, maxMergeAtOnce }: MergePolicyOptions): number {
  if (sizes.length === 0) return 0;
  let level = Math.max(floorBytes, sizes[sizes.length - 1]);
  let left = sizes.reduce((sum, size) => sum + Math.max(size, floorBytes), 0);
  let allowed = 0;
  for (;;) {
    const count = left / level;
    if (count < segmentsPerTier) return allowed + Math.ceil(count);
    allowed += segmentsPerTier;
    left -= segmentsPerTier * level;
    level *= maxMergeAtOnce;
  }
}

/** The group with the best score, which favours even sizes, many deletions and a small total. `sized` descends by size, down to the floor. */
function bestGroup(
  sized: ReadonlyArray<{ index: number; size: number; segment: MergeCandidate }>,
  options: MergePolicyOptions,
): number[] | null {
  let best: { score: number; indexes: number[] } | null = null;
  for (let start = 0; start < sized.length; start++) {
    const group: (typeof sized)[number][] = [];
    let total = 0;
    for (let at = start; at < sized.length && group.length < options.maxMergeAtOnce; at++) {
      if (total + sized[at].size > options.maxMergedBytes) continue;
      group.push(sized[at]);
      total += sized[at].size;
    }
    if (group.length < 2) continue;
    const floored = group.reduce((sum, { size }) => sum + Math.max(size, options.floorBytes), 0);
    const skew = Math.max(group[0].size, options.floorBytes) / floored;
    const before = group.reduce((sum, { segment }) => sum + segment.bytes, 0);
    const score = skew * Math.max(total, 1) ** 0.05 * (total / Math.max(before, 1)) ** 2;
    if (best === null || score < best.score) best = { score, indexes: group.map(({ index }) => index).sort((a, b) => a - b) };
  }
  return best?.indexes ?? null;
}
