// Package lower turns tile IR into LIR: it decides which thread holds which element of each tile, and writes what one thread
// does.
//
// In: a verified tile.Module after the passes, how many warps there are, and what the target can do. Out: a finished lir.Func.
//
// # Views
//
// All shape operations are maps of the bits of an element number, so nothing is done for them: an operation that needs a
// value says for each of its registers which element it wants (a view), and reshape, trans, broadcast, expand_dims and
// split hand the question on to their operand with the bits moved. Three things end the way: what can be computed from the
// element number (ranges, constants, splats), what is computed anew for each who asks (offsets, masks, pointers), and
// what is held in registers. What is held lies in a view of its own, its home; if another one is asked for it is converted:
// by naming other registers, by shuffles, or through shared memory.
//
// # Large tiles
//
// A tile that would need too many registers a thread is not held. What it is needed for (a store, a reduction) goes over it in a rolled
// loop, some registers at a time, and asks for the parts then; the size of the code does not depend on that of the tile. Where that
// is not possible (memory may have changed, or it would be computed again at a high price) it is kept in the thread's local memory.
//
// # What always holds
//
// Every thread computes the same scalars. A store or an atomic of an element that several threads hold is done by one of them.
// Barriers are not written here; lir.Finish knows where threads meet.
//
// To look at it: tegula compile … --target cuda:90a --emit layout, or --emit lir.
package lower
