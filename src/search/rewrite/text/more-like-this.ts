// more_like_this: the most significant terms of strings and documents become a disjunction. Their significance depends on the statistics of the
// shard, so the disjunction is made per shard.
// Source: XMoreLikeThis, MoreLikeThisQuery (Elasticsearch, after Lucene's MoreLikeThis), described and written anew.
import { illegalArgumentError } from '../../../errors/catalog.ts';
import type { FieldType } from '../../../mapping/core/field-type.ts';
import type { LikeItem, LikeSource, MoreLikeThisQuery } from '../../../query/leaf-query.ts';
import { calculateMinimumShouldMatch } from '../../../query/text/minimum-should-match.ts';
import { stringsIn } from '../../evaluate/source-values.ts';
import { classicIdf, hasVector, vectorOf } from '../../evaluate/term-vectors.ts';
import { applyMinimumShouldMatch, bool, type IndexQuery, none, type TermStatistics, withBoost } from '../../index-query/index-query.ts';
import { termOfText } from '../../index-query/term.ts';
import { fieldOf, type RewriteContext } from '../../shard/rewrite-context.ts';
import { bySimilarity, rewriteIds } from '../leaf.ts';

type TermFreqs = ReadonlyMap<FieldType, ReadonlyMap<string, number>>;

/** @throws ApiError illegal_argument_exception: a field has no terms */
export function rewriteMoreLikeThis(query: MoreLikeThisQuery, context: RewriteContext): IndexQuery {
  const fields = fieldsOf(query, context);
  if (fields.length === 0) return none('more_like_this has no fields with terms');
  const isHere = (item: LikeItem): boolean => typeof item === 'string' || item.index === null || item.index === context.index;
  const like = query.like.filter(isHere);
  const texts = like.filter((item) => typeof item === 'string');
  const documents = like.filter((item) => typeof item !== 'string');
  const skipped = termFreqs(query.unlike.filter(isHere), fields, query.analyzer, context);
  const parts = [documents, texts]
    .filter((items) => items.length > 0)
    .map((items): IndexQuery => {
      // Words of strings count as those of the first field; each is looked up in the field in which it is most frequent.
      const freqs = termFreqs(items, items === texts ? fields.slice(0, 1) : fields, query.analyzer, context);
      const candidates = items === texts ? fields : [];
      return { op: 'perShard', label: 'more_like_this', make: (statistics) => likeTerms(query, freqs, skipped, candidates, statistics) };
    });
  if (parts.length === 0) return none('more_like_this has nothing to be like');
  const ids = documents.flatMap((item) => (item as LikeSource).id ?? []);
  const exclude = query.include || ids.length === 0 ? [] : [rewriteIds(ids, context)];
  return bool({ should: parts, mustNot: exclude, minimumShouldMatch: 1 });
}

function fieldsOf(query: MoreLikeThisQuery, context: RewriteContext): FieldType[] {
  const isGiven = query.fields !== null;
  const names = query.fields ?? context.limits.defaultFields;
  const found = new Map<string, FieldType>();
  for (const name of names.flatMap((one) => (one.includes('*') ? context.mapping.matchFields(one) : [one]))) {
    const field = fieldOf(context, name);
    if (!field) continue;
    if (hasVector(field) && field.spec.postings !== 'none') found.set(field.name, field);
    else if (isGiven && query.failOnUnsupportedField)
      throw illegalArgumentError(`more_like_this doesn't support binary/numeric fields: [${name}]`);
  }
  return [...found.values()];
}

/** Frequencies of the terms of each field, summed over all items. */
function termFreqs(items: readonly LikeItem[], fields: readonly FieldType[], analyzer: string | null, context: RewriteContext): TermFreqs {
  const freqs = new Map<FieldType, Map<string, number>>();
  for (const field of fields) {
    const ofField = new Map<string, number>();
    for (const item of items) {
      if (typeof item !== 'string' && item.fields !== null && !item.fields.includes(field.name)) continue;
      if (typeof item !== 'string' && item.kind === 'like_document')
        throw illegalArgumentError(`document [${item.id}] of more_like_this was not read`);
      const own = typeof item === 'string' ? undefined : item.analyzers.get(field.name);
      // An item whose analyzer does not exist has no terms.
      if (own !== undefined && !context.analysis.hasAnalyzer(own)) continue;
      const texts = typeof item === 'string' ? [item] : stringsIn(context.mapping, field.name, item.source);
      for (const [term, tokens] of vectorOf(context.analysis, field, texts, own ?? analyzer))
        ofField.set(term, (ofField.get(term) ?? 0) + tokens.length);
    }
    freqs.set(field, ofField);
  }
  return freqs;
}

/**
 * The best terms of each field, by their frequency in the items and their rarity in the shard.
 * @param candidates  fields among which the one with the most documents is chosen for each term; empty for the field of the term
 */
function likeTerms(
  query: MoreLikeThisQuery,
  freqs: TermFreqs,
  skipped: TermFreqs,
  candidates: readonly FieldType[],
  statistics: TermStatistics,
): IndexQuery {
  const clauses: IndexQuery[] = [];
  const stopWords = new Set(query.stopWords);
  const docs = statistics.segments.reduce((sum, { numDocs }) => sum + numDocs, 0);
  const docFreqOf = (field: FieldType, text: string) => statistics.docFreq(termOfText(field.spec.name, text));
  for (const [own, ofField] of freqs) {
    const scored: Array<{ text: string; field: FieldType; score: number }> = [];
    for (const [text, freq] of ofField) {
      if (freq < query.minTermFreq || stopWords.has(text) || skipped.get(own)?.has(text)) continue;
      if (text.length < query.minWordLength || (query.maxWordLength > 0 && text.length > query.maxWordLength)) continue;
      let field = own;
      let docFreq = docFreqOf(own, text);
      for (const other of candidates) {
        const found = docFreqOf(other, text);
        if (found > docFreq) [field, docFreq] = [other, found];
      }
      if (docFreq === 0 || docFreq < query.minDocFreq || docFreq > query.maxDocFreq) continue;
      scored.push({ text, field, score: Math.fround(freq * classicIdf(docFreq, docs)) });
    }
    scored.sort((a, b) => b.score - a.score || (a.text < b.text ? -1 : 1));
    const chosen = scored.slice(0, query.maxQueryTerms);
    // Lucene takes the terms from the least significant one upwards, and relates the others to it.
    const least = chosen.at(-1)?.score ?? 1;
    for (const { text, field, score } of chosen) {
      const term = bySimilarity(field, { op: 'term', term: termOfText(field.spec.name, text), scored: true });
      clauses.push(query.boostTerms > 0 ? withBoost(term, Math.fround((query.boostTerms * score) / least)) : term);
    }
  }
  if (clauses.length === 0) return none('more_like_this found no term');
  return applyMinimumShouldMatch(bool({ should: clauses }), (count) => calculateMinimumShouldMatch(count, query.minimumShouldMatch));
}
