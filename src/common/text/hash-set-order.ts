// The order in which a HashSet of Java iterates over strings. Elasticsearch keeps some lists of requests in such sets and answers in their order.

/** Slots of a new set; they double when more than three quarters of them are in use. */
const FIRST_SLOTS = 16;
const LOAD = 0.75;

/** Each string once. Strings of one slot keep the order in which they were added. */
export function hashSetOrder(texts: Iterable<string>): string[] {
  const set = new Set(texts);
  let slots = FIRST_SLOTS;
  while (set.size > slots * LOAD) slots *= 2;
  const slotOf = new Map(Array.from(set, (text) => [text, spread(hashCode(text)) & (slots - 1)]));
  return [...set].sort((a, b) => (slotOf.get(a) ?? 0) - (slotOf.get(b) ?? 0));
}

/** String.hashCode of Java: of UTF-16 code units. */
function hashCode(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return hash;
}

function spread(hash: number): number {
  return hash ^ (hash >>> 16);
}
