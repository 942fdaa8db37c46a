//! Words of UAX #29 in lower case: the tokens of Lucene's standard analyzer, except that it also emits emoji and splits words of more than 255
//! characters.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};
use unicode_segmentation::{UnicodeSegmentation, UnicodeWordIndices};

/// Name under which an index knows the tokenizer.
pub const NAME: &str = "words";

#[derive(Clone, Default)]
pub struct Words {
    token: Token,
}

pub struct WordStream<'a> {
    rest: UnicodeWordIndices<'a>,
    token: &'a mut Token,
}

impl Tokenizer for Words {
    type TokenStream<'a> = WordStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream<'a> {
        self.token.reset();
        WordStream { rest: text.unicode_word_indices(), token: &mut self.token }
    }
}

impl TokenStream for WordStream<'_> {
    fn advance(&mut self) -> bool {
        let Some((start, word)) = self.rest.next() else { return false };
        let token = &mut *self.token;
        token.position = token.position.wrapping_add(1);
        token.offset_from = start;
        token.offset_to = start + word.len();
        token.text.clear();
        if word.is_ascii() {
            token.text.push_str(word);
            token.text.make_ascii_lowercase();
        } else {
            // One character for one, as Lucene's lower-case filter maps them.
            token.text.extend(word.chars().filter_map(|c| c.to_lowercase().next()));
        }
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}
