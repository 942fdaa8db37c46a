// Answers requests that another node of the cluster has passed on.
import type { JsonObject } from '../../common/json/json-value.ts';
import type { HttpHeaders, HttpReply, HttpRequest, ReplyStream } from '../../http/listener.ts';
import type { CallerRef } from '../../security/caller.ts';
import { asHttpRequest, LaneReply, type LaneRequest, type LaneResponse } from './lane.ts';

/** As `Dispatcher.handle`. */
type Handle = (
  http: HttpRequest,
  reply: HttpReply,
  trusted: CallerRef | null,
  part: JsonObject | null,
  forwards: number,
) => Promise<void> | void;

/** Collects a response for another node, also one that is sent in pieces. */
export class ForwardedReply extends LaneReply {
  override stream(status: number, headers: HttpHeaders): ReplyStream {
    const chunks: Buffer[] = [];
    return {
      write: (chunk) => chunks.push(Buffer.from(chunk)) > 0,
      drained: async () => undefined,
      end: () => this.send(status, headers, Buffer.concat(chunks)),
    };
  }
}

export async function answerForwarded(request: LaneRequest, handle: Handle): Promise<LaneResponse> {
  const reply = new ForwardedReply();
  await handle(asHttpRequest(request), reply, request.caller, request.part, (request.forwards ?? 0) + 1);
  return reply.answer;
}
