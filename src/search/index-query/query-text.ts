// Queries printed in Lucene's notation: `note:two +note:words -status:new`, `"a b"~2`, `year:[2010 TO 2012]`.
import type { IndexQuery } from './index-query.ts';
import type { Term } from './term.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

function termText({ bytes }: Term): string {
  try {
    return decoder.decode(bytes);
  } catch {
    return `[${Array.from(bytes, (byte) => byte.toString(16)).join(' ')}]`;
  }
}

/** Queries whose scores are constant by nature; others are made so by a query around them. */
const CONSTANT_OPS: ReadonlySet<IndexQuery['op']> = new Set([
  'rangeI64',
  'rangeF64',
  'inI64',
  'inF64',
  'anyTerm',
  'pattern',
  'ids',
  'geoBox',
  'geoDistance',
]);

/** A float as Java prints it: `3.0`. */
export function floatText(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

function inParentheses(query: IndexQuery): string {
  const text = queryText(query);
  return query.op === 'bool' && !isSingleClause(query) ? `(${text})` : text;
}

function isSingleClause(query: Extract<IndexQuery, { op: 'bool' }>): boolean {
  return query.must.length + query.should.length + query.filter.length + query.mustNot.length === 1 && query.should.length === 1;
}
export function queryText(query: IndexQuery): string {
  switch (query.op) {
    case 'all':
      return '*:*';
    case 'none':
      return `MatchNoDocsQuery("${query.reason}")`;
    case 'term':
      return `${query.term.field}:${termText(query.term)}`;
    case 'synonym':
      return `Synonym(${query.terms.map((term) => `${term.field}:${termText(term)}`).join(' ')})`;
    case 'phrase': {
      const words = query.positions.map(({ terms }) => (terms.length === 1 ? termText(terms[0]) : `(${terms.map(termText).join(' ')})`));
      const star = query.prefixExpansions === null ? '' : '*';
      return `${query.field}:"${words.join(' ')}${star}"${query.slop > 0 ? `~${query.slop}` : ''}`;
    }
    case 'bool': {
      const clauses = [
        ...query.must.map((clause) => `+${inParentheses(clause)}`),
        ...query.filter.map((clause) => `#${inParentheses(clause)}`),
        ...query.should.map(inParentheses),
        ...query.mustNot.map((clause) => `-${inParentheses(clause)}`),
      ];
      const text = clauses.join(' ');
      return query.minimumShouldMatch > 1 ? `(${text})~${query.minimumShouldMatch}` : text;
    }
    case 'disMax': {
      const tie = query.tieBreaker === 0 ? '' : `~${floatText(query.tieBreaker)}`;
      return `(${query.queries.map(inParentheses).join(' | ')})${tie}`;
    }
    case 'boosting':
      return `FunctionScoreQuery(${queryText(query.positive)}, scored by boost(queryboost(${queryText(query.negative)})^${floatText(query.negativeBoost)}))`;
    case 'constant':
      return query.query.op === 'all'
        ? '*:*'
        : CONSTANT_OPS.has(query.query.op)
          ? queryText(query.query)
          : `ConstantScore(${queryText(query.query)})`;
    case 'boost':
      return query.query.op === 'constant'
        ? `${queryText(query.query)}^${floatText(query.boost)}`
        : `(${queryText(query.query)})^${floatText(query.boost)}`;
    case 'blended':
      return `blended(terms:[${query.terms.map(({ term, boost }) => `${term.field}:${termText(term)}${boost === 1 ? '' : `^${floatText(boost)}`}`).join(', ')}])`;
    case 'anyTerm':
      return `${query.field}:(${query.terms.map(termText).join(' ')})`;
    case 'pattern':
      return query.label;
    case 'rangeI64':
    case 'rangeF64':
      return `${query.field}:[${query.min} TO ${query.max}]`;
    case 'inI64':
    case 'inF64':
      return query.values.length === 1
        ? `${query.field}:[${query.values[0]} TO ${query.values[0]}]`
        : `${query.field}:{${query.values.join(' ')}}`;
    case 'existsColumn':
    case 'existsNorm':
      return `FieldExistsQuery [field=${query.field}]`;
    case 'ids':
      return `_id:(${query.ids.join(' ')})`;
    case 'geoBox':
      return `${query.field}:[${query.bottom},${query.left} TO ${query.top},${query.right}]`;
    case 'geoDistance':
      return `${query.field}:${query.lat},${query.lon} +/- ${floatText(query.meters)} meters`;
    case 'scriptFilter':
    case 'positional':
    case 'hostFilter':
      return query.label;
    case 'termsSet':
      return `CoveringQuery(${query.clauses.map(queryText).join(' ')})`;
    case 'join':
      return `GlobalOrdinalsQuery{${queryText(query.from)}, ${query.scoreMode}}`;
    case 'nested':
      return `ToParentBlockJoinQuery (${queryText(query.query)})`;
    case 'feature':
      return `FeatureQuery(field=${query.term.field})`;
    case 'percolate':
      return `PercolateQuery{document_sources=${query.sources.length},inner={${queryText(query.candidates)}}}`;
    case 'combined': {
      const fields = query.fields.map(({ field, weight }) => `${field}${weight === 1 ? '' : `^${floatText(weight)}`}`);
      return `CombinedFieldQuery((${fields.join(' ')})(${query.terms.map(termText).join(' ')}))`;
    }
    case 'functionScore':
      return `function score (${queryText(query.query)}, functions: ${query.functions.length})`;
    case 'knn':
      return `KnnVectorQuery:${query.field}[${query.vector[0] ?? ''},...][${query.k}]`;
    case 'scoredDocs':
      return query.label;
    case 'perShard':
      return query.label;
    case 'named':
      return queryText(query.query);
  }
}
