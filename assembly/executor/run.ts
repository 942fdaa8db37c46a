// Runs a plan on one segment, window by window; the host may stop between calls.
//   executorInit(run, scratchPtr, scratchEnd)     after the host has written the Run record and the plan's nodes below scratchPtr
//   while (executorRun(run, windows) == 1) {}     0: done, < 0: status of an aggregation
//   executorFinish(run)                           hits best first at run.docs, run.scores, run.keys
// Per window: matches → live and root documents → scores → minScore → count → aggregations → postFilter → hits.
// If hits are sorted by score and nothing else needs the matches, only documents that can still compete are scored (competitive.ts); while the
// total is being counted, the window's matches are counted separately, by bits. Traps when scratch is full, see contextStatus().

import { aggsCollect } from '../aggs/tree';
import { competeWindow, Contest, isDisjunction, isTermConjunction, leadOffer, termOffer } from '../search/competitive';
import { allocate, allocateTemp, contextInit, countWindow, expectFewDocs, releaseTemp, tempMark, WINDOW_DOCS } from '../search/context';
import { hasOneScore, nodeBound, nodeFilter, nodeNext, nodeOpen, nodeScore, nodeWindow } from '../search/evaluate';
import { floorOf } from '../search/floor';
import { BoolNode, Node, OP_TERM, TermNode } from '../search/node';
import { countBits, filterByBitset, newWindow, Window, WINDOW_BITS_BYTES, WINDOW_DOCS_BYTES, windowToBits, windowToList } from '../search/window';
import { TopK, topDrain, topOfferList } from '../search/top-k';
import { sortDrain, sortOffer, sortOpen } from './sort';

/** Scores are needed: for the order, aggregations, minScore or trackScores. */
export const RUN_SCORES: u32 = 1;
/** Hits are sorted by score alone. */
export const RUN_BY_SCORE: u32 = 2;
/** The host takes `total` from statistics; it is not counted. */
export const RUN_TOTAL_KNOWN: u32 = 4;

/** One run of a plan over one segment: the host writes the request and reads the results. It clears the record first. */
// @ts-ignore: decorator
@unmanaged
export class Run {
  // Request.
  /** Address of the plan's root node. */
  query: u32;
  /** Address of a plan that hits must match as well, but aggregations need not; 0: none. */
  postFilter: u32;
  /** RUN_* */
  flags: u32;
  maxDoc: u32;
  /** Only documents below it are examined; a multiple of SPAN_DOCS unless it is maxDoc. */
  end: u32;
  /** Bitset of live root documents, 0: all. */
  accept: u32;
  /** Root of the aggregation tree, 0: none. */
  aggs: u32;
  /** 1: aggregations need scores. */
  aggsScores: u32;
  /** Number of hits to collect. */
  size: u32;
  /** Count exactly up to here; 0xffffffff: all. */
  countUpTo: u32;
  /** Stop after this many documents; 0: never. */
  terminateAfter: u32;
  /** NaN: none. */
  minScore: f32;
  /** Only greater scores are hits. */
  floor: f32;
  /** SortKey[sortKeyCount] (sort.ts), 0 if sorted by score alone. */
  sortKeys: u32;
  sortKeyCount: u32;
  /** Tuple of sort values after which hits begin, and the document that breaks ties; 0: none. */
  after: u32;
  afterDoc: i32;

  // Results.
  total: u32;
  totalIsLowerBound: u32;
  terminated: u32;
  collected: u32;
  maxScore: f32;
  hitCount: u32;
  /** Hits, best first: u32[hitCount], f32[hitCount], u64[hitCount * sortKeyCount] unless sorted by score alone. */
  docs: u32;
  scores: u32;
  keys: u32;

  // State.
  /** Next document to examine. The host sets the first one, a multiple of SPAN_DOCS. */
  position: u32;
  sorter: u32;
  window: Window;
  /** f32[], parallel to the window's documents. */
  windowScores: usize;
  top: TopK;
  contest: Contest;
  /** The span of windows that ends here may hold a competitive document. */
  spanEnd: u32;
}

/** Windows whose bound is checked together first, by the impacts of groups of blocks. */
export const SPAN_DOCS: u32 = 8 * WINDOW_DOCS;

export function executorInit(ptr: usize, scratchPtr: usize, scratchEnd: usize): void {
  const run = changetype<Run>(ptr);
  contextInit(scratchPtr, scratchEnd, run.maxDoc);
  const query = changetype<Node>(<usize>run.query);
  if (mayPrune(run) && !run.postFilter && (run.flags & RUN_TOTAL_KNOWN || run.countUpTo != u32.MAX_VALUE) && hasOneScore(query)) expectFewDocs();
  nodeOpen(query);
  if (run.postFilter) nodeOpen(changetype<Node>(<usize>run.postFilter));
  const w = changetype<Window>(allocate(32));
  w.bits = allocate(WINDOW_BITS_BYTES);
  w.docs = allocate(WINDOW_DOCS_BYTES);
  run.window = w;
  run.windowScores = allocate(WINDOW_DOCS_BYTES);
  if (run.size > 0) {
    run.docs = <u32>allocate((<usize>run.size) << 2);
    run.scores = <u32>allocate((<usize>run.size) << 2);
    if (run.flags & RUN_BY_SCORE) {
      const top = changetype<TopK>(allocate(16));
      top.keys = allocate((<usize>run.size) << 3);
      top.k = run.size;
      top.count = 0;
      top.minScore = floorOfRun(run);
      run.top = top;
      run.contest = newContest(run, top, w);
    } else {
      run.sorter = <u32>sortOpen(<usize>run.sortKeys, run.sortKeyCount, run.size, <usize>run.after, run.afterDoc);
    }
  }
  run.maxScore = -f32.MAX_VALUE;
}

/** Only greater scores can be hits. */
function floorOfRun(run: Run): f32 {
  if (!mayPrune(run) || run.accept || run.postFilter) return run.floor;
  return max<f32>(run.floor, floorOf(changetype<Node>(<usize>run.query), run.size));
}

function newContest(run: Run, top: TopK, w: Window): Contest {
  const contest = changetype<Contest>(allocate(offsetof<Contest>()));
  contest.accept = <usize>run.accept;
  contest.top = top;
  contest.window = w;
  contest.scores = run.windowScores;
  return contest;
}

/** Runs at most `windows` windows. 1: there is more, 0: done, < 0: status of an aggregation. */
export function executorRun(ptr: usize, windows: u32): i32 {
  const run = changetype<Run>(ptr);
  const query = changetype<Node>(<usize>run.query);
  while (windows-- > 0) {
    const next = nodeNext(query, run.position);
    if (next >= run.end) {
      run.position = run.end;
      return 0;
    }
    const from = next & ~(WINDOW_DOCS - 1);
    if (from >= run.spanEnd && isHopelessSpan(run, query, from)) continue;
    if (offersBlocks(run, query)) {
      offerBlocks(run, query, from, windows);
      return run.position < run.end ? 1 : 0;
    }
    const to = min(from + WINDOW_DOCS, run.end);
    run.position = to;
    countWindow();
    const status = mayPrune(run) ? pruneWindow(run, query, from, to) : collectWindow(run, query, from, to);
    if (status != 0) return status < 0 ? status : 0;
  }
  return 1;
}

/** Whether documents that are not hits may be skipped, unless they must be counted. */
// @ts-ignore: decorator
@inline
function mayPrune(run: Run): bool {
  return (run.flags & RUN_BY_SCORE) != 0 && run.size > 0 && !run.aggs && !run.terminateAfter && run.minScore != run.minScore;
}

// @ts-ignore: decorator
@inline
function stillCounting(run: Run): bool {
  if (run.flags & RUN_TOTAL_KNOWN) return false;
  return run.countUpTo == u32.MAX_VALUE || run.total <= run.countUpTo;
}

/** Whether the remaining work only offers documents of terms block by block, which windows do not make faster. */
// @ts-ignore: decorator
@inline
function offersBlocks(run: Run, query: Node): bool {
  if (!mayPrune(run) || run.postFilter || stillCounting(run)) return false;
  return query.op == OP_TERM ? changetype<TermNode>(query).normInverse != 0 : isTermConjunction(query);
}

/** Offers the documents of this and the next `windows` windows. */
function offerBlocks(run: Run, query: Node, from: u32, windows: u32): void {
  const contest = run.contest;
  if (!(run.flags & RUN_TOTAL_KNOWN)) run.totalIsLowerBound = 1;
  contest.from = from;
  contest.to = <u32>min<u64>(<u64>from + (<u64>windows + 1) * <u64>WINDOW_DOCS, <u64>run.end);
  run.position = contest.to;
  countWindow();
  if (query.op == OP_TERM) termOffer(contest, changetype<TermNode>(query));
  else leadOffer(contest, changetype<BoolNode>(query));
}

/** Skips to the end of the span that contains `from` if no document there can be a hit and none must be counted. */
function isHopelessSpan(run: Run, query: Node, from: u32): bool {
  if (!mayPrune(run) || stillCounting(run)) return false;
  run.spanEnd = min((from | (SPAN_DOCS - 1)) + 1, run.end);
  if (nodeBound(query, from, run.spanEnd) > run.top.minScore) return false;
  if (!(run.flags & RUN_TOTAL_KNOWN)) run.totalIsLowerBound = 1;
  run.position = run.spanEnd;
  return true;
}

function pruneWindow(run: Run, query: Node, from: u32, to: u32): i32 {
  const top = run.top, w = run.window, contest = run.contest;
  contest.from = from;
  contest.to = to;
  if (run.postFilter) {
    matchWindow(run, query, from, to, w);
    windowToList(w, from);
    w.count = nodeFilter(changetype<Node>(<usize>run.postFilter), w.docs, w.count);
    run.total += w.count;
    nodeScore(query, w.docs, w.count, run.windowScores);
    topOfferList(top, w.docs, run.windowScores, w.count);
    return 0;
  }
  if (!stillCounting(run)) {
    if (!(run.flags & RUN_TOTAL_KNOWN)) run.totalIsLowerBound = 1;
    competeWindow(contest, query, false);
    return 0;
  }
  matchWindow(run, query, from, to, w);
  run.total += w.isList ? w.count : countBits(w.bits);
  if (isDisjunction(query)) {
    competeWindow(contest, query, false);
  } else if (nodeBound(query, from, to) > top.minScore) {
    windowToList(w, from);
    competeWindow(contest, query, true);
  }
  return 0;
}

/** Accepted matches of a window. */
function matchWindow(run: Run, query: Node, from: u32, to: u32, w: Window): void {
  nodeWindow(query, from, to, w);
  if (!run.accept) return;
  if (w.isList) {
    w.count = filterByBitset(<usize>run.accept, w.docs, w.count);
    return;
  }
  const accept = <usize>run.accept + (from >> 3);
  const bytes = ((<usize>(to - from) + 63) >> 6) << 3;
  for (let off: usize = 0; off < bytes; off += 8) store<u64>(w.bits + off, load<u64>(w.bits + off) & load<u64>(accept + off));
}

function collectWindow(run: Run, query: Node, from: u32, to: u32): i32 {
  const w = run.window;
  matchWindow(run, query, from, to, w);
  const limits = run.minScore == run.minScore;
  if (run.size == 0 && !run.aggs && !run.postFilter && !run.terminateAfter && !limits && !(run.flags & RUN_SCORES)) {
    run.total += w.isList ? w.count : countBits(w.bits);
    if (stillCounting(run)) return 0;
    run.totalIsLowerBound = 1;
    return 1;
  }
  windowToList(w, from);
  const scores = run.windowScores;
  const scored = (run.flags & (RUN_SCORES | RUN_BY_SCORE)) != 0;
  if (scored) nodeScore(query, w.docs, w.count, scores);
  if (limits) dropLowScores(w, scores, run.minScore);
  const mark = tempMark();
  let hits = w.docs;
  let hitCount = w.count;
  if (run.postFilter) {
    hits = allocateTemp(((<usize>w.count) << 2) + 16);
    memory.copy(hits, w.docs, (<usize>w.count) << 2);
    hitCount = nodeFilter(changetype<Node>(<usize>run.postFilter), hits, w.count);
  }
  // The search ends at the first hit beyond the limit; aggregations collect the documents before it.
  const room = run.terminateAfter - run.collected;
  if (run.terminateAfter && hitCount > room) {
    w.count = countBelow(w.docs, w.count, load<u32>(hits + ((<usize>room) << 2)));
    hitCount = room;
    run.terminated = 1;
  }
  run.collected += hitCount;
  if (run.aggs && w.count) {
    const status = aggsCollect(<usize>run.aggs, w.docs, run.aggsScores ? scores : 0, w.count);
    if (status < 0) {
      releaseTemp(mark);
      return status;
    }
  }
  if (run.postFilter) keepHits(w, hits, hitCount, scored ? scores : 0);
  releaseTemp(mark);
  run.total += w.count;
  if (scored) for (let i: usize = 0; i < <usize>w.count << 2; i += 4) run.maxScore = max<f32>(run.maxScore, load<f32>(scores + i));
  if (run.size > 0) {
    if (run.flags & RUN_BY_SCORE) topOfferList(run.top, w.docs, scores, w.count);
    else sortOffer(<usize>run.sorter, w.docs, scored ? scores : 0, w.count);
  }
  return run.terminated;
}

function dropLowScores(w: Window, scores: usize, minScore: f32): void {
  let kept: usize = 0;
  for (let i: usize = 0, end = (<usize>w.count) << 2; i < end; i += 4) {
    const score = load<f32>(scores + i);
    if (score < minScore) continue;
    store<u32>(w.docs + kept, load<u32>(w.docs + i));
    store<f32>(scores + kept, score);
    kept += 4;
  }
  w.count = <u32>(kept >> 2);
}

/** Number of ascending documents below a limit. */
function countBelow(docs: usize, count: u32, limit: u32): u32 {
  let low: u32 = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<u32>(docs + ((<usize>middle) << 2)) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Keeps the first `count` of `hits`, a part of the window's documents, with their scores (0: none) in parallel. */
function keepHits(w: Window, hits: usize, count: u32, scores: usize): void {
  for (let i: usize = 0, j: usize = 0, end = (<usize>count) << 2; i < end; i += 4, j += 4) {
    const doc = load<u32>(hits + i);
    if (scores) {
      while (load<u32>(w.docs + j) != doc) j += 4;
      store<f32>(scores + i, load<f32>(scores + j));
    }
    store<u32>(w.docs + i, doc);
  }
  w.count = count;
}

/** Sorts the hits into run.docs, run.scores and, sorted by other keys, run.keys: u64[hitCount * sortKeyCount]. */
export function executorFinish(ptr: usize): void {
  const run = changetype<Run>(ptr);
  if (run.size == 0) return;
  if (run.flags & RUN_BY_SCORE) {
    const top = run.top;
    run.hitCount = top.count;
    topDrain(top, <usize>run.docs, <usize>run.scores);
    if (run.hitCount) run.maxScore = load<f32>(<usize>run.scores);
  } else {
    run.keys = <u32>allocate((<usize>run.size * <usize>run.sortKeyCount) << 3);
    run.hitCount = sortDrain(<usize>run.sorter, <usize>run.docs, <usize>run.scores, <usize>run.keys);
  }
}

/** Writes the bitset of all matches, including deleted and nested documents. `out` has room for maxDoc bits in whole windows. */
export function executorBitset(queryPtr: usize, out: usize, maxDoc: u32, scratchPtr: usize, scratchEnd: usize): void {
  contextInit(scratchPtr, scratchEnd, maxDoc);
  const query = changetype<Node>(queryPtr);
  nodeOpen(query);
  const w = newWindow();
  const bytes = (((<usize>maxDoc) + 511) >> 9) << 6;
  memory.fill(out, 0, bytes);
  for (let from = nodeNext(query, 0); from < maxDoc; from = nodeNext(query, from)) {
    from &= ~(WINDOW_DOCS - 1);
    const to = min(from + WINDOW_DOCS, maxDoc);
    nodeWindow(query, from, to, w);
    windowToBits(w, from);
    memory.copy(out + (from >> 3), w.bits, ((<usize>(to - from) + 63) >> 6) << 3);
    from = to;
  }
}

/** Live root documents: the intersection of both bitsets. */
export function executorAccept(out: usize, live: usize, roots: usize, maxDoc: u32): void {
  for (const end = out + ((((<usize>maxDoc) + 511) >> 9) << 6); out < end; out += 8, live += 8, roots += 8) {
    store<u64>(out, load<u64>(live) & load<u64>(roots));
  }
}
