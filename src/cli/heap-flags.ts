// Side effect of an import: the service process must reset V8's heap flags before it loads modules of Node's (node/heap-limits.ts).
import { forgetHeapFlags } from '../node/heap-limits.ts';

forgetHeapFlags();
