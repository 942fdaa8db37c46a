// The version of segments in responses, where Elasticsearch shows that of Lucene.
export const SEGMENT_VERSION = '1.0.0';
