import type { DocumentSink } from './document-sink.ts';

/** Takes everything and keeps nothing: to try a document. */
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
