// One segment of texts that answers the commands of the search-benchmark-game:
//   COUNT, UNOPTIMIZED_COUNT, TOP_10, TOP_100, TOP_1000, TOP_10_COUNT, TOP_100_COUNT, TOP_1000_COUNT
// with a query in Lucene's classic syntax. A search is one call of the executor on one thread; nothing is cached between queries.
// Source: the guide for contributors of quickwit-oss/search-benchmark-game; k1 and b as it recommends.
import { loadAnalyzer, type TextAnalysis } from '../../src/analyzer-node.ts';
import { countPlan, executePlan } from '../../src/plan/execute.ts';
import type { PlanNode, SegmentHits } from '../../src/plan/query-plan.ts';
import { openSegmentFile } from '../data/segment-file.ts';
import { ClassicPlanner } from '../query/classic-query.ts';
import { FIELD } from '../query/text-segment.ts';

const UNSUPPORTED = 'UNSUPPORTED';
const BM25 = { k1: 0.9, b: 0.4 };
/** Syntax that the planner does not support: fields, ranges, groups, regular expressions, boosts, wildcards within a word. */
const OTHER_SYNTAX = /[:[\]{}()/^?\\]|\*\S|&&|\|\|/;

export class GameIndex {
  readonly #loaded: ReturnType<typeof openSegmentFile>;
  readonly #planner: ClassicPlanner;

  private constructor(file: string, analysis: TextAnalysis) {
    this.#loaded = openSegmentFile(file);
    const tokens = (text: string) => analysis.analyze(text, 'standard').map(({ term }) => term);
    this.#planner = new ClassicPlanner(this.#loaded.segment, FIELD, { ...BM25, tokens });
  }

  /** @param file  image of a segment that `buildTextSegment` made */
  static async open(file: string): Promise<GameIndex> {
    return new GameIndex(file, await loadAnalyzer());
  }

  /** The answer to a line `COMMAND<tab>query`: a count, 1 for a command that does not count, or UNSUPPORTED. */
  answer(line: string): string {
    const [command, query] = line.split('\t');
    const match = /^(?:(?:UNOPTIMIZED_)?COUNT|TOP_(10|100|1000)(_COUNT)?)$/.exec(command);
    if (!match || query === undefined || OTHER_SYNTAX.test(query)) return UNSUPPORTED;
    const [, size, counted] = match;
    const plan = this.#planner.plan(this.#planner.parse(query));
    if (size === undefined) return String(countPlan(this.#loaded.k, this.#loaded.segment, plan));
    const hits = this.top(plan, Number(size), counted ? Infinity : Number(size));
    return counted ? String(hits.total) : '1';
  }

  /** `_id` and score of the best hits of a query, best first. */
  best(query: string, size: number): Array<readonly [string, number]> {
    const { docs, scores } = this.top(this.#planner.plan(this.#planner.parse(query)), size, size);
    return Array.from(docs, (doc, i) => [this.#loaded.segment.idOf(doc), scores[i]] as const);
  }

  private top(plan: PlanNode, size: number, trackTotalHitsUpTo: number): SegmentHits {
    return executePlan(this.#loaded.k, this.#loaded.segment, plan, {
      size,
      sort: [],
      trackScores: false,
      after: null,
      trackTotalHitsUpTo,
      minScore: null,
      terminateAfter: 0,
      postFilter: null,
    });
  }
}
