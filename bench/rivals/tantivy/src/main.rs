//! tantivy as a rival of Gannet's benches: a command, its files, and options as `--name value`. Usage: run.sh.
//! Figures are printed as `engine, name, value`, separated by tabs.

mod events;
mod prose;
mod syntax;
mod timing;
mod words;

use std::collections::HashMap;
use std::path::Path;
use std::str::FromStr;

use anyhow::{anyhow, bail, Result};

/// The words and the options of a command line.
pub struct Arguments {
    words: Vec<String>,
    options: HashMap<String, String>,
}

impl Arguments {
    fn parse(mut rest: impl Iterator<Item = String>) -> Result<Self> {
        let mut parsed = Arguments { words: Vec::new(), options: HashMap::new() };
        while let Some(argument) = rest.next() {
            match argument.strip_prefix("--") {
                Some(name) => {
                    let value = rest.next().ok_or_else(|| anyhow!("--{name} needs a value"))?;
                    parsed.options.insert(name.to_string(), value);
                }
                None => parsed.words.push(argument),
            }
        }
        Ok(parsed)
    }

    /// The file at a position after the command.
    pub fn file(&self, position: usize) -> Result<&Path> {
        let word = self.words.get(position + 1).ok_or_else(|| anyhow!("too few files; see run.sh"))?;
        Ok(Path::new(word))
    }

    pub fn option<T: FromStr>(&self, name: &str, default: T) -> Result<T> {
        match self.options.get(name) {
            None => Ok(default),
            Some(value) => value.parse().map_err(|_| anyhow!("--{name} cannot be [{value}]")),
        }
    }
}

pub fn print(name: &str, value: impl std::fmt::Display) {
    println!("tantivy\t{name}\t{value}");
}

fn main() -> Result<()> {
    let arguments = Arguments::parse(std::env::args().skip(1))?;
    match arguments.words.first().map(String::as_str) {
        Some("index") => prose::index(&arguments),
        Some("query") => prose::query(&arguments),
        Some("index-events") => events::index(&arguments),
        Some("aggregate") => events::aggregate(&arguments),
        other => bail!("unknown command {other:?}; see run.sh"),
    }
}
