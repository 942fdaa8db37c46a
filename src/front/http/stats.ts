/** Connections and requests of all event loops of the worker process: counts, and what is open at the moment. */
import { onNews, tellLoops } from '../zone/bus.ts';
import { Counters, loop } from '../zone/memory.ts';

let counters: Counters;
const [ACCEPTED, HANDLED, REQUESTS] = [0, 1, 2];

export const stats = {
  /** Starts at the totals of the workers before, if there were any. */
  begin(before: number[] | undefined): void {
    counters = new Counters('http', 3);
    if (loop.index === 0) before?.forEach((total, field) => counters.add(field, total));
  },
  get accepted(): number {
    return counters.total(ACCEPTED);
  },
  get handled(): number {
    return counters.total(HANDLED);
  },
  get requests(): number {
    return counters.total(REQUESTS);
  },
  connectionOpened(): void {
    counters.add(ACCEPTED);
    counters.add(HANDLED);
  },
  requestBegan(): void {
    counters.add(REQUESTS);
  },
  /** For the workers of the next configuration. */
  exportState(): number[] {
    return [ACCEPTED, HANDLED, REQUESTS].map((field) => counters.total(field));
  },
};

export interface Gauges {
  active: number;
  reading: number;
  writing: number;
}

interface Question {
  from: number;
  number: number;
}

const ANSWER_MS = 1000;
let own: () => Gauges = () => ({ active: 0, reading: 0, writing: 0 });
let questions = 0;
const waiting = new Map<number, (answer: Gauges) => void>();

/** @param count  looks at the connections of this event loop */
export function countGaugesBy(count: () => Gauges): void {
  own = count;
}

export const ownGauges = (): Gauges => own();

onNews<Question>('gauges?', (question) => tellLoops('gauges', { ...question, ...own() }));
onNews<Question & Gauges>('gauges', (answer) => {
  if (answer.from === loop.index) waiting.get(answer.number)?.(answer);
});

/** Asks the other event loops; one that does not answer within a second is left out. */
export function allGauges(done: (sum: Gauges) => void): void {
  const sum = { ...own() };
  let missing = loop.count - 1;
  if (missing === 0) {
    done(sum);
    return;
  }
  const number = ++questions;
  const finish = () => {
    clearTimeout(timer);
    waiting.delete(number);
    done(sum);
  };
  const timer = setTimeout(finish, ANSWER_MS);
  waiting.set(number, (answer) => {
    sum.active += answer.active;
    sum.reading += answer.reading;
    sum.writing += answer.writing;
    if (--missing === 0) finish();
  });
  tellLoops('gauges?', { from: loop.index, number });
}
