// Imported for its side effect: the service process must reset V8's heap flags before it loads modules of Node's
// (node/threads/heap-limits.ts).
import { forgetHeapFlags } from '../../node/threads/heap-limits.ts';

forgetHeapFlags();
