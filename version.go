package tegula

// Version is the version of the compiler and the runtime.
const Version = "0.1.0-dev"
