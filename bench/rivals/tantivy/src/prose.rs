//! Text search on an NDJSON corpus of `id` and `body`: one indexing thread, one segment, one searching thread.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use anyhow::{bail, ensure, Context, Result};
use serde::Deserialize;
use serde_json::json;
use tantivy::collector::{Count, TopDocs};
use tantivy::indexer::NoMergePolicy;
use tantivy::query::Query;
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions, Value, STORED};
use tantivy::{doc, DocAddress, Index, IndexWriter, Score, Searcher, TantivyDocument};

use crate::timing::{milliseconds, shuffled, Times};
use crate::words::{Words, NAME};
use crate::{print, syntax, Arguments};

/// Relative difference of scores that comes from adding them in another order when documents are skipped.
const ROUNDING: f32 = 1e-5;

#[derive(Deserialize)]
struct Source {
    id: String,
    body: String,
}

/// A line of the query file; the first tag is the family.
#[derive(Deserialize)]
struct Line {
    query: String,
    tags: Vec<String>,
}

struct BenchQuery {
    text: String,
    family: String,
    query: Box<dyn Query>,
}

pub fn index(arguments: &Arguments) -> Result<()> {
    let (corpus, folder) = (arguments.file(0)?, arguments.file(1)?);
    let ram_mb: usize = arguments.option("ram", 256)?;
    let mut schema = Schema::builder();
    let id = schema.add_text_field("id", STORED);
    let postings = TextFieldIndexing::default()
        .set_tokenizer(NAME)
        .set_index_option(IndexRecordOption::WithFreqsAndPositions);
    let body = schema.add_text_field("body", TextOptions::default().set_indexing_options(postings));
    let index = Index::create_in_dir(empty_folder(folder)?, schema.build())?;
    index.tokenizers().register(NAME, Words::default());
    let start = Instant::now();
    let writer = index.writer_with_num_threads(1, ram_mb << 20)?;
    add_lines(&index, writer, corpus, |line| {
        let source: Source = serde_json::from_str(line)?;
        Ok(doc!(id => source.id, body => source.body))
    })?;
    print("index_s", format!("{:.2}", start.elapsed().as_secs_f64()));
    let searcher = index.reader()?.searcher();
    let segment = searcher.segment_reader(0).inverted_index(body)?;
    print("docs", searcher.num_docs());
    print("terms", segment.terms().num_terms());
    print("tokens", segment.total_num_tokens());
    Ok(())
}

/// Adds a document per line and merges all segments into one.
pub fn add_lines(
    index: &Index,
    mut writer: IndexWriter,
    corpus: &Path,
    parse: impl Fn(&str) -> Result<TantivyDocument>,
) -> Result<()> {
    writer.set_merge_policy(Box::new(NoMergePolicy));
    for line in BufReader::with_capacity(1 << 20, File::open(corpus)?).lines() {
        writer.add_document(parse(&line?)?)?;
    }
    writer.commit()?;
    let segments = index.searchable_segment_ids()?;
    if segments.len() > 1 {
        writer.merge(&segments).wait()?;
        writer.garbage_collect_files().wait()?;
    }
    writer.wait_merging_threads()?;
    Ok(())
}

pub fn empty_folder(folder: &Path) -> Result<&Path> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    Ok(folder)
}

/// Writes OUT.tsv (id, family, mode, best and median ns, count) and OUT.jsonl (exact count and top 10 per query).
pub fn query(arguments: &Arguments) -> Result<()> {
    let out = arguments.file(2)?;
    let rounds: usize = arguments.option("rounds", 5)?;
    let warm_up_seconds: f64 = arguments.option("warmup", 2.0)?;
    let modes: String = arguments.option("modes", "COUNT,TOP_10,TOP_10_COUNT,TOP_100".to_string())?;
    let index = Index::open_in_dir(arguments.file(0)?)?;
    index.tokenizers().register(NAME, Words::default());
    let searcher = index.reader()?.searcher();
    let queries = parse_queries(arguments.file(1)?, index.schema().get_field("body")?)?;
    write_results(&searcher, &queries, &out.with_extension("jsonl"))?;
    let mut tsv = BufWriter::new(File::create(out)?);
    writeln!(tsv, "id\tfamily\tmode\tbest_ns\tmedian_ns\tcount")?;
    for mode in modes.split(',') {
        let warm_up = Instant::now();
        while warm_up.elapsed().as_secs_f64() < warm_up_seconds {
            for query in &queries {
                run(&searcher, query.query.as_ref(), mode)?;
            }
        }
        let mut times = vec![Times::default(); queries.len()];
        let mut counts = vec![0; queries.len()];
        for round in 0..rounds {
            for id in shuffled(queries.len(), round) {
                let start = Instant::now();
                counts[id] = run(&searcher, queries[id].query.as_ref(), mode)?;
                times[id].add(start.elapsed());
            }
        }
        for (id, query) in queries.iter().enumerate() {
            let (best, median) = (times[id].best().as_nanos(), times[id].median().as_nanos());
            writeln!(tsv, "{id}\t{}\t{mode}\t{best}\t{median}\t{}", query.family, counts[id])?;
        }
        let sum: f64 = times.iter().map(|times| milliseconds(times.best())).sum();
        print(&format!("{mode}_sum_best_ms"), format!("{sum:.2}"));
    }
    Ok(())
}

fn parse_queries(file: &Path, body: Field) -> Result<Vec<BenchQuery>> {
    let parse = |json: &str| -> Result<BenchQuery> {
        let Line { query: text, tags } = serde_json::from_str(json)?;
        let query = syntax::parse(&text, body)?;
        let family = tags.into_iter().next().context("query without a tag")?;
        Ok(BenchQuery { text, family, query })
    };
    fs::read_to_string(file)?.lines().map(parse).collect()
}

/// Exact hits for COUNT and TOP_10_COUNT, else the documents returned.
fn run(searcher: &Searcher, query: &dyn Query, mode: &str) -> Result<usize> {
    Ok(match mode {
        "COUNT" => query.count(searcher)?,
        "TOP_10" => top(searcher, query, 10)?.len(),
        "TOP_100" => top(searcher, query, 100)?.len(),
        "TOP_10_COUNT" => top_and_count(searcher, query)?.1,
        other => bail!("unknown mode [{other}]"),
    })
}

fn top(searcher: &Searcher, query: &dyn Query, hits: usize) -> Result<Vec<(Score, DocAddress)>> {
    Ok(searcher.search(query, &TopDocs::with_limit(hits).order_by_score())?)
}

fn top_and_count(searcher: &Searcher, query: &dyn Query) -> Result<(Vec<(Score, DocAddress)>, usize)> {
    Ok(searcher.search(query, &(TopDocs::with_limit(10).order_by_score(), Count))?)
}

/// Fails if skipping documents, or counting apart, changes a result by more than rounding.
fn write_results(searcher: &Searcher, queries: &[BenchQuery], file: &Path) -> Result<()> {
    let id_field = searcher.schema().get_field("id")?;
    let mut out = BufWriter::new(File::create(file)?);
    for (id, BenchQuery { text, family, query }) in queries.iter().enumerate() {
        let (all, count) = top_and_count(searcher, query.as_ref())?;
        let skipping = top(searcher, query.as_ref(), 10)?;
        let is_same = all.len() == skipping.len()
            && all.iter().zip(&skipping).all(|((a, _), (b, _))| (a - b).abs() <= ROUNDING * a.abs());
        ensure!(is_same && query.count(searcher)? == count, "the modes disagree on [{text}]");
        let hits = all
            .into_iter()
            .map(|(score, address)| {
                let document: TantivyDocument = searcher.doc(address)?;
                let id = document.get_first(id_field).and_then(|value| value.as_str().map(str::to_string));
                Ok((id.context("document without an id")?, score))
            })
            .collect::<Result<Vec<_>>>()?;
        let line = json!({ "id": id, "query": text, "family": family, "count": count, "top": hits });
        writeln!(out, "{line}")?;
    }
    Ok(())
}
