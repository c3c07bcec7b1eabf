package cudacpp

import "github.com/tegula-lang/tegula/internal/lir"

// Signals are mbarriers (PTX ISA, "mbarrier").

// signal is a call of a function that does something with a signal.
func (p *printer) signal(l lanes, name string, args ...expr) {
	n := l.first()
	guard := ""
	if n.Mem.Pred {
		guard = "if (" + l.arg(1).text + ") "
	}
	p.write("%s%s;", guard, call("", name, append([]expr{l.address(0, typeNames[lir.I64])}, args...)...).text)
}

func (p *printer) signalInit(l lanes) {
	p.signal(l, p.helpers.signalInit(), number(int(l.first().Imm)))
}

func (p *printer) signalEnd(l lanes) { p.signal(l, p.helpers.signalEnd()) }

func (p *printer) signalGive(l lanes) { p.signal(l, p.helpers.signalGive()) }

func (p *printer) signalWait(l lanes) {
	p.signal(l, p.helpers.signalWait(), l.arg(len(l.first().Args)-1).unsigned())
}

// isSignal reports whether an operation's memory is a signal.
func isSignal(c lir.Code) bool {
	return c == lir.OpSignalInit || c == lir.OpSignalEnd || c == lir.OpSignalGive || c == lir.OpSignalWait
}

const ofSignal = "(unsigned)__cvta_generic_to_shared(signal)"

func (h *helpers) signalInit() string {
	return h.add("signal_init", "// From now on a round of the signal is over when it was given so many times.\n"+device+"void signal_init(long long* signal, unsigned times) {\n"+
		"    asm volatile(\"mbarrier.init.shared::cta.b64 [%0], %1;\" : : \"r\"("+ofSignal+"), \"r\"(times) : \"memory\");\n}\n")
}

func (h *helpers) signalEnd() string {
	return h.add("signal_end", "// The word is no signal any more.\n"+device+"void signal_end(long long* signal) {\n"+
		"    asm volatile(\"mbarrier.inval.shared::cta.b64 [%0];\" : : \"r\"("+ofSignal+") : \"memory\");\n}\n")
}

func (h *helpers) signalGive() string {
	return h.add("signal_give", "// What this thread did before has happened for who waits for this round.\n"+device+"void signal_give(long long* signal) {\n"+
		"    asm volatile(\"{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0]; }\" : : \"r\"("+ofSignal+") : \"memory\");\n}\n")
}

func (h *helpers) signalWait() string {
	return h.add("signal_wait", "// Waits until the round of this parity is over: 0 is the first, 1 also the one before it.\n"+device+"void signal_wait(long long* signal, unsigned parity) {\n"+
		"    unsigned done;\n    do {\n"+
		"        asm volatile(\"{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }\"\n"+
		"            : \"=r\"(done) : \"r\"("+ofSignal+"), \"r\"(parity) : \"memory\");\n    } while (!done);\n}\n")
}
