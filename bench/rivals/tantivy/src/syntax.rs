//! Queries in the part of the classic Lucene syntax that bench/query/prose-queries.jsonl uses: words, phrases with an optional slop, prefixes and
//! fuzzy words, each optional, required (`+`) or prohibited (`-`). Words are terms already.
//!
//! Two families differ from Lucene by design: a fuzzy word here matches every term within its distance with score 1, and a phrase with slop scores
//! each match as an exact one.

use anyhow::{Context, Result};
use tantivy::query::{BooleanQuery, FuzzyTermQuery, Occur, PhrasePrefixQuery, PhraseQuery, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::Term;

pub fn parse(text: &str, field: Field) -> Result<Box<dyn Query>> {
    let mut clauses = split(text)
        .into_iter()
        .map(|clause| {
            let (occur, body) = match clause.as_bytes()[0] {
                b'+' => (Occur::Must, &clause[1..]),
                b'-' => (Occur::MustNot, &clause[1..]),
                _ => (Occur::Should, clause),
            };
            Ok((occur, parse_clause(body, field)?))
        })
        .collect::<Result<Vec<_>>>()?;
    if clauses.len() == 1 {
        return Ok(clauses.remove(0).1);
    }
    Ok(Box::new(BooleanQuery::new(clauses)))
}

/// Clauses are separated by the spaces outside of quotes.
fn split(text: &str) -> Vec<&str> {
    let mut is_quoted = false;
    text.split(move |c: char| {
        is_quoted ^= c == '"';
        c == ' ' && !is_quoted
    })
    .filter(|clause| !clause.is_empty())
    .collect()
}

fn parse_clause(clause: &str, field: Field) -> Result<Box<dyn Query>> {
    let term = |word: &str| Term::from_field_text(field, word);
    let (body, distance) = match clause.split_once('~') {
        Some((body, digits)) => (body, Some(digits.parse::<u8>().with_context(|| clause.to_string())?)),
        None => (clause, None),
    };
    if let Some(phrase) = body.strip_prefix('"') {
        let mut query = PhraseQuery::new(phrase.trim_end_matches('"').split(' ').map(term).collect());
        query.set_slop(distance.unwrap_or(0).into());
        return Ok(Box::new(query));
    }
    if let Some(prefix) = body.strip_suffix('*') {
        let mut query = PhrasePrefixQuery::new(vec![term(prefix)]);
        query.set_max_expansions(u32::MAX);
        return Ok(Box::new(query));
    }
    Ok(match distance {
        Some(edits) => Box::new(FuzzyTermQuery::new(term(body), edits, true)),
        None => Box::new(TermQuery::new(term(body), IndexRecordOption::WithFreqs)),
    })
}
