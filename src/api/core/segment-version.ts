// The segment version in responses, in place of Elasticsearch's Lucene version.
export const SEGMENT_VERSION = '1.0.0';
