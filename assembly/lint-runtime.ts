// Runtime of the lint target: any managed allocation becomes a compile error, because engine kernels own no heap (see ARCHITECTURE.md).

// @ts-ignore: decorator
@global @unsafe function __new(size: usize, id: u32): usize { ERROR("managed allocation in a kernel"); return 0; }
// @ts-ignore: decorator
@global @unsafe function __renew(ptr: usize, size: usize): usize { ERROR("managed allocation in a kernel"); return 0; }
// @ts-ignore: decorator
@global @unsafe function __alloc(size: usize): usize { ERROR("allocation in a kernel"); return 0; }
// @ts-ignore: decorator
@global @unsafe function __realloc(ptr: usize, size: usize): usize { ERROR("allocation in a kernel"); return 0; }
// @ts-ignore: decorator
@global @unsafe function __free(ptr: usize): void { ERROR("allocation in a kernel"); }
// @ts-ignore: decorator
@global @unsafe function __link(parent: usize, child: usize, expect: bool): void {}
// @ts-ignore: decorator
@global @unsafe function __visit(ptr: usize, cookie: u32): void {}
// @ts-ignore: decorator
@global @unsafe function __collect(): void {}
