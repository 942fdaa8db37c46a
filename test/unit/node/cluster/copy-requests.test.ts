// Requests of readers for shards without a copy on this node.
import { describe, expect, test } from 'vitest';
import type { Membership } from '../../../../src/cluster/membership.ts';
import { ApiError } from '../../../../src/errors/api-error.ts';
import type { ClusterState } from '../../../../src/metadata/cluster-state.ts';
import { CopyRequests } from '../../../../src/node/cluster/copy-requests.ts';
import type { ShardRequest } from '../../../../src/node/messages/messages.ts';

const WRITE = {
  type: 'write',
  uuid: 'u',
  shard: 0,
  operations: new Uint8Array(),
  refresh: 'false',
  trace: undefined,
} as unknown as ShardRequest;
const READ: ShardRequest = { type: 'document', uuid: 'u', shard: 0, docId: '1' };

const copies = (...nodes: string[]) => ({ u: nodes.map((node) => ({ node, id: 1, isStarted: true, leftMs: null, replaces: null })) });
const stateOf = (primary: string | null, ...nodes: string[]) =>
  ({
    indices: { docs: { name: 'docs', uuid: 'u', state: 'open', settings: {} } },
    primaries: primary === null ? {} : { u: primary },
    copies: copies(...nodes),
  }) as unknown as ClusterState;

/** @param answer  of each node; an error is thrown */
function world(state: ClusterState, answer: (node: string, attempt: number) => unknown) {
  const asked: string[] = [];
  const at = { state, isLeaving: false };
  const requests = new CopyRequests({
    state: () => at.state,
    membership: () => ({ nodes: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] }) as unknown as Membership,
    isLeaving: () => at.isLeaving,
    ask: async (node) => {
      asked.push(node);
      const reply = answer(node, asked.length);
      if (reply instanceof Error) throw reply;
      return reply;
    },
  });
  return { requests, asked, at };
}

const notSent = new ApiError('connect_transport_exception', 503, 'not sent');
const disconnected = new ApiError('node_disconnected_exception', 503, 'disconnected');

describe('a write', () => {
  test('goes to the primary, and is repeated only if nothing was written', async () => {
    const { requests, asked } = world(stateOf('b', 'a', 'b'), (_, attempt) => (attempt < 3 ? notSent : 'done'));
    expect(await requests.ask(WRITE)).toBe('done');
    expect(asked).toEqual(['b', 'b', 'b']);
    const lost = world(stateOf('b', 'a', 'b'), () => disconnected);
    await expect(lost.requests.ask(WRITE)).rejects.toBe(disconnected);
    expect(lost.asked).toEqual(['b']);
  });

  test('waits for a primary', async () => {
    const { requests, asked, at } = world(stateOf(null), () => 'done');
    const written = requests.ask(WRITE);
    at.state = stateOf('c', 'c');
    expect(await written).toBe('done');
    expect(asked).toEqual(['c']);
  });

  test('fails when the index is gone, or the node leaves', async () => {
    const gone = world({ ...stateOf(null), indices: {} }, () => 'done');
    await expect(gone.requests.ask(WRITE)).rejects.toMatchObject({ type: 'index_not_found_exception' });
    const leaving = world(stateOf(null), () => 'done');
    leaving.at.isLeaving = true;
    await expect(leaving.requests.ask(WRITE)).rejects.toMatchObject({ type: 'unavailable_shards_exception', status: 503 });
  });
});

test('a read is tried on the other copies when the primary does not answer, but an error of the request is final', async () => {
  const { requests, asked } = world(stateOf('b', 'a', 'b'), (node) => (node === 'b' ? disconnected : { id: '1' }));
  expect(await requests.ask(READ)).toEqual({ id: '1' });
  expect(asked).toEqual(['b', 'a']);
  const invalid = new ApiError('illegal_argument_exception', 400, 'no');
  const refused = world(stateOf('b', 'b'), () => invalid);
  await expect(refused.requests.ask(READ)).rejects.toBe(invalid);
  expect(refused.asked).toEqual(['b']);
});
