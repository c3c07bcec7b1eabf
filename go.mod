module github.com/tegula-lang/tegula

go 1.26.0

require golang.org/x/text v0.44.0

require (
	github.com/alecthomas/kong v1.17.0 // indirect
	github.com/google/go-cmp v0.7.0 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)
