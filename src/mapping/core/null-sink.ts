import type { DocumentSink } from './document-sink.ts';

/** Discards everything: for parsing a document on trial. */
export const NULL_SINK: DocumentSink = {
  begin() {},
  end() {},
  text() {},
  term() {},
  i64() {},
  f64() {},
  keyword() {},
  geo() {},
  binary() {},
  feature() {},
};
