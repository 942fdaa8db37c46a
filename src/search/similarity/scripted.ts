// Scores by scripts: a script over the statistics of the term and the document, and one whose result is computed once for each term.
// Source: ScriptedSimilarity of Elasticsearch 7.10 and OpenSearch.
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { SimilarityModel, SimilarityScript } from '../../mapping/core/similarity-model.ts';
import { CONTEXTS } from '../../scripting/contexts.ts';
import { DocumentStatistics, FieldStatistics, QueryStatistics, TermStatisticsView } from '../../scripting/library/documents/similarity.ts';
import { compileScript } from '../../scripting/painless.ts';
import { count, type Explanation, explanationText, leaf } from './explanation.ts';
import type { TermScores, TermStatistics } from './term-statistics.ts';

type Scripted = Extract<SimilarityModel, { type: 'scripted' }>;

function scriptText(script: SimilarityScript | null): string {
  if (script === null) return 'null';
  const params = Object.entries(script.params).map(([name, value]) => `${name}=${value}`);
  return `Script{type=inline, lang='${script.lang}', idOrCode='${script.source}', options={}, params={${params.join(', ')}}}`;
}

/** The scores of a script, which may be negative. */
export interface Unchecked extends TermScores {
  scoreAny(freq: number, length: number): number;
}

export function scriptedModel({ script, weightScript }: Scripted) {
  const name = `ScriptedSimilarity(weightScript=[${scriptText(weightScript)}], script=[${scriptText(script)}])`;
  const scorer = compileScript(script.source, CONTEXTS.similarity);
  const weigher = weightScript && compileScript(weightScript.source, CONTEXTS.similarity_weight);
  return (statistics: TermStatistics): Unchecked => {
    const { boost, docCount, sumDocFreq, sumTotalTermFreq, docFreq, totalTermFreq } = statistics;
    const shared = {
      query: new QueryStatistics(boost),
      field: new FieldStatistics(docCount, sumDocFreq, sumTotalTermFreq),
      term: new TermStatisticsView(docFreq, totalTermFreq),
    };
    const weight = weigher ? Number(weigher.run({ ...shared, params: new Map(Object.entries(weightScript?.params ?? {})) })) : 1;
    const doc = new DocumentStatistics();
    const variables = { ...shared, weight, doc, params: new Map(Object.entries(script.params)) };
    const scoreAny = (freq: number, length: number): number => {
      doc.freq = freq;
      doc.length = length;
      return Math.fround(Number(scorer.run(variables)));
    };
    const explain = (freq: Explanation, length: number): Explanation =>
      leaf(scoreAny(Math.fround(freq.value), length), `score from ${name} computed from:`, [
        leaf(weight, 'weight'),
        leaf(boost, 'query.boost'),
        count(docCount, 'field.docCount'),
        count(sumDocFreq, 'field.sumDocFreq'),
        count(sumTotalTermFreq, 'field.sumTotalTermFreq'),
        count(docFreq, 'term.docFreq'),
        count(totalTermFreq, 'term.totalTermFreq'),
        leaf(freq.value, 'doc.freq', freq.details),
        count(length, 'doc.length'),
      ]);
    return {
      scoreAny,
      score(freq, length) {
        const score = scoreAny(freq, length);
        if (score >= 0) return score;
        const tree = explanationText(explain(leaf(freq, 'term frequency'), length));
        throw illegalArgumentError(`Similarities must not produce negative scores, but got:\n${tree}`);
      },
      explain,
    };
  };
}
