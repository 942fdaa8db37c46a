// The variables of scripted similarities: `query`, `field`, `term` and `doc`.
import { defineClass } from '../../java/class-info.ts';

/** The variable `query`. */
export class QueryStatistics {
  constructor(readonly boost: number) {}
}

/** The variable `field`. */
export class FieldStatistics {
  constructor(
    readonly docCount: number,
    readonly sumDocFreq: number,
    readonly sumTotalTermFreq: number,
  ) {}
}

/** The variable `term`. */
export class TermStatisticsView {
  constructor(
    readonly docFreq: number,
    readonly totalTermFreq: number,
  ) {}
}

/** The variable `doc`, which shows one document after the other. */
export class DocumentStatistics {
  freq = 0;
  length = 0;
}

const PACKAGE = 'org.elasticsearch.index.similarity.ScriptedSimilarity';

defineClass(`${PACKAGE}.Query`, ['java.lang.Object'], {
  of: QueryStatistics,
  javaName: `${PACKAGE}$Query`,
  members: { 'float getBoost()': ({ boost }: QueryStatistics) => boost },
});
defineClass(`${PACKAGE}.Field`, ['java.lang.Object'], {
  of: FieldStatistics,
  javaName: `${PACKAGE}$Field`,
  members: {
    'long getDocCount()': ({ docCount }: FieldStatistics) => BigInt(docCount),
    'long getSumDocFreq()': ({ sumDocFreq }: FieldStatistics) => BigInt(sumDocFreq),
    'long getSumTotalTermFreq()': ({ sumTotalTermFreq }: FieldStatistics) => BigInt(sumTotalTermFreq),
  },
});
defineClass(`${PACKAGE}.Term`, ['java.lang.Object'], {
  of: TermStatisticsView,
  javaName: `${PACKAGE}$Term`,
  members: {
    'long getDocFreq()': ({ docFreq }: TermStatisticsView) => BigInt(docFreq),
    'long getTotalTermFreq()': ({ totalTermFreq }: TermStatisticsView) => BigInt(totalTermFreq),
  },
});
defineClass(`${PACKAGE}.Doc`, ['java.lang.Object'], {
  of: DocumentStatistics,
  javaName: `${PACKAGE}$Doc`,
  members: {
    'int getLength()': ({ length }: DocumentStatistics) => length,
    'float getFreq()': ({ freq }: DocumentStatistics) => freq,
  },
});
