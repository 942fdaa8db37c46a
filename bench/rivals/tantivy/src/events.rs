//! Aggregations on the events corpus: request bodies of Elasticsearch on fast fields (columns). `cardinality` and `percentiles` are estimates.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::time::Instant;

use anyhow::{Context, Result};
use serde::Deserialize;
use tantivy::aggregation::agg_req::Aggregations;
use tantivy::aggregation::{AggContextParams, AggregationCollector};
use tantivy::query::{AllQuery, Query, QueryParser};
use tantivy::schema::{DateOptions, DateTimePrecision, Schema, FAST, INDEXED, STRING};
use tantivy::{Index, TantivyDocument};

use crate::prose::{add_lines, empty_folder};
use crate::timing::{milliseconds, Times};
use crate::{print, Arguments};

const KEYWORDS: [&str; 5] = ["origin", "destination", "route", "origin_state", "destination_state"];
const INTEGERS: [&str; 2] = ["distance", "delay"];
const RAM_BYTES: usize = 1 << 30;
const WARM_UP_ROUNDS: usize = 2;

/// A line of the request file; without a query all rows match.
#[derive(Deserialize)]
struct Request {
    name: String,
    query: Option<String>,
    aggs: Aggregations,
}

pub fn index(arguments: &Arguments) -> Result<()> {
    let mut builder = Schema::builder();
    for name in KEYWORDS {
        builder.add_text_field(name, STRING | FAST);
    }
    for name in INTEGERS {
        builder.add_i64_field(name, INDEXED | FAST);
    }
    let seconds = DateOptions::from(INDEXED | FAST).set_precision(DateTimePrecision::Seconds);
    builder.add_date_field("@timestamp", seconds);
    let schema = builder.build();
    let index = Index::create_in_dir(empty_folder(arguments.file(1)?)?, schema.clone())?;
    let start = Instant::now();
    let writer = index.writer_with_num_threads(1, RAM_BYTES)?;
    add_lines(&index, writer, arguments.file(0)?, |line| Ok(TantivyDocument::parse_json(&schema, line)?))?;
    print("index_s", format!("{:.2}", start.elapsed().as_secs_f64()));
    print("docs", index.reader()?.searcher().num_docs());
    Ok(())
}

/// Writes OUT.tsv: name, best and median ms, matching rows.
pub fn aggregate(arguments: &Arguments) -> Result<()> {
    let rounds: usize = arguments.option("rounds", 9)?;
    let index = Index::open_in_dir(arguments.file(0)?)?;
    let searcher = index.reader()?.searcher();
    let parser = QueryParser::for_index(&index, Vec::new());
    let mut tsv = BufWriter::new(File::create(arguments.file(2)?)?);
    writeln!(tsv, "name\tbest_ms\tmedian_ms\tcount")?;
    for line in fs::read_to_string(arguments.file(1)?)?.lines() {
        let request: Request = serde_json::from_str(line).with_context(|| line.to_string())?;
        let query: Box<dyn Query> = match &request.query {
            Some(text) => parser.parse_query(text)?,
            None => Box::new(AllQuery),
        };
        let mut times = Times::default();
        for round in 0..WARM_UP_ROUNDS + rounds {
            let start = Instant::now();
            if request.aggs.is_empty() {
                query.count(&searcher)?;
            } else {
                let collector = AggregationCollector::from_aggs(request.aggs.clone(), AggContextParams::default());
                searcher.search(&query, &collector)?;
            }
            if round >= WARM_UP_ROUNDS {
                times.add(start.elapsed());
            }
        }
        let (best, median) = (milliseconds(times.best()), milliseconds(times.median()));
        writeln!(tsv, "{}\t{best:.3}\t{median:.3}\t{}", request.name, query.count(&searcher)?)?;
    }
    Ok(())
}
