// Users see of the indices of several nodes what they see of one node that has all of them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashPassword } from '../../../../../src/security/password-hash.ts';
import { type ApartNodes, apartNodes } from '../../../../support/apart-nodes.ts';
import { openRestNode, type RestNode } from '../../../../support/rest-node.ts';
import { fillApart, PLACEMENT } from './documents.ts';

const ROLES = {
  some: {
    indices: [
      { names: ['a', 'c'], privileges: ['read'], query: '{"term":{"tag":"red"}}', field_security: { grant: ['title', 'tag', 'n'] } },
      { names: ['b'], privileges: ['read'] },
    ],
  },
  few: { indices: [{ names: ['a', 'c'], privileges: ['read'] }] },
};
const asUser = (name: string) => ({ authorization: `Basic ${Buffer.from(`${name}:password-${name}`).toString('base64')}` });

let whole: RestNode;
let nodes: ApartNodes;
beforeAll(async () => {
  const users = Object.fromEntries(
    await Promise.all(
      Object.entries({ root: ['superuser'], some: ['some'], few: ['few'] }).map(async ([name, roles]) => [
        name,
        { password_hash: await hashPassword(`password-${name}`), roles },
      ]),
    ),
  );
  const flags = { 'security.users': users, 'security.roles': ROLES };
  whole = await openRestNode(flags);
  const send: RestNode['send'] = (line, body, headers) => whole.send(line, body, { ...asUser('root'), ...headers });
  await fillApart({
    ...whole,
    async ok(line, body) {
      const { status, text, json } = await send(line, body);
      if (status >= 300) throw new Error(text);
      return json;
    },
  });
  nodes = apartNodes(whole, { ...PLACEMENT }, flags);
});
afterAll(() => whole.close());

const unTimed = (text: string) => text.replaceAll(/"took":\d+/g, '"took":0');

test('documents, fields and indices that a role hides stay hidden', async () => {
  const aggs = { t: { terms: { field: 'tag' } }, hidden: { max: { field: 'price' } }, best: { top_hits: { size: 2 } } };
  for (const user of ['root', 'some', 'few'])
    for (const line of ['POST /a,b,c/_search', 'POST /named/_search', 'POST /a,b,c/_count']) {
      const body = line.endsWith('_count')
        ? { query: { match: { title: 'fox' } } }
        : { query: { match: { title: 'fox' } }, aggs, size: 30 };
      const expected = await whole.send(line, body, asUser(user));
      for (const node of Object.keys(PLACEMENT)) {
        const answer = await nodes.send(node, line, body, asUser(user));
        expect([user, line, answer.status, unTimed(answer.text)]).toEqual([user, line, expected.status, unTimed(expected.text)]);
      }
    }
  expect(nodes.asked.length).toBeGreaterThan(0);
});
