package bridge

// A Host is the Python interpreter, as the bridge asks it. It is called on the thread that the request
// came on, which does not hold the interpreter's lock.
type Host interface {
	// Ask puts a question and gives the answer. The error is an exception.
	Ask(question uint8, message []byte) ([]byte, error)
}

// The questions, with what they ask about and what is answered. The numbers are those of bridge.h.
const (
	askLookup uint8 = iota + 1 // kernel, name: found, constant, value
	askAttr                    // kernel, object, name: found, value
	askCall                    // kernel, object, arguments, named arguments: value
	askFields                  // kernel, object: fields of an aggregate class
	askMember                  // kernel, object, name: a member of an aggregate class
	askPoll                    // nothing: an error if the launch should stop
)
