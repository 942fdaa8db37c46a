// The settings of indices with `index.mode: time_series`, which the start of the service imports, too (tools/build/late-code.mjs).

export const ROUTING_PATH = 'index.routing_path';
export const START_TIME = 'index.time_series.start_time';
export const END_TIME = 'index.time_series.end_time';
