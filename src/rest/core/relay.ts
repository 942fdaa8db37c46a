// Passes a request on to a lane or another node, and sends what it responds.
import { learnFromLane } from '../../common/turns/turn.ts';
import { callerRef } from '../../security/caller.ts';
import type { Exchange } from './exchange.ts';
import { type LaneRequest, type LaneResponse, type Lanes, laneRequest, type Peers } from './lane.ts';
import { sendInPieces } from './large-response.ts';
import type { Responder } from './responder.ts';

/** Larger responses are sent in pieces. */
const WHOLE_BYTES = 1 << 20;

/** The request as a part of the trace of this exchange. @param id  unique within this thread */
export function requestOf({ http, bytes, caller, api, span }: Exchange, id: number): LaneRequest {
  const request = laneRequest(id, http, bytes, { caller: caller && callerRef(caller), action: api?.needs ?? null });
  return span === null ? request : { ...request, headers: { ...request.headers, traceparent: span.traceparent } };
}

async function relayResponse(exchange: Exchange, { status, headers, body }: LaneResponse, responder: Responder): Promise<void> {
  const { http, reply } = exchange;
  if (http.method === 'HEAD' || body.length <= WHOLE_BYTES) {
    if (!reply.aborted) reply.send(status, headers, http.method === 'HEAD' ? '' : body);
  } else await sendInPieces(reply, status, headers, [body]);
  responder.answered(exchange, status, body.length);
}

/** Repeats the request in a lane. @param id  unique within this thread */
export async function moveToLane(exchange: Exchange, lanes: Lanes | null, id: number, responder: Responder): Promise<void> {
  try {
    if (lanes === null) throw new Error('TooHeavy in a thread without lanes');
    exchange.reply.onAbort(() => lanes.cancel(id));
    const answer = await lanes.run(requestOf(exchange, id));
    learnFromLane(answer.ranMs);
    await relayResponse(exchange, answer, responder);
  } catch (error) {
    await responder.fail(exchange, error);
  }
}

/** Repeats the request on the node that has what it names. @param id  unique within this thread */
export async function forwardTo(node: string, exchange: Exchange, peers: Peers, id: number, responder: Responder): Promise<void> {
  try {
    await relayResponse(exchange, await peers.forward(node, requestOf(exchange, id)), responder);
  } catch (error) {
    await responder.fail(exchange, error);
  }
}
