// The state of an attempt to reach a back end.
import type { UpstreamState } from '../model/upstream-state.ts';

/** State before the first attempt. */
export const NO_ATTEMPT: UpstreamState = {
  peer: '',
  status: 0,
  connectMs: -1,
  headerMs: -1,
  responseMs: -1,
  responseLength: 0,
  besideBytes: 0,
  bytesReceived: 0,
  bytesSent: 0,
  queueMs: -1,
  startMs: 0,
};
