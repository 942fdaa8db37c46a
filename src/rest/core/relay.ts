// Passes a request on to a lane or another node, and sends what it responds.
import { learnFromLane } from '../../common/turns/turn.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { HeldElsewhere } from '../../errors/held-elsewhere.ts';
import { callerRef } from '../../security/caller.ts';
import type { Exchange } from './exchange.ts';
import { type LaneRequest, type LaneResponse, type Lanes, laneRequest, type Peers } from './lane.ts';
import { sendInPieces } from './large-response.ts';
import type { Responder } from './responder.ts';

/** Larger responses are sent in pieces. */
const WHOLE_BYTES = 1 << 20;

/** The request as a part of the trace of this exchange. @param id  unique within this thread */
export function requestOf({ http, bytes, caller, api, span, forwards, part }: Exchange, id: number): LaneRequest {
  const made = { ...laneRequest(id, http, bytes, { caller: caller && callerRef(caller), action: api?.needs ?? null }), part };
  const request = forwards === 0 ? made : { ...made, forwards };
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

/** Repeats the request on a node that has what it names, and on another one if that cannot be reached. @param id  unique within this thread */
export async function forwardTo(held: HeldElsewhere, exchange: Exchange, peers: Peers, id: number, responder: Responder): Promise<void> {
  const tried = new Set<string>();
  let failure: unknown = held;
  try {
    for (let node = await held.find(tried); node !== null; node = await held.find(tried)) {
      tried.add(node);
      try {
        return await relayResponse(exchange, await peers.forward(node, requestOf(exchange, id)), responder);
      } catch (error) {
        failure = error;
        if (!mayRepeat(exchange, error)) break;
      }
    }
  } catch (error) {
    failure = error;
  }
  await responder.fail(exchange, failure);
}

/** Whether a request whose node did not answer may be sent to another one: it was not sent, or only reads. */
function mayRepeat({ api }: Exchange, error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const onlyReads = api?.needs.startsWith('indices:data/read/') ?? false;
  return error.type === 'connect_transport_exception' || (onlyReads && error.type === 'node_disconnected_exception');
}
